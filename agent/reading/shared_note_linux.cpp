#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "agent/reading/shared_note.hpp"

namespace reaper::agent {

namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
constexpr unsigned kNoExecution = 8;  // MFD_NOEXEC_SEAL, since Linux 6.3; some machines demand it

Fd make_named_memory() {
    constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    Fd memory(::memfd_create(kNoteName, kFlags | kNoExecution));
    if (!memory && errno == EINVAL) memory = Fd(::memfd_create(kNoteName, kFlags));
    if (!memory || ::ftruncate(memory.get(), sizeof(ReaderNote)) != 0 ||
        ::fcntl(memory.get(), F_ADD_SEALS, kSeals) != 0)
        return {};
    return memory;
}

// Sealed memory cannot be cut off, so no access to it fails.
bool has_note(const Fd& memory) {
    const int seals = ::fcntl(memory.get(), F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
           ::lseek(memory.get(), 0, SEEK_END) == off_t{sizeof(ReaderNote)};
}

ReaderNote* map(int protection, int kind, int descriptor) {
    void* memory = ::mmap(nullptr, sizeof(ReaderNote), protection, kind, descriptor, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<ReaderNote*>(memory);
}

}  // namespace

SharedNote::SharedNote()
    : memory_(make_named_memory()),
      note_(map(PROT_READ | PROT_WRITE, memory_ ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS,
                memory_ ? memory_.get() : -1)) {
    if (note_ != nullptr) new (note_) ReaderNote;
}

SharedNote::SharedNote(const Fd& memory)
    : note_(has_note(memory) ? map(PROT_READ, MAP_SHARED, memory.get()) : nullptr) {}

SharedNote::~SharedNote() {
    if (note_ != nullptr) ::munmap(note_, sizeof(ReaderNote));
}

Stop read_note(const ReaderNote& note) {
    Stop stop{note.changes.load(), note.user, note.pid,
              std::string(note.path.data(), std::min<std::size_t>(note.length, note.path.size()))};
    if (note.changes.load() != stop.changes)
        stop.changes |= 1U;  // on its way: compares as another one
    return stop;
}

}  // namespace reaper::agent
