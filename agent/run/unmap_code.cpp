#include "agent/run/unmap_code.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace reaper::agent {

namespace {

// Where code itself was relocated, memory differs from the file. Such libraries are hardly built
// any more.
bool is_relocated_code(const ElfW(Dyn) & entry) {
    return entry.d_tag == DT_TEXTREL ||
           (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_TEXTREL) != 0);
}

bool has_relocated_code(const dl_phdr_info& object, const ElfW(Phdr) & segment) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + segment.p_vaddr);
    while (entry->d_tag != DT_NULL && !is_relocated_code(*entry)) ++entry;
    return entry->d_tag != DT_NULL;
}

using Range = std::pair<std::uintptr_t, std::size_t>;

int add_pristine(dl_phdr_info* object, std::size_t, void* to) {
    const std::span segments(object->dlpi_phdr, object->dlpi_phnum);
    const bool relocated = std::ranges::any_of(segments, [&](const ElfW(Phdr) & segment) {
        return segment.p_type == PT_DYNAMIC && has_relocated_code(*object, segment);
    });
    if (relocated) return 0;
    for (const ElfW(Phdr) & segment : segments) {
        const bool as_in_file = segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0;
        if (as_in_file)
            static_cast<std::vector<Range>*>(to)->emplace_back(object->dlpi_addr + segment.p_vaddr,
                                                               segment.p_memsz);
    }
    return 0;
}

constexpr int kSoon = 1000;

}  // namespace

void unmap_code() {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    std::vector<Range> pristine;  // first all, as to look at them brings them back
    ::dl_iterate_phdr(add_pristine, &pristine);
    for (const auto& [begin, size] : pristine) {
        const std::uintptr_t first = begin / page * page;
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        ::madvise(reinterpret_cast<void*>(first), begin + size - first, MADV_DONTNEED);
    }
}

int IdleTrim::wait(std::span<pollfd> entries, int timeout) {
    if (done_) return ::poll(entries.data(), entries.size(), timeout);
    const int first = timeout < 0 ? kSoon : std::min(timeout, kSoon);
    if (const int ready = ::poll(entries.data(), entries.size(), first); ready != 0) return ready;
    unmap_code();
    done_ = true;
    return ::poll(entries.data(), entries.size(), timeout < 0 ? timeout : timeout - first);
}

}  // namespace reaper::agent
