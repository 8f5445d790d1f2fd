// What pid, lock and ledger files say. They are written by other programs, and perhaps by somebody who wishes us ill.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/identity.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

// All fail with invalid_argument when the text is not in its form, or names no possible pid (1 to 2^31-1).

// A bare decimal number; blanks and newlines around it do not matter. bridge.pid, bridge-stdio*.pid.
[[nodiscard]] Result<Pid> parse_bare_pid(std::string_view text);

// gateway.pid, gateway.lock: {"pid": 7, "start_time": 123, "hermes_home": "/...", ...}, or a bare number (older writers).
// start_time is in ticks since boot, in hundredths of a second since 1970 (written on macOS), null, or not there.
struct GatewayRecord {
    Pid pid = 0;
    std::optional<std::uint64_t> start_ticks;
    std::optional<double> start_epoch = std::nullopt;
    std::string home = {};  // empty: not recorded

    bool operator==(const GatewayRecord&) const = default;
};
[[nodiscard]] Result<GatewayRecord> parse_gateway_record(std::string_view text);

// WhatsApp's bridge.pid: a line with the pid and, perhaps, a line with its start in ticks.
[[nodiscard]] Result<GatewayRecord> parse_whatsapp_pid(std::string_view text);

// viewer-start.lock/owner: pid=7 started_at=epoch
[[nodiscard]] Result<Pid> parse_viewer_lock(std::string_view text);

// backend.lock.json, owner.json: {"pid": 7, ...}
[[nodiscard]] Result<Pid> parse_desktop_lock(std::string_view text);

// spawn-ledger.json: [{"pid": 7, "create_time": epoch, "spawner_pid": 6, "spawner_create": epoch, ...}, ...]
struct LedgerEntry {
    Pid pid = 0;
    std::optional<double> start_epoch;
    Pid spawner = 0;  // 0: not recorded
    std::optional<double> spawner_start_epoch;
    std::optional<std::uint64_t> start_ticks = std::nullopt;  // instead of an epoch, in some of these files
    std::optional<std::uint64_t> spawner_start_ticks = std::nullopt;

    bool operator==(const LedgerEntry&) const = default;
};
struct Ledger {
    std::vector<LedgerEntry> entries;
    std::size_t malformed = 0;  // entries that are there but cannot be understood

    bool operator==(const Ledger&) const = default;
};
[[nodiscard]] Result<Ledger> parse_ledger(std::string_view text);

// headless-bridges.json: {"bridges": [{"pid": 7, "parentPid": 6, "startedAt": epoch, ...}, ...]}
[[nodiscard]] Result<Ledger> parse_headless_registry(std::string_view text);

// processes.json: [{"pid": 7, "pid_scope": "host", "host_start_time": ticks, "owner_pid": 6, "owner_started_at": ticks, ...}, ...]
// Entries of any other scope are skipped: their pids count in some container.
[[nodiscard]] Result<Ledger> parse_process_registry(std::string_view text);

// .hermes-update-in-progress: a line with the updater's pid, a line with unix seconds; what follows does not matter.
struct UpdateMarker {
    Pid pid = 0;
    double epoch = 0;

    bool operator==(const UpdateMarker&) const = default;
};
[[nodiscard]] Result<UpdateMarker> parse_update_marker(std::string_view text);

}  // namespace reaper::scanner
