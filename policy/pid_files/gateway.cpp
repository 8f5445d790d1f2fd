#include "policy/pid_files/gateway.hpp"

#include <cmath>

#include <fmt/format.h>

#include "policy/pid_files/content.hpp"
#include "policy/verdict/claim_vetoes.hpp"
#include "scanner/parse/claim_text.hpp"

namespace reaper::policy {

namespace {

using scanner::ClaimFile;
using scanner::ClaimKind;
using scanner::LockState;
using scanner::Machine;

// A writer creates the file first and fills it afterwards.
constexpr double kBeingWritten = 60;

std::string lock_of(const ClaimFile& file) {
    return scanner::lock_name(file.kind, file.name);
}

std::string holder_text(const ClaimFile& file) {
    return file.lock.holder > 0 ? fmt::format("pid {} holds {}", file.lock.holder, lock_of(file))
                                : fmt::format("a process holds {}", lock_of(file));
}

// Names what holds the lock while it runs.
std::string_view owner_of(const ClaimFile& file) {
    return file.kind == ClaimKind::gateway_pid ? "a gateway runs" : "its owner runs";
}

FileJudgement unread_lock(std::string_view what, const scanner::LockReading& lock) {
    return unread("lock.unreadable", fmt::format("{} could not be found out{}{}", what,
                                                 lock.why.empty() ? "" : ": ", lock.why));
}

// A gateway holds the lock from before it writes the file until after it is done. So a held lock
// means that one runs, whatever the file says.
FileJudgement judge_held(const ClaimFile& file, FileJudgement by_pid) {
    by_pid.evidence.insert(by_pid.evidence.begin(), {"lock.held", Weight::veto, holder_text(file)});
    by_pid.unread = false;
    if (by_pid.state == FileState::live) return by_pid;
    by_pid.state = FileState::locked;
    by_pid.reason = fmt::format("{}: {}, whatever this file says ({})", holder_text(file),
                                owner_of(file), by_pid.reason);
    return by_pid;
}

// True if the process was there in time to write the file, but its program or its start speaks
// against that; or if it may be one of another machine.
bool is_in_doubt(const FileJudgement& by_pid) {
    const std::string& code = by_pid.evidence.front().code;
    return code == "pid.contradicts" || code == "pid.other_program" || code == "pid.other_machine";
}

// Returns where a process may hold the lock although /proc/locks does not show it: it shows only
// locks of processes that are visible here. Empty: nowhere.
std::string_view unseen_place(const ClaimFile& file, const Machine& machine) {
    if (file.shared_mount) return "on this machine";
    return is_nested(machine) ? "in this container" : std::string_view();
}

std::string not_seen(std::string_view place, std::string_view lock) {
    return fmt::format("no process {} holds {}; whether one outside of it does is not known", place,
                       lock);
}

Evidence free_lock(const ClaimFile& file, const Machine& machine) {
    const std::string_view unseen = unseen_place(file, machine);
    if (unseen.empty())
        return {"lock.free", Weight::for_kill, fmt::format("no process holds {}", lock_of(file))};
    return {"lock.unseen", Weight::note, not_seen(unseen, lock_of(file))};
}

// Says why a free lock makes a file stale that its pid alone does not.
std::string decided_by_lock(const ClaimFile& file, const Machine& machine) {
    const std::string_view unseen = unseen_place(file, machine);
    if (!unseen.empty())
        return fmt::format(
            "; no process {} holds {}, and the lock is tried before the file is removed", unseen,
            lock_of(file));
    return fmt::format("; no process holds {}, so no {} runs", lock_of(file),
                       file.kind == ClaimKind::gateway_pid ? "gateway" : "owner of it");
}

// A free lock means that no gateway runs, except one of an old release without a lock, which the
// pid tells.
FileJudgement judge_free(const ClaimFile& file, FileJudgement by_pid, const Machine& machine) {
    by_pid.evidence.push_back(free_lock(file, machine));
    // To try the lock would prove nothing either.
    if (file.shared_mount && !file.shared_mount->shares_locks) return by_pid;
    const bool says_nothing = by_pid.state == FileState::malformed;
    // A clock that was stepped leaves files from the future.
    const bool fresh =
        std::abs(machine.now_epoch - static_cast<double>(file.stamp.written_s)) < kBeingWritten;
    by_pid.young = says_nothing && fresh;
    if (by_pid.young) {
        by_pid.reason += ", and so young that its writer may not be done";
    } else if (says_nothing || is_in_doubt(by_pid)) {
        by_pid.state = FileState::stale;
        by_pid.reason += decided_by_lock(file, machine);
        by_pid.evidence.front().weight = Weight::note;
    }
    return by_pid;
}

// True if the process runs the right program, and has another start than the record says. The clock
// may have been stepped since, so this counts only where its writer would hold the lock.
bool has_other_start(const ClaimFile& file, const FileJudgement& by_pid) {
    return by_pid.evidence.front().code == "pid.contradicts" &&
           file.claims.front().start_epoch.has_value() &&
           scanner::always_locks(file.kind, file.name);
}

// One process serves them all, so they are not several gateways.
void add_profiles(const ClaimFile& file, FileJudgement& judgement) {
    const auto record = scanner::parse_host_record(file.text);
    if (judgement.state == FileState::live && record && record->profiles > 1)
        judgement.reason += fmt::format(", and serves {} profiles", record->profiles);
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
        return judged(FileState::locked, "lock.held", holder_text(file));
    if (file.lock.state == LockState::unknown) return unread_lock("whether it is held", file.lock);
    if (const auto unseen = unseen_place(file, machine); !unseen.empty())
        return judged(FileState::foreign, "lock.unseen", not_seen(unseen, "it"));
    return judged(
        FileState::stale, "lock.free",
        "no process holds it; it is never removed: two gateways could lock two files of that name");
}

FileJudgement judge_host_record(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    FileJudgement by_pid = judge_claims(file, machine, rules);
    add_profiles(file, by_pid);
    if (file.lock.state == LockState::held) return judge_held(file, std::move(by_pid));
    if (file.lock.state == LockState::unknown)
        return unread_lock(fmt::format("whether {} is held", lock_of(file)), file.lock);
    if (file.lock.state != LockState::free) return by_pid;
    by_pid.evidence.push_back(free_lock(file, machine));
    if (!has_other_start(file, by_pid)) return by_pid;
    by_pid.state = FileState::stale;
    by_pid.reason += decided_by_lock(file, machine);
    by_pid.evidence.front().weight = Weight::note;
    return by_pid;
}

}  // namespace reaper::policy
