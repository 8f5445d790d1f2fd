// The facts: everything that one look at the machine found, and nothing that was decided. The
// policy never asks the system for more.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scanner/model/process.hpp"

namespace reaper::scanner {

struct Machine {
    std::string name;
    std::string os;      // "linux", or "darwin": macOS
    std::string kernel;  // release
    std::string boot_id;
    std::uint64_t pid_namespace = 0;
    Pid self = 0;
    Uid uid = 0;                     // effective uid of this program
    std::vector<Pid> own_ancestors;  // parent first, up to pid 1
    bool knows_ancestors = true;     // own_ancestors is complete; if not, any process may be one
    std::uint32_t ticks_per_second = 100;
    std::uint64_t now_ticks = 0;  // since boot, in the clock of start_ticks
    // Wall clock at the same moment. Only compared with times that files record.
    double now_epoch = 0;
    bool hides_processes = false;  // /proc is mounted with hidepid, and this program is not exempt
    // One process can be signalled and no other: pidfd_open works; on macOS audit tokens do.
    // Without it nothing may be signalled.
    bool has_handles = true;

    bool operator==(const Machine&) const = default;
};

// True for the facts of a Mac, whatever system judges them.
[[nodiscard]] inline bool is_mac(const Machine& machine) {
    return machine.os == "darwin";
}

struct ScanCount {
    std::size_t seen = 0;      // rows of the table
    std::size_t vanished = 0;  // went away while it was read: normal
    std::size_t denied = 0;    // processes of the scope with something that could not be read
    std::size_t foreign = 0;   // skipped: they belong to a user outside the scope

    bool operator==(const ScanCount&) const = default;
};

// The kind of file that a claim was read from: a pid, lock or ledger file that names processes. A
// claim can only ever protect a process, never condemn it.
enum class ClaimKind {
    bridge_pid,  // <home>/daemon/bridge.pid: the designated daemon
    // <home>/daemon/bridge-stdio*.pid: written by every headless bridge; protects nothing
    bridge_stdio_pid,
    gateway_pid,    // $HERMES_HOME/gateway.pid
    desktop_lock,   // ~/.hermes/desktop-ssh/*/backend.lock.json
    ledger,         // spawn-ledger.json
    update_marker,  // .hermes-update-in-progress: its pid is the updater
    // <plugin root>/daemon/headless-bridges.json: a bridge, and the host that started it
    headless_registry,
    // $HERMES_HOME/processes.json: a process with its pid on this machine, and its owner
    process_registry,
    // <socket folder>/*.owner_pid: the process that started all that serve this folder
    browser_owner,
    // $HERMES_HOME/state/dashboard-compute-host.json: a compute host, and what started it
    compute_host_registry,
    meet_bot_record,  // $HERMES_HOME/workspace/meetings/.active.json: the bot in the meeting
    proxy_pid,        // $HERMES_HOME/proxy/iron-proxy.pid: the proxy of this home
    // Only `pidfiles` reads these; they protect nothing.
    gateway_lock,         // $HERMES_HOME/gateway.lock: the gateway holds a flock on it
    gateway_scope_lock,   // ~/.local/state/hermes/gateway-locks/*.lock
    viewer_lock,          // <data home>/daemon/viewer-start.lock/owner
    whatsapp_bridge_pid,  // $HERMES_HOME/whatsapp/session/bridge.pid: of another bridge
    // ~/.openclaw/memos-plugin/daemon/openclaw-runtime.lock/owner.json: of another agent
    openclaw_lock,
    // ~/.local/state/hermes/gateway-locks/host-ROLE.json: the one gateway or server of a user
    host_record,
    host_lock,  // host-ROLE.lock beside it: that process holds a flock on it
};

struct Claim {
    ClaimKind kind = ClaimKind::bridge_pid;
    std::string path;
    std::string home;  // the data home, Hermes home or plugin root that the file lives in
    // the user whose folders it was found in: it protects only that user's processes
    Uid scope = 0;
    Uid owner = 0;  // of the file
    Access access = Access::not_read;
    Pid pid = 0;                               // the process that it names
    std::optional<std::uint64_t> start_ticks;  // recorded start, where the file has one in ticks
    // The recorded start, where the file has one in wall clock seconds.
    std::optional<double> start_epoch;
    double written_epoch = 0;   // mtime
    Reading<ProcessRow> named;  // the process that has this pid now; gone: no process has it
    Pid spawner = 0;            // ledger and registries; 0: not recorded
    std::optional<double> spawner_start_epoch;  // ledger only
    Reading<ProcessRow> spawner_row;            // the process that has the spawner's pid now
    std::optional<std::uint64_t> spawner_start_ticks = std::nullopt;  // some registries

    bool operator==(const Claim&) const = default;
};

// A file with claims as it was when it was read. As long as it is unchanged it need not be read
// again.
struct ClaimMark {
    std::string path;
    Uid scope = 0;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    std::int64_t changed_s = 0;  // ctime
    std::int64_t changed_ns = 0;
    // Not changed within two seconds before it was read, so a later change shows in its ctime.
    bool settled = false;

    bool operator==(const ClaimMark&) const = default;
};

struct Facts {
    Machine machine;
    ScanCount count;
    std::vector<ProcessFacts> candidates;  // by pid
    // Parents, ancestors and recorded owners of candidates, by pid.
    std::vector<ProcessRow> relatives;
    std::vector<Pid> unread;  // relatives that could not be read, although they may exist
    // Relatives whose command line only runs a candidate; that command line is not kept here.
    std::vector<Pid> wrappers;
    // Those of them that do nothing else, neither before nor after, and end with it.
    std::vector<Pid> plain_wrappers;
    std::vector<Claim> claims;  // by path
    // Of the files of these claims and of files without a claim, by path.
    std::vector<ClaimMark> claim_marks;
    // From the homes that members name, and the paths that rules protect, to the same path without
    // links, "." and "..".
    std::map<std::string, std::string> real_paths;
    std::vector<Uid> scope_uids;  // the users whose processes were read; empty: all users
    // Processes below those that are to be ended, without the candidates, by pid.
    std::vector<ProcessFacts> descendants;
    std::vector<Pid> unseen_below;  // processes whose descendants could not all be read
    // Paths under a user's control that did not answer in time and were left out.
    std::vector<std::string> unanswered;

    bool operator==(const Facts&) const = default;
};

}  // namespace reaper::scanner
