#include "agent/patience.hpp"

namespace reaper::agent {

namespace {

constexpr int kBlinks = 5;  // looks at a process that works without a lock before it counts as released

bool advanced(const scanner::Activity& before, const scanner::Activity& now) {
    // An fsync of a large file moves neither counter while it sleeps uninterruptibly.
    const bool waits_for_disk = now.state == 'D';
    return waits_for_disk || now.io_bytes > before.io_bytes || now.cpu_ticks > before.cpu_ticks;
}

}  // namespace

Overdue judge_overdue(const scanner::Activity& before, const scanner::Activity& now) {
    if (!advanced(before, now)) return Overdue::done;
    return now.database_write_lock ? Overdue::working : Overdue::look_again;
}

std::optional<std::chrono::milliseconds> Patience::more(const scanner::Activity& now, std::chrono::milliseconds slice,
                                                        std::chrono::milliseconds blink) {
    const Overdue overdue = before_ ? judge_overdue(*before_, now) : Overdue::done;
    if (overdue == Overdue::done) return std::nullopt;
    if (overdue == Overdue::look_again) {
        if (++blinks_ < kBlinks) return blink;
        return std::nullopt;
    }
    before_ = now;
    blinks_ = 0;
    return slice;
}

}  // namespace reaper::agent
