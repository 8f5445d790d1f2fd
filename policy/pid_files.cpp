#include "policy/pid_files.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "policy/claim_vetoes.hpp"
#include "policy/named_process.hpp"
#include "scanner/claim_text.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::Claim;
using scanner::ClaimFile;
using scanner::ClaimKind;
using scanner::FileForm;
using scanner::LockState;
using scanner::Machine;

// A writer makes the file first and fills it after that.
constexpr double kBeingWritten = 60;

FileJudgement judged(FileState state, std::string code, std::string reason) {
    FileJudgement judgement;
    judgement.state = state;
    const Weight weight = state == FileState::stale ? Weight::for_kill : Weight::veto;
    judgement.reason = reason;
    judgement.evidence = {{std::move(code), weight, std::move(reason)}};
    return judgement;
}

FileJudgement unread(std::string code, std::string reason) {
    FileJudgement judgement = judged(FileState::foreign, std::move(code), std::move(reason));
    judgement.unread = true;
    return judgement;
}

std::string_view to_string(FileForm form) {
    switch (form) {
        case FileForm::regular: return "a file";
        case FileForm::link: return "a link";
        case FileForm::folder: return "a folder";
        case FileForm::fifo: return "a FIFO";
        case FileForm::socket: return "a socket";
        case FileForm::device: return "a device";
    }
    return "something else";
}

// What was put there by somebody else than its writer, or could not be read at all.
FileJudgement judge_unreadable(const ClaimFile& file) {
    if (!file.found) return unread("file.unreadable", "it could not be looked at");
    if (file.stamp.form != FileForm::regular)
        return judged(FileState::foreign, "file.form",
                      fmt::format("it is {}, which no writer leaves here", to_string(file.stamp.form)));
    if (file.stamp.links != 1)
        return judged(FileState::foreign, "file.links",
                      fmt::format("it has {} names: it may be another file", file.stamp.links));
    if (file.stamp.owner != file.scope && file.stamp.owner != 0)
        return judged(FileState::foreign, "file.owner", fmt::format("it belongs to user id {}", file.stamp.owner));
    return unread("file.unreadable", "it could not be read");
}

FileJudgement from_named(const NamedProcess& named) {
    switch (named.fate) {
        case Fate::lives: return judged(FileState::live, "pid.lives", named.detail);
        case Fate::gone: return judged(FileState::stale, "pid.gone", named.detail);
        case Fate::reused: return judged(FileState::stale, "pid.reused", named.detail);
        case Fate::other: return judged(FileState::stale, "pid.other_program", named.detail);
        case Fate::somebodys: return judged(FileState::foreign, "pid.whatsapp", named.detail);
        case Fate::contradicts: return judged(FileState::foreign, "pid.contradicts", named.detail);
        case Fate::unknown: break;
    }
    return unread("pid.unreadable", named.detail);
}

FileJudgement judge_malformed(const ClaimFile& file) {
    const bool whatsapp = file.kind == ClaimKind::bridge_pid && scanner::parse_whatsapp_pid(file.text).has_value();
    if (whatsapp)
        return judged(FileState::foreign, "file.whatsapp",
                      "it is in the form of WhatsApp's bridge, which is another one");
    return judged(FileState::malformed, "file.malformed",
                  file.text.empty() ? "it is empty" : "it is not in the form that its writer gives it");
}

// The one that keeps the file longest counts for all of it.
FileJudgement judge_claims(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    if (file.claims.empty()) return judged(FileState::stale, "file.names_nobody", "it names nobody");
    constexpr FileState kOrder[] = {FileState::live, FileState::foreign, FileState::malformed, FileState::stale};
    const auto rank = [&](const FileJudgement& one) {
        return std::ranges::find(kOrder, one.state) - std::begin(kOrder);
    };
    std::optional<FileJudgement> strongest;
    for (const Claim& claim : file.claims) {
        FileJudgement one = claim.access == Access::malformed ? judge_malformed(file)
                                                              : from_named(find_named(file, claim, machine, rules));
        if (!strongest || rank(one) < rank(*strongest)) strongest = std::move(one);
    }
    return *std::move(strongest);
}

std::string holder_text(const scanner::LockReading& lock) {
    return lock.holder > 0 ? fmt::format("pid {} holds gateway.lock", lock.holder) : "somebody holds gateway.lock";
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
    const bool fresh = machine.now_epoch - static_cast<double>(file.stamp.written_s) < kBeingWritten;
    if (says_nothing && fresh) {
        by_pid.reason += ", and so young that its writer may not be done";
    } else if (says_nothing || by_pid.evidence.front().code == "pid.contradicts") {
        by_pid.state = FileState::stale;
        by_pid.reason += "; nobody holds gateway.lock, so no gateway runs";
        by_pid.evidence.front().weight = Weight::note;
    }
    return by_pid;
}

