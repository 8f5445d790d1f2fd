#include "agent/reaping/grace.hpp"

namespace reaper::agent {

namespace {

constexpr int kMaxRetries =
    5;  // looks at a process that works without a lock before it counts as released

bool advanced(const scanner::Activity& before, const scanner::Activity& now) {
    // An fsync of a large file moves neither counter while it sleeps uninterruptibly.
    const bool waits_for_disk = now.state == 'D';
    return waits_for_disk || now.io_bytes > before.io_bytes || now.cpu_ticks > before.cpu_ticks;
}

}  // namespace

std::optional<std::chrono::milliseconds> GraceExtension::more(
    const scanner::Activity& now, std::chrono::milliseconds slice,
    std::chrono::milliseconds retry_delay) {
    if (!before_ || !advanced(*before_, now)) return std::nullopt;
    if (!now.database_write_lock)
        return ++retries_ < kMaxRetries ? std::optional(retry_delay) : std::nullopt;
    before_ = now;
    retries_ = 0;
    return slice;
}

}  // namespace reaper::agent
