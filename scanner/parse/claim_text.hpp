// Parses pid, lock and ledger files. Other programs write them, so their content may be hostile.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner {

// Every function here fails with invalid_argument if the text is not in its form, or names no
// possible pid (1 to 2^31-1).

// The start of a process as Hermes records it in most of its files.
struct RecordedStart {
    std::optional<std::uint64_t> ticks = {};  // since boot: written on Linux
    std::optional<double> epoch = {};         // written on macOS
};
// Tells ticks from hundredths of a second since 1970 by size: thirty years of uptime are fewer
// ticks than the hundredths from 1970 to 2001.
[[nodiscard]] RecordedStart recorded_start(std::uint64_t number);

// Parses bridge.pid and bridge-stdio*.pid: a decimal number; blanks and newlines around it do not
// matter.
[[nodiscard]] Result<Pid> parse_bare_pid(std::string_view text);

// Parses gateway.pid and gateway.lock: {"pid": 7, "start_time": 123, "hermes_home": "/...", ...},
// or only a number (older writers). start_time is a recorded_start(), null, or absent.
struct GatewayRecord {
    Pid pid = 0;
    std::optional<std::uint64_t> start_ticks;
    std::optional<double> start_epoch = std::nullopt;
    std::string home = {};  // empty: not recorded

    bool operator==(const GatewayRecord&) const = default;
};
[[nodiscard]] Result<GatewayRecord> parse_gateway_record(std::string_view text);

// Parses host-ROLE.json: {"role": "gateway", "pid": 7, "createTime": epoch, "profiles": ["default",
// ...], "protocolVersion": 1, ...}. Another version is not in its form: what it means is not known.
struct HostRecord {
    Pid pid = 0;
    std::optional<double> start_epoch;  // null where its writer could not tell
    std::size_t profiles = 0;           // that it serves

    bool operator==(const HostRecord&) const = default;
};
[[nodiscard]] Result<HostRecord> parse_host_record(std::string_view text);

// Parses gateway-starts.log: the moment of each start in seconds since 1970, one in a line. Lines
// that are not numbers are left out.
[[nodiscard]] std::vector<double> parse_gateway_starts(std::string_view text);

// Parses bridge.pid of WhatsApp: a line with the pid and perhaps a line with its recorded_start().
[[nodiscard]] Result<GatewayRecord> parse_whatsapp_pid(std::string_view text);

// Parses viewer-start.lock/owner: pid=7 started_at=epoch
[[nodiscard]] Result<Pid> parse_viewer_lock(std::string_view text);

// Parses backend.lock.json and owner.json: {"pid": 7, ...}
[[nodiscard]] Result<Pid> parse_desktop_lock(std::string_view text);

// The three files below are read within the limits of record_reader.hpp. Entries come sorted by
// pid, equal ones once.

// Parses spawn-ledger.json: [{"pid": 7, "create_time": epoch, "spawner_pid": 6, "spawner_create":
// epoch, ...}, ...]
struct LedgerEntry {
    Pid pid = 0;
    std::optional<double> start_epoch;
    Pid spawner = 0;  // 0: not recorded
    std::optional<double> spawner_start_epoch;
    // Some of these files record ticks instead of an epoch, where they are written on Linux.
    std::optional<std::uint64_t> start_ticks = std::nullopt;
    std::optional<std::uint64_t> spawner_start_ticks = std::nullopt;

    auto operator<=>(const LedgerEntry&) const = default;
};
struct Ledger {
    std::vector<LedgerEntry> entries;
    std::size_t malformed = 0;  // entries that could not be parsed

    bool operator==(const Ledger&) const = default;
};
[[nodiscard]] Result<Ledger> parse_ledger(std::string_view text);

// Parses headless-bridges.json: {"bridges": [{"pid": 7, "parentPid": 6, "startedAt": epoch, ...},
// ...]}
[[nodiscard]] Result<Ledger> parse_headless_registry(std::string_view text);

// Parses processes.json: [{"pid": 7, "pid_scope": "host", "host_start_time": ticks, "owner_pid": 6,
// "owner_started_at": ticks, ...}, ...] Skips entries of any other scope: they hold pids of a
// container.
[[nodiscard]] Result<Ledger> parse_process_registry(std::string_view text);

// Parses dashboard-compute-host.json: {"host_pid": 7, "process_start_time": 70, "owner_pid": 6,
// "owner_start_time": 60, ...}, each start a recorded_start(). Older writers record only the pid.
[[nodiscard]] Result<LedgerEntry> parse_compute_host_registry(std::string_view text);

// Parses .active.json of meetings: {"pid": 7, "pid_start_time": 123, ...}, the start as in
// gateway.pid.
[[nodiscard]] Result<GatewayRecord> parse_meet_bot_record(std::string_view text);

// Parses .hermes-update-in-progress: a line with the pid of the updater and a line with unix
// seconds; what follows does not matter.
struct UpdateMarker {
    Pid pid = 0;
    double epoch = 0;

    bool operator==(const UpdateMarker&) const = default;
};
[[nodiscard]] Result<UpdateMarker> parse_update_marker(std::string_view text);

}  // namespace reaper::scanner