FileJudgement judge_gateway_pid(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    FileJudgement by_pid = judge_claims(file, machine, rules);
    if (file.lock.state == LockState::held) return judge_held(file, std::move(by_pid));
    if (file.lock.state == LockState::unknown)
        return unread("lock.unreadable", "whether gateway.lock is held could not be found out");
    const auto record = scanner::parse_gateway_record(file.text);
    const bool elsewhere = record && !record->home.empty() && record->home != file.home;
    if (elsewhere && by_pid.state == FileState::live)
        return judged(FileState::foreign, "file.other_home",
                      fmt::format("it is the record of {}, and {}", record->home, by_pid.reason));
    return file.lock.state == LockState::free ? judge_free(file, std::move(by_pid), machine) : by_pid;
}

// The file stays when its gateway is gone, and is used again by the next one.
FileJudgement judge_gateway_lock(const ClaimFile& file) {
    if (file.lock.state == LockState::held) return judged(FileState::locked, "lock.held", holder_text(file.lock));
    if (file.lock.state == LockState::unknown)
        return unread("lock.unreadable", "whether it is held could not be found out");
    return judged(FileState::stale, "lock.free",
                  "nobody holds it; it is never removed: two gateways could lock two files of that name");
}

FileJudgement judge_marker(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    if (is_update_running(file.claims.front(), machine))
        return judged(FileState::live, "update.running", "an update is running");
    FileJudgement judgement = judge_claims(file, machine, rules);
    judgement.state = FileState::stale;
    return judgement;
}

FileJudgement judge_state(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    const bool denied = !file.claims.empty() && file.claims.front().access == Access::denied;
    if (denied) return judge_unreadable(file);
    switch (file.kind) {
        case ClaimKind::whatsapp_bridge_pid:
            return judged(FileState::foreign, "file.whatsapp", "it is WhatsApp's bridge's own");
        case ClaimKind::openclaw_lock: return judged(FileState::foreign, "file.openclaw", "it is OpenClaw's own");
        case ClaimKind::gateway_lock: return judge_gateway_lock(file);
        case ClaimKind::gateway_pid: return judge_gateway_pid(file, machine, rules);
        case ClaimKind::update_marker: return judge_marker(file, machine, rules);
        default: return judge_claims(file, machine, rules);
    }
}

// The others are cleaned up by whoever writes them, or are records that somebody still reads.
bool is_removable(const ClaimFile& file) {
    constexpr ClaimKind kRemovable[] = {ClaimKind::bridge_pid, ClaimKind::bridge_stdio_pid, ClaimKind::gateway_pid,
                                        ClaimKind::headless_registry};
    return std::ranges::find(kRemovable, file.kind) != std::end(kRemovable);
}

// None: no update runs there.
const Claim* find_update(std::span<const Claim> markers, scanner::Uid scope, const Machine& machine) {
    const auto found = std::ranges::find_if(
        markers, [&](const Claim& marker) { return marker.scope == scope && is_update_running(marker, machine); });
    return found == markers.end() ? nullptr : &*found;
}

}  // namespace

std::string_view to_string(FileState state) {
    switch (state) {
        case FileState::live: return "live";
        case FileState::stale: return "stale";
        case FileState::malformed: return "malformed";
        case FileState::locked: return "locked";
        case FileState::foreign: return "foreign";
    }
    return "foreign";
}

std::string_view kind_word(ClaimKind kind) {
    switch (kind) {
        case ClaimKind::bridge_pid: return "bridge";
        case ClaimKind::bridge_stdio_pid: return "bridge-stdio";
        case ClaimKind::gateway_pid: return "gateway";
        case ClaimKind::desktop_lock: return "desktop-lock";
        case ClaimKind::ledger: return "ledger";
        case ClaimKind::update_marker: return "update-marker";
        case ClaimKind::headless_registry: return "headless-registry";
        case ClaimKind::process_registry: return "process-registry";
        case ClaimKind::browser_owner: return "browser-owner";
        case ClaimKind::gateway_lock: return "gateway-lock";
        case ClaimKind::gateway_scope_lock: return "gateway-scope-lock";
        case ClaimKind::viewer_lock: return "viewer-lock";
        case ClaimKind::whatsapp_bridge_pid: return "whatsapp-bridge";
        case ClaimKind::openclaw_lock: return "openclaw-lock";
    }
    return "bridge";
}

FileJudgement judge_file(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    FileJudgement judgement = judge_state(file, machine, rules);
    if (judgement.state != FileState::stale || !is_removable(file)) return judgement;
    judgement.remove = file.stamp.owner == file.scope;
    if (!judgement.remove)
        judgement.evidence.push_back(
            {"file.owner", Weight::veto, fmt::format("it belongs to user id {}", file.stamp.owner)});
    return judgement;
}

std::vector<FileJudgement> judge_files(std::span<const ClaimFile> files, std::span<const Claim> markers,
                                       const Machine& machine, const Rules& rules) {
    std::vector<FileJudgement> judgements;
    for (const ClaimFile& file : files) {
        FileJudgement& judgement = judgements.emplace_back(judge_file(file, machine, rules));
        const Claim* update = judgement.remove ? find_update(markers, file.scope, machine) : nullptr;
        if (update == nullptr) continue;
        judgement.remove = false;
        judgement.paused = true;
        judgement.evidence.push_back({"update.running", Weight::veto,
                                      fmt::format("an update is running ({}): nothing is removed", update->path)});
    }
    return judgements;
}

}  // namespace reaper::policy
