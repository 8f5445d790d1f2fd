#include <tuple>

#include "scanner/parse/proc_fdinfo.hpp"
#include "scanner/parse/proc_io.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace reaper;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    std::ignore = scanner::parse_io(text);
    std::ignore = scanner::parse_locks(text);
    const auto locks = scanner::parse_fdinfo_locks(text);
    if (!locks) return 0;
    for (const scanner::FileLock& lock : *locks) {
        fuzz::require(lock.start <= lock.end);
        fuzz::require(lock.overlaps(lock.start, lock.start) && lock.overlaps(lock.end, lock.end));
    }
    return 0;
}
