// What is known of one process at one moment. Plain values: the scanner fills them in, the policy
// reads them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scanner/model/identity.hpp"
#include "scanner/model/reading.hpp"

namespace reaper::scanner {

struct Uids {
    Uid real = 0;
    Uid effective = 0;
    Uid saved = 0;
    Uid filesystem = 0;

    bool operator==(const Uids&) const = default;
};

// argv as bytes, split at NUL only. Truncated: longer than the scanner reads (64 KiB), so never a
// reason to end a process.
struct CommandLine {
    std::vector<std::string> argv;
    bool truncated = false;

    bool operator==(const CommandLine&) const = default;
};

// One row of the process table: all that is read of a parent, an ancestor or a recorded owner.
struct ProcessRow {
    Pid pid = 0;
    Pid ppid = 0;
    Pid pgrp = 0;
    Pid session = 0;
    std::int32_t tty = 0;  // tty_nr; 0: no controlling terminal
    char state = '?';      // R S D Z T t X I ...
    // A zombie with more than one thread is a process whose main thread has ended.
    std::int64_t threads = 1;
    bool kernel_thread = false;
    bool forked = false;  // it started no program itself: argv and environment are its parent's
    std::uint64_t start_ticks = 0;
    Uid uid = 0;       // effective uid
    std::string comm;  // as the process set it: raw bytes, never matched on
    // Target of the exe link, without the " (deleted)" of an inode that has no name.
    Reading<std::string> exe;
    Reading<CommandLine> command_line;
    Reading<std::string> cgroup;  // path in the systemd (or unified) hierarchy

    bool operator==(const ProcessRow&) const = default;
};

enum class EndKind { closed, pipe, socket, fifo, null_device, terminal, file, other };
enum class PeerState { alive, dead, unknown };

// One end of the stdio of a process. A peer is `dead` only if nothing can ever write to stdin or
// read from stdout again (of a terminal: its master is closed). `unknown`: a kind without another
// end (files, /dev/null, named FIFOs), or it could not be probed.
struct StdioEnd {
    EndKind kind = EndKind::other;
    PeerState peer = PeerState::unknown;
    std::uint64_t inode = 0;
    // Other processes that hold the far end. Read only for a live stdin of an orphan.
    std::vector<Pid> holders;

    bool operator==(const StdioEnd&) const = default;
};

struct Listener {
    std::string transport;   // "tcp", "tcp6", "unix"
    std::string address;     // "127.0.0.1", "::", or the path of a unix socket
    std::uint16_t port = 0;  // 0 for unix
    // The next two are known only of the only socket on which the process listens: of TCP, or unix
    // with a path. The owner only of the latter.
    std::optional<Uid> owner = std::nullopt;  // its creator, where the kernel tells
    // Inodes of the far ends of its connections, accepted or not; of TCP of the near ends.
    Reading<std::vector<std::uint64_t>> clients = {};

    bool operator==(const Listener&) const = default;
};

struct ServiceUnit {
    std::string name;  // leaf unit of the cgroup: "hermes-gateway.service", "session-3.scope"
    bool of_user_manager = false;  // below user@UID.service
    // As the manager answered; 0: the unit has none; absent: it was not asked or did not answer.
    std::optional<Pid> main_pid;
    bool asked = false;   // the manager was asked (main_pid may still be absent: no answer)
    Pid control_pid = 0;  // a process that starts, stops or reloads the unit; 0: none

    bool operator==(const ServiceUnit&) const = default;
};

// What the kernel remembers of the process that started this one, where it remembers that at all.
enum class FirstParent {
    not_told,              // the system does not tell, or it could not be read
    dead,                  // no process has that identity any more
    alive,                 // a process has it now
    launchd,               // launchd started it: it is a job of launchd
    orphan_that_executed,  // an exec after it was adopted replaced its first parent by launchd
    launchd_or_orphan,     // one of the last two: this version of macOS does not tell which
};

// A lease of an environment that Hermes installed: a file below it that a process has locked.
struct Lease {
    std::string install;  // the folder ROOT/installs/KEY
    std::string generation;
    // The generation that new processes of this install use; gone: none was selected yet.
    Reading<std::string> selected;

    bool operator==(const Lease&) const = default;
};

// A candidate: a process that a rule could match, read in depth through one pinned handle.
struct ProcessFacts {
    Identity identity;
    ProcessRow row;
    Reading<Uids> uids;
    // NSpid. More than one entry, or a last entry of 1, means another namespace.
    Reading<std::vector<Pid>> namespace_pids;
    Reading<bool> same_pid_namespace;
    Reading<bool> same_root;  // its root directory is the one of this program
    // The path of its home leads to the same folder for it and for this program.
    Reading<bool> same_home;
    // Folders in which it sees pid, lock or ledger files, while the path leads this program
    // elsewhere.
    Reading<std::vector<std::string>> hidden_records;
    Reading<Pid> tracer;       // 0: it is not traced; -1: it is, by a process that is not known
    Reading<std::string> cwd;  // without " (deleted)", unless the folder really has that name
    bool cwd_deleted = false;  // that folder has no name any more (its link count is 0)
    Reading<std::map<std::string, std::string>> environment;  // only the keys that rules name
    Reading<std::string> script;  // matched script, absolute, as the process sees it
    // "name" of the nearest package.json above the script. gone: the script is there, but no such
    // file.
    Reading<std::string> package;
    Reading<StdioEnd> standard_input;
    Reading<StdioEnd> standard_output;
    Reading<std::vector<Listener>> listeners;
    // Inodes of the first of its sockets that do not listen.
    std::vector<std::uint64_t> sockets;
    bool frozen = false;                           // stopped, or frozen by its cgroup (version 2)
    Reading<ServiceUnit> unit;                     // gone: in no unit, or no systemd here
    Reading<std::vector<std::string>> held_locks;  // paths on which it holds a flock
    // Write-ahead logs that it has open, and that no other process can open any more.
    std::vector<std::string> deleted_databases;
    std::vector<Lease> leases;
    std::uint64_t rss_bytes = 0;   // in RAM
    std::uint64_t swap_bytes = 0;  // swapped out
    std::string user;
    std::string tty_name;
    double cpu_seconds = 0;
    bool exe_deleted = false;
    FirstParent first_parent = FirstParent::not_told;
    // The resource coalition: all that one application or job of launchd has started has the same
    // number, adopted or not. 0: none.
    std::uint64_t coalition = 0;

    bool operator==(const ProcessFacts&) const = default;
};

// Returns what would come back with its end: what reports call memory.
[[nodiscard]] constexpr std::uint64_t memory_bytes(const ProcessFacts& process) {
    return process.rss_bytes + process.swap_bytes;
}

}  // namespace reaper::scanner
