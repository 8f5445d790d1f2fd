#include "policy/pid_files/gateway.hpp"

#include <cmath>

#include <fmt/format.h>

#include "policy/pid_files/content.hpp"
#include "policy/verdict/claim_vetoes.hpp"
#include "scanner/parse/claim_text.hpp"

namespace reaper::policy {

namespace {

using scanner::ClaimFile;
using scanner::LockState;
using scanner::Machine;

// A writer creates the file first and fills it afterwards.
constexpr double kBeingWritten = 60;

std::string holder_text(const scanner::LockReading& lock) {
    return lock.holder > 0 ? fmt::format("pid {} holds gateway.lock", lock.holder)
                           : "a process holds gateway.lock";
}

FileJudgement unread_lock(std::string_view what, const scanner::LockReading& lock) {
    return unread("lock.unreadable", fmt::format("{} could not be found out{}{}", what,
                                                 lock.why.empty() ? "" : ": ", lock.why));
}

// A gateway holds the lock from before it writes the file until after it is done. So a held lock
// means that one runs, whatever the file says.
FileJudgement judge_held(const ClaimFile& file, FileJudgement by_pid) {
    by_pid.evidence.insert(by_pid.evidence.begin(),
                           {"lock.held", Weight::veto, holder_text(file.lock)});
    by_pid.unread = false;
    if (by_pid.state == FileState::live) return by_pid;
    by_pid.state = FileState::locked;
    by_pid.reason = fmt::format("{}: a gateway runs, whatever this file says ({})",
                                holder_text(file.lock), by_pid.reason);
    return by_pid;
}

// True if the process was there in time to write the file, but its program or its start speaks
// against that.
bool is_in_doubt(const FileJudgement& by_pid) {
    const std::string& code = by_pid.evidence.front().code;
    return code == "pid.contradicts" || code == "pid.other_program";
}

// A process outside of this container may hold it: /proc/locks shows only locks of processes that
// are visible here.
constexpr std::string_view kNotSeen = "whether one outside of it does is not known";

// A free lock means that no gateway runs, except one of an old release without a lock, which the
// pid tells.
FileJudgement judge_free(const ClaimFile& file, FileJudgement by_pid, const Machine& machine) {
    const bool nested = is_nested(machine);
    if (nested)
        by_pid.evidence.push_back(
            {"lock.unseen", Weight::note,
             fmt::format("no process in this container holds gateway.lock; {}", kNotSeen)});
    else
        by_pid.evidence.push_back({"lock.free", Weight::for_kill, "no process holds gateway.lock"});
    const bool says_nothing = by_pid.state == FileState::malformed;
    // A clock that was stepped leaves files from the future.
    const bool fresh =
        std::abs(machine.now_epoch - static_cast<double>(file.stamp.written_s)) < kBeingWritten;
    by_pid.young = says_nothing && fresh;
    if (by_pid.young) {
        by_pid.reason += ", and so young that its writer may not be done";
    } else if (says_nothing || is_in_doubt(by_pid)) {
        by_pid.state = FileState::stale;
        by_pid.reason += nested ? "; no process in this container holds gateway.lock, and the lock "
                                  "is tried before the file is removed"
                                : "; no process holds gateway.lock, so no gateway runs";
        by_pid.evidence.front().weight = Weight::note;
    }
    return by_pid;
}

}  // namespace

FileJudgement judge_gateway_pid(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    FileJudgement by_pid = judge_claims(file, machine, rules);
    if (file.lock.state == LockState::held) return judge_held(file, std::move(by_pid));
    if (file.lock.state == LockState::unknown)
        return unread_lock("whether gateway.lock is held", file.lock);
    const auto record = scanner::parse_gateway_record(file.text);
    const bool elsewhere = record && !record->home.empty() && record->home != file.home;
    if (elsewhere && by_pid.state == FileState::live)
        return judged(FileState::foreign, "file.other_home",
                      fmt::format("it is the record of {}, and {}", record->home, by_pid.reason));
    return file.lock.state == LockState::free ? judge_free(file, std::move(by_pid), machine)
                                              : by_pid;
}

FileJudgement judge_gateway_lock(const ClaimFile& file, const Machine& machine) {
    if (file.lock.state == LockState::held)
        return judged(FileState::locked, "lock.held", holder_text(file.lock));
    if (file.lock.state == LockState::unknown) return unread_lock("whether it is held", file.lock);
    if (is_nested(machine))
        return judged(FileState::foreign, "lock.unseen",
                      fmt::format("no process in this container holds it; {}", kNotSeen));
    return judged(
        FileState::stale, "lock.free",
        "no process holds it; it is never removed: two gateways could lock two files of that name");
}

}  // namespace reaper::policy
