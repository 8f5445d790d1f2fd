#include "scanner/parse/claim_interpreters.hpp"

#include "scanner/parse/claim_text.hpp"

namespace reaper::scanner {

namespace {

using Claims = Result<std::vector<Claim>>;

Claims one(Claim claim, Pid pid) {
    claim.pid = pid;
    return std::vector{std::move(claim)};
}

Claims naming(const Claim& blank, const Result<Pid>& pid) {
    if (!pid) return tl::unexpected(pid.error());
    return one(blank, *pid);
}

Claims owned_by(Claim blank, const Result<Pid>& spawner) {
    if (!spawner) return tl::unexpected(spawner.error());
    blank.spawner = *spawner;
    return one(std::move(blank), 0);
}

Claims of_gateway(Claim blank, const Result<GatewayRecord>& record) {
    if (!record) return tl::unexpected(record.error());
    blank.start_ticks = record->start_ticks;
    blank.start_epoch = record->start_epoch;
    return one(std::move(blank), record->pid);
}

Claims of_host(Claim blank, const Result<HostRecord>& record) {
    if (!record) return tl::unexpected(record.error());
    blank.start_epoch = record->start_epoch;
    return one(std::move(blank), record->pid);
}

// Leaves out the seconds in the marker: they tell when the update began, not when the updater
// started, so they cannot be compared with a start.
Claims of_marker(const Claim& blank, const Result<UpdateMarker>& marker) {
    if (!marker) return tl::unexpected(marker.error());
    return one(blank, marker->pid);
}

Claims of_entry(const Claim& blank, const Result<LedgerEntry>& entry) {
    if (!entry) return tl::unexpected(entry.error());
    return interpret_record(blank, {{*entry}, 0});
}

Claims of_ledger(const Claim& blank, const Result<Ledger>& ledger) {
    if (!ledger) return tl::unexpected(ledger.error());
    return interpret_record(blank, *ledger);
}

}  // namespace

Result<std::vector<Claim>> interpret_claims(const Claim& blank, std::string_view text) {
    switch (blank.kind) {
        case ClaimKind::bridge_pid:
        case ClaimKind::proxy_pid:
        case ClaimKind::bridge_stdio_pid: return naming(blank, parse_bare_pid(text));
        case ClaimKind::viewer_lock: return naming(blank, parse_viewer_lock(text));
        case ClaimKind::desktop_lock:
        case ClaimKind::openclaw_lock: return naming(blank, parse_desktop_lock(text));
        case ClaimKind::gateway_pid:
        case ClaimKind::gateway_lock:
        case ClaimKind::host_lock:
        case ClaimKind::gateway_scope_lock: return of_gateway(blank, parse_gateway_record(text));
        case ClaimKind::host_record: return of_host(blank, parse_host_record(text));
        case ClaimKind::whatsapp_bridge_pid: return of_gateway(blank, parse_whatsapp_pid(text));
        case ClaimKind::browser_owner: return owned_by(blank, parse_bare_pid(text));
        case ClaimKind::update_marker: return of_marker(blank, parse_update_marker(text));
        case ClaimKind::compute_host_registry:
            return of_entry(blank, parse_compute_host_registry(text));
        case ClaimKind::meet_bot_record: return of_gateway(blank, parse_meet_bot_record(text));
        case ClaimKind::ledger: return of_ledger(blank, parse_ledger(text));
        case ClaimKind::headless_registry: return of_ledger(blank, parse_headless_registry(text));
        case ClaimKind::process_registry: return of_ledger(blank, parse_process_registry(text));
    }
    return failure(std::errc::invalid_argument, "make sense of", blank.path);
}

std::vector<Claim> interpret_record(const Claim& blank, const Ledger& ledger) {
    std::vector<Claim> claims;
    claims.reserve(ledger.entries.size() + 1);
    for (const LedgerEntry& entry : ledger.entries) {
        Claim& claim = claims.emplace_back(blank);
        claim.pid = entry.pid;
        claim.start_epoch = entry.start_epoch;
        claim.start_ticks = entry.start_ticks;
        claim.spawner = entry.spawner;
        claim.spawner_start_epoch = entry.spawner_start_epoch;
        claim.spawner_start_ticks = entry.spawner_start_ticks;
    }
    if (ledger.malformed > 0) claims.emplace_back(blank).access = Access::malformed;
    return claims;
}

}  // namespace reaper::scanner
