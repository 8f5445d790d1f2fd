#include "policy/pid_files/judge_files.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "policy/pid_files/content.hpp"
#include "policy/pid_files/gateway.hpp"
#include "policy/pid_files/update_marker.hpp"
#include "policy/verdict/claim_vetoes.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::Claim;
using scanner::ClaimFile;
using scanner::ClaimKind;
using scanner::Machine;

FileJudgement judge_state(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    const bool denied = !file.claims.empty() && file.claims.front().access == Access::denied;
    if (denied) return judge_unreadable(file);
    switch (file.kind) {
        case ClaimKind::whatsapp_bridge_pid:
            return judged(FileState::foreign, "file.whatsapp", "it belongs to WhatsApp's bridge");
        case ClaimKind::openclaw_lock:
            return judged(FileState::foreign, "file.openclaw", "it belongs to OpenClaw");
        case ClaimKind::gateway_lock:
        case ClaimKind::host_lock: return judge_gateway_lock(file, machine);
        case ClaimKind::host_record: return judge_host_record(file, machine, rules);
        case ClaimKind::gateway_pid: return judge_gateway_pid(file, machine, rules);
        case ClaimKind::update_marker: return judge_update_marker(file, machine, rules);
        default: return judge_claims(file, machine, rules);
    }
}

// True for the kinds that are removed. The others are cleaned up by their writers, or are records
// that are still read.
bool is_removable(const ClaimFile& file) {
    constexpr ClaimKind kRemovable[] = {ClaimKind::bridge_pid,  ClaimKind::bridge_stdio_pid,
                                        ClaimKind::gateway_pid, ClaimKind::headless_registry,
                                        ClaimKind::host_record, ClaimKind::update_marker};
    return std::ranges::find(kRemovable, file.kind) != std::end(kRemovable);
}

// True for a file that must get its name back. Any other file could keep a gateway from creating
// its own, and does no harm under the other name.
bool belongs_back(const ClaimFile& file, const FileJudgement& judgement) {
    const bool is_aside = scanner::place_of(file.name) != file.name;
    return is_aside && judgement.state == FileState::live && file.stamp.owner == file.scope;
}

// None: no update runs there. A marker is judged by itself, so it does not keep itself.
const Claim* find_update(std::span<const Claim> markers, const ClaimFile& file,
                         const Machine& machine, const Rules& rules) {
    const auto found = std::ranges::find_if(markers, [&](const Claim& marker) {
        return marker.scope == file.scope && marker.path != file.path &&
               is_update_running(marker, machine, rules);
    });
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
        case ClaimKind::compute_host_registry: return "compute-host-registry";
        case ClaimKind::meet_bot_record: return "meet-bot";
        case ClaimKind::proxy_pid: return "iron-proxy";
        case ClaimKind::gateway_lock: return "gateway-lock";
        case ClaimKind::gateway_scope_lock: return "gateway-scope-lock";
        case ClaimKind::viewer_lock: return "viewer-lock";
        case ClaimKind::whatsapp_bridge_pid: return "whatsapp-bridge";
        case ClaimKind::openclaw_lock: return "openclaw-lock";
        case ClaimKind::host_record: return "host-record";
        case ClaimKind::host_lock: return "host-lock";
    }
    return "bridge";
}

FileJudgement judge_file(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    FileJudgement judgement = judge_state(file, machine, rules);
    judgement.put_back = belongs_back(file, judgement);
    if (judgement.put_back) judgement.reason += "; an interrupted run renamed it";
    if (judgement.state != FileState::stale || !is_removable(file)) return judgement;
    judgement.remove = file.stamp.owner == file.scope;
    if (!judgement.remove)
        judgement.evidence.push_back({"file.owner", Weight::veto,
                                      fmt::format("it belongs to user id {}", file.stamp.owner)});
    return judgement;
}

std::vector<FileJudgement> judge_files(std::span<const ClaimFile> files,
                                       std::span<const Claim> markers, const Machine& machine,
                                       const Rules& rules) {
    std::vector<FileJudgement> judgements;
    for (const ClaimFile& file : files) {
        FileJudgement& judgement = judgements.emplace_back(judge_file(file, machine, rules));
        const Claim* update =
            judgement.remove ? find_update(markers, file, machine, rules) : nullptr;
        if (update == nullptr) continue;
        judgement.remove = false;
        judgement.paused = true;
        judgement.evidence.push_back(
            {"update.running", Weight::veto,
             fmt::format("an update {} running ({}): nothing is removed",
                         is_unclear(*update) ? "may be" : "is", update->path)});
    }
    return judgements;
}

}  // namespace reaper::policy
