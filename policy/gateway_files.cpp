#include "policy/gateway_files.hpp"

#include <cmath>

#include <fmt/format.h>

#include "policy/file_content.hpp"
#include "scanner/claim_text.hpp"

namespace reaper::policy {

namespace {

using scanner::ClaimFile;
using scanner::LockState;
using scanner::Machine;

// A writer makes the file first and fills it after that.
constexpr double kBeingWritten = 60;

std::string holder_text(const scanner::LockReading& lock) {
    return lock.holder > 0 ? fmt::format("pid {} holds gateway.lock", lock.holder) : "somebody holds gateway.lock";
}

FileJudgement unread_lock(std::string_view what, const scanner::LockReading& lock) {
    return unread("lock.unreadable",
                  fmt::format("{} could not be found out{}{}", what, lock.why.empty() ? "" : ": ", lock.why));
}

// Every gateway holds the lock from before it writes the file until after it is done: held means that one runs, whatever
// the file says.
FileJudgement judge_held(const ClaimFile& file, FileJudgement by_pid) {
    by_pid.evidence.insert(by_pid.evidence.begin(), {"lock.held", Weight::veto, holder_text(file.lock)});
    by_pid.unread = false;
    if (by_pid.state == FileState::live) return by_pid;
    by_pid.state = FileState::locked;
    by_pid.reason =
        fmt::format("{}: a gateway runs, whatever this file says ({})", holder_text(file.lock), by_pid.reason);
    return by_pid;
}

// Free means that none runs, unless one of an old release that knew no lock: that one is told by its pid.
FileJudgement judge_free(const ClaimFile& file, FileJudgement by_pid, const Machine& machine) {
    by_pid.evidence.push_back({"lock.free", Weight::for_kill, "nobody holds gateway.lock"});
    const bool says_nothing = by_pid.state == FileState::malformed;
    // A clock that was stepped leaves files of the future.
    const bool fresh = std::abs(machine.now_epoch - static_cast<double>(file.stamp.written_s)) < kBeingWritten;
    by_pid.young = says_nothing && fresh;
    if (by_pid.young) {
        by_pid.reason += ", and so young that its writer may not be done";
    } else if (says_nothing || by_pid.evidence.front().code == "pid.contradicts") {
        by_pid.state = FileState::stale;
        by_pid.reason += "; nobody holds gateway.lock, so no gateway runs";
        by_pid.evidence.front().weight = Weight::note;
    }
    return by_pid;
}

}  // namespace

FileJudgement judge_gateway_pid(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    FileJudgement by_pid = judge_claims(file, machine, rules);
    if (file.lock.state == LockState::held) return judge_held(file, std::move(by_pid));
    if (file.lock.state == LockState::unknown) return unread_lock("whether gateway.lock is held", file.lock);
    const auto record = scanner::parse_gateway_record(file.text);
    const bool elsewhere = record && !record->home.empty() && record->home != file.home;
    if (elsewhere && by_pid.state == FileState::live)
        return judged(FileState::foreign, "file.other_home",
                      fmt::format("it is the record of {}, and {}", record->home, by_pid.reason));
    return file.lock.state == LockState::free ? judge_free(file, std::move(by_pid), machine) : by_pid;
}

FileJudgement judge_gateway_lock(const ClaimFile& file) {
    if (file.lock.state == LockState::held) return judged(FileState::locked, "lock.held", holder_text(file.lock));
    if (file.lock.state == LockState::unknown) return unread_lock("whether it is held", file.lock);
    return judged(FileState::stale, "lock.free",
                  "nobody holds it; it is never removed: two gateways could lock two files of that name");
}

}  // namespace reaper::policy
