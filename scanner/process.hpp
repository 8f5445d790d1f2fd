// What is known of one process at one moment. Plain values: the scanner fills them in, the policy reads them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scanner/identity.hpp"
#include "scanner/reading.hpp"

namespace reaper::scanner {

struct Uids {
    Uid real = 0;
    Uid effective = 0;
    Uid saved = 0;
    Uid filesystem = 0;

    bool operator==(const Uids&) const = default;
};

// argv as bytes, split at NUL only. Truncated: longer than the scanner reads (64 KiB); never a base for a kill.
struct CommandLine {
    std::vector<std::string> argv;
    bool truncated = false;

    bool operator==(const CommandLine&) const = default;
};

// One row of the process table: what a parent, an ancestor or a recorded owner is looked up by.
struct ProcessRow {
    Pid pid = 0;
    Pid ppid = 0;
    Pid pgrp = 0;
    Pid session = 0;
    std::int32_t tty = 0;      // tty_nr; 0: no controlling terminal
    char state = '?';          // R S D Z T t X I ...
    std::int64_t threads = 1;  // a zombie with more than one is a process whose main thread has ended
    bool kernel_thread = false;
    std::uint64_t start_ticks = 0;
    Uid uid = 0;               // effective uid
    std::string comm;          // as the process set it: raw bytes, never matched on
    Reading<std::string> exe;  // target of the exe link, " (deleted)" taken off when the inode has no name
    Reading<CommandLine> command_line;
    Reading<std::string> cgroup;  // path in the systemd (or unified) hierarchy

    bool operator==(const ProcessRow&) const = default;
};

enum class EndKind { closed, pipe, socket, fifo, null_device, terminal, file, other };
enum class PeerState { alive, dead, unknown };

// One end of a process's stdio. A peer is `dead` only when nobody can ever write to (stdin) or read from (stdout) it
// again (a terminal: its master is closed); `unknown` for kinds that have no other end (files, /dev/null, named FIFOs) or that
// could not be probed.
struct StdioEnd {
    EndKind kind = EndKind::other;
    PeerState peer = PeerState::unknown;
    std::uint64_t inode = 0;
    std::vector<Pid>
        holders;  // other processes that hold the far end, where it was looked up (live stdin of an orphan)

    bool operator==(const StdioEnd&) const = default;
};

struct Listener {
    std::string transport;   // "tcp", "tcp6", "unix"
    std::string address;     // "127.0.0.1", "::", or the path of a unix socket
    std::uint16_t port = 0;  // 0 for unix

    bool operator==(const Listener&) const = default;
};

struct ServiceUnit {
    std::string name;              // leaf unit of the cgroup: "hermes-gateway.service", "session-3.scope"
    bool of_user_manager = false;  // below user@UID.service
    std::optional<Pid> main_pid;   // from the manager, where it was asked and answered
    bool asked = false;            // the manager was asked (main_pid may still be absent: no answer)

    bool operator==(const ServiceUnit&) const = default;
};

// A candidate: a process whose exe and argv a family matched, looked at in depth through one pinned handle.
struct ProcessFacts {
    Identity identity;
    ProcessRow row;
    Reading<Uids> uids;
    Reading<std::vector<Pid>> namespace_pids;  // NSpid: more than one entry, or a last entry of 1, is another namespace
    Reading<bool> same_pid_namespace;
    Reading<Pid> tracer;  // 0: nobody traces it
    Reading<std::string> cwd;
    Reading<std::map<std::string, std::string>> environment;  // only the keys that rules name
    Reading<std::string> script;                              // matched script, absolute, as the process sees it
    Reading<std::string> package;  // "name" of the nearest package.json above the script; gone: there is none
    Reading<StdioEnd> standard_input;
    Reading<StdioEnd> standard_output;
    Reading<std::vector<Listener>> listeners;
    Reading<ServiceUnit> unit;                     // gone: in no unit, or no systemd here
    Reading<std::vector<std::string>> held_locks;  // paths on which it holds a flock
    std::vector<std::string> deleted_databases;  // write-ahead logs that it has open and nobody else can find any more
    std::uint64_t rss_bytes = 0;
    std::string user;
    std::string tty_name;
    double cpu_seconds = 0;
    bool exe_deleted = false;

    bool operator==(const ProcessFacts&) const = default;
};

}  // namespace reaper::scanner
