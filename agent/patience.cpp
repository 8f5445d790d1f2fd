#include "agent/patience.hpp"

namespace reaper::agent {

namespace {

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

}  // namespace reaper::agent
