// Everything that one look at the machine found: the only input of the policy, apart from the rules. Can be written to a file and judged
// again elsewhere; the policy never asks the system for more.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scanner/process.hpp"

namespace reaper::scanner {

struct Machine {
    std::string name;
    std::string os;      // "linux"
    std::string kernel;  // release
    std::string boot_id;
    std::uint64_t pid_namespace = 0;
    Pid self = 0;
    Uid uid = 0;                     // effective uid of this program
    std::vector<Pid> own_ancestors;  // parent first, up to pid 1
    bool knows_ancestors = true;     // own_ancestors has them all; otherwise any process may be one
    std::uint32_t ticks_per_second = 100;
    std::uint64_t now_ticks = 0;   // since boot, in the clock of start_ticks
    double now_epoch = 0;          // wall clock at the same moment; only to compare with times that files record
    bool hides_processes = false;  // /proc is mounted with hidepid, and this program is not exempt
    bool has_handles = true;       // pidfd_open works; without it nothing may be signalled

    bool operator==(const Machine&) const = default;
};

struct ScanCount {
    std::size_t seen = 0;      // rows of the table
    std::size_t vanished = 0;  // went away while being looked at: normal
    std::size_t denied = 0;    // processes of the scope of which something needed could not be read
    std::size_t foreign = 0;   // skipped, because they belong to a user outside the scope

    bool operator==(const ScanCount&) const = default;
};

// What a pid, lock or ledger file says of a process. A claim can only ever protect.
enum class ClaimKind {
    bridge_pid,         // <home>/daemon/bridge.pid: the designated daemon
    bridge_stdio_pid,   // <home>/daemon/bridge-stdio*.pid: written by every headless bridge; protects nobody
    gateway_pid,        // $HERMES_HOME/gateway.pid
    desktop_lock,       // ~/.hermes/desktop-ssh/*/backend.lock.json
    ledger,             // spawn-ledger.json
    update_marker,      // .hermes-update-in-progress: its pid is the updater
    headless_registry,  // <plugin root>/daemon/headless-bridges.json: a bridge, and the host that started it
    process_registry,   // $HERMES_HOME/processes.json: a process of this machine's own pids, and its owner
    browser_owner,      // <socket folder>/*.owner_pid: who started all that serve this folder; names nobody else
    // Only `pidfiles` looks at these; they protect nobody.
    gateway_lock,         // $HERMES_HOME/gateway.lock: who holds a flock on it is the gateway
    gateway_scope_lock,   // ~/.local/state/hermes/gateway-locks/*.lock
    viewer_lock,          // <data home>/daemon/viewer-start.lock/owner
    whatsapp_bridge_pid,  // $HERMES_HOME/whatsapp/session/bridge.pid: of another bridge
    openclaw_lock,        // ~/.openclaw/memos-plugin/daemon/openclaw-runtime.lock/owner.json: of another agent
};

struct Claim {
    ClaimKind kind = ClaimKind::bridge_pid;
    std::string path;
    std::string home;  // the data home, Hermes home or plugin root that the file lives in
    Uid scope = 0;     // whose folders it was looked for in: it speaks of that user's processes only
    Uid owner = 0;     // of the file
    Access access = Access::not_read;
    Pid pid = 0;                                // whom it names
    std::optional<std::uint64_t> start_ticks;   // recorded start, where the file has one in ticks
    std::optional<double> start_epoch;          // recorded start, where the file has one in wall clock seconds
    double written_epoch = 0;                   // mtime
    Reading<ProcessRow> named;                  // the process that has this pid now; gone: nobody has
    Pid spawner = 0;                            // ledger and registries; 0: not recorded
    std::optional<double> spawner_start_epoch;  // ledger only
    Reading<ProcessRow> spawner_row;            // the process that has the spawner's pid now
    std::optional<std::uint64_t> spawner_start_ticks = std::nullopt;  // process_registry only

    bool operator==(const Claim&) const = default;
};

// What a user protects by a rule file of his own: processes of his of which all is true that is given.
struct Protection {
    Uid uid = 0;
    std::string origin;  // the file
    std::string exe;
    std::vector<std::string> arguments;
    std::string home;

    bool operator==(const Protection&) const = default;
};

// A user whose own rule files do not count, as they could not be read, say.
struct UntoldUser {
    Uid uid = 0;
    std::string why;

    bool operator==(const UntoldUser&) const = default;
};

// Helpers of one family and home that were ended again and again, and started again each time: as the history has it.
struct Keepalive {
    Uid uid = 0;  // of the helpers
    std::string family;
    std::string home;
    Pid host = 0;  // who starts them; 0: nobody knows
    std::uint64_t host_start_ticks = 0;
    std::string host_command;      // as it may be told
    std::size_t ends = 0;          // after each of which one was started again
    std::uint64_t last_ticks = 0;  // of the last of these ends, in the clock of start_ticks

    bool operator==(const Keepalive&) const = default;
};

struct Facts {
    Machine machine;
    ScanCount count;
    std::vector<ProcessFacts> candidates;  // by pid
    std::vector<ProcessRow> relatives;     // parents, ancestors and recorded owners of candidates, by pid
    std::vector<Pid> unread;               // looked up as relatives, and neither read nor found to be gone
    std::vector<Pid> wrappers;             // relatives that merely run a candidate, by words that are not kept here
    std::vector<Claim> claims;             // by path
    std::map<std::string, std::string>
        real_paths;               // homes as members name them, and what rules protect -> without links, "." and ".."
    std::vector<Uid> scope_uids;  // whose processes were looked at; empty: everybody's
    std::vector<Protection> protections;  // of others than who looked, whose own are among his rules
    std::vector<UntoldUser> untold;
    std::vector<Keepalive> keepalives;  // asked for only where somebody is to be ended who could be started again

    bool operator==(const Facts&) const = default;
};

}  // namespace reaper::scanner
