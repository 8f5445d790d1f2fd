// What `doctor` found on this machine: plain values, of which nothing is decided yet.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/doctor/schedule_state.hpp"
#include "scanner/model/diagnosis.hpp"
#include "scanner/model/facts.hpp"

namespace reaper::agent {

// The place of this program on the machine, and its rights.
struct Standing {
    std::uint64_t capabilities = 0;   // effective
    std::optional<int> ptrace_scope;  // of Yama; none: this kernel has no Yama
    std::string container;            // "docker"; empty: none that is known
    bool first_pid_namespace = true;
    bool first_user_namespace = true;
    std::optional<bool> other_root;  // than process 1 has; none: that is not shown
    bool in_service = false;         // of systemd, which may have a /proc of its own
};

// The processes, as one look of a report sees them.
struct Sight {
    std::string trouble;  // not empty: they could not be looked at at all, and why
    scanner::Machine machine;
    scanner::ScanCount count;
    std::vector<std::string> unanswered;  // paths that did not answer in time
    bool managers_hang = false;
    std::map<scanner::Uid, std::string> users_with_unreadable_rules;
    scanner::Diagnosis diagnosis;
};

struct Kernel {
    bool has_pidfs = false;         // each process has an inode of its own
    bool tells_parents = false;     // PIDFD_GET_INFO
    std::optional<bool> connector;  // none: not asked, as only root may
};

struct Threads {
    std::optional<std::uint64_t> used;     // threads of the machine
    std::optional<std::uint64_t> pid_max;  // the lower one of kernel.pid_max and threads-max
};

struct Manager {
    bool runs = false;       // systemd is this machine's
    bool reachable = false;  // the manager of the system, for this user
    bool can_ask = false;    // see can_ask_service_managers(); only where one runs
};

enum class HistoryPlaceState {
    writable,
    nowhere,     // no variable says where
    foreign,     // another user's, or no plain file
    closed,      // its permissions
    read_only,   // its file system
    full,        // its file system
    unanswered,  // its file system
};

// Where the history would be written. Nothing was made there to find out.
struct HistoryFolder {
    std::string folder;
    HistoryPlaceState state = HistoryPlaceState::unanswered;
    std::string place;       // what is in the way: a file, the folder, or one above it
    scanner::Uid owner = 0;  // of that
    bool exists = false;     // that; false: a part of its path is no folder, or does not answer
    // The folder lies in the home recorded for this user, links and all, and this user may enter
    // what is there of its path.
    bool in_home = false;
    std::optional<std::uint64_t> last_end_s = {};  // seconds since something was ended or removed
};

struct HomeState {
    std::string path;
    bool exists = false;
    bool readable = false;
    bool looks_like_hermes = false;

    bool operator==(const HomeState&) const = default;
};

struct OtherProgram {
    std::string path;
    bool trusted = false;  // only this user and root can change it
    std::string version;   // empty: not asked, or no answer
};

// A running `watch` of the scope.
struct RunningWatch {
    scanner::Pid pid = 0;
    bool deleted = false;       // its program was replaced since it started
    bool only_reports = false;  // --report-only
    std::string unit;           // the service that it is; empty: none

    bool operator==(const RunningWatch&) const = default;
};

struct Observations {
    std::string version;  // of this program
    std::string program;  // its path
    scanner::Uid own_uid = 0;
    ScheduleOf whose;            // the user that all of this is about
    std::string around_trouble;  // not empty: the rest but `sight` could not be read, and why
    Standing standing;
    Sight sight;
    Kernel kernel;
    Threads threads;
    Manager manager;
    std::string rules_trouble;
    std::size_t rule_files = 0;
    ScheduleState schedule;
    HistoryFolder history;
    std::string hermes_home;  // of the environment; empty: not set
    std::vector<HomeState> homes;
    std::vector<OtherProgram> others;
    std::vector<RunningWatch> watches;
};

}  // namespace reaper::agent
