// What the command line asked for: plain values. parse() fills all of them in; each command takes
// the parts that it is about, and passes on no more.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/rules/verdict.hpp"
#include "scanner/model/identity.hpp"

namespace reaper::agent {

enum class Command {
    report,
    sweep,
    preflight,
    run,
    watch,
    explain,
    rules,
    pid_files,
    history,
    doctor,
    schedule,
    merge,
    hooks,
    mcp
};
// In the order of the words in the table of options; so are the next two.
enum class Format { text, json, jsonl, prometheus, html };
enum class Events { automatic, pidfd, connector, scan };
// Automatic: by the terminal and NO_COLOR.
enum class Color { automatic, always, never };

// Which processes, and by which rules.
struct ScopeOptions {
    std::string config;
    std::string rule_file;   // rules check; empty: rules show
    std::string from_facts;  // where to read the facts, instead of looking at the machine
    std::vector<std::string> homes;
    std::vector<std::string> families;
    std::string under;               // empty: not asked for
    std::vector<std::string> packs;  // that are switched on besides
    bool lists_others = false;       // what is off is listed apart, as that of other hosts
    std::string user;
    bool all_users = false;
    // None: by the rules of the family. So are the next two.
    std::optional<std::chrono::milliseconds> min_age;
    std::optional<std::chrono::milliseconds> grace;
    std::optional<std::chrono::milliseconds> grace_cap;
    std::set<policy::Verdict> also_reap;  // besides what the rules say
    bool reap_inside_services = false;
};

// What is printed, about which command, and where.
struct OutputOptions {
    Command command = Command::report;
    Format format = Format::text;
    std::string output;  // empty: stdout
    bool quiet = false;
    bool verbose = false;
    Color color = Color::automatic;
};

// A report takes them too: it plans as a sweep does.
struct SweepOptions : ScopeOptions, OutputOptions {
    bool dry_run = false;
    bool no_history = false;
    bool notify = false;  // the desktop of the user, of what was ended
    std::string from;     // what asked for it, for the history and the journal; empty: not said
    std::chrono::milliseconds settle{2000};
    std::chrono::milliseconds lock_wait{60'000};  // for another sweep to end
    std::size_t max_kills = 256;
};

// A watch sweeps by the same options, with dry_run where report_only asks for it.
struct WatchOptions : SweepOptions {
    std::chrono::milliseconds interval{60'000};  // between two looks
    Events events = Events::automatic;           // how it learns that a host died
    std::string census;  // where to write how many there are; empty: nowhere
    bool report_only = false;
};

// The next are what a single command reads besides.
struct DetachOptions {
    bool detach = false;
    std::string after;  // "host" or a pid; empty: the host, where the rules know one
    std::optional<std::chrono::milliseconds> at_most_every;  // none: as often as it is asked for
};
struct ReportOptions {
    std::string facts;  // where to write them; empty: nowhere
};
struct ExplainOptions {
    std::vector<scanner::Pid> pids;
};
struct PidFilesOptions {
    bool clean = false;
};
struct HistoryOptions {
    std::chrono::milliseconds since = std::chrono::hours(7 * 24);
};
struct DoctorOptions {
    bool strict = false;  // warnings count as failures
};
struct PreflightOptions {
    std::chrono::milliseconds timeout{300'000};
    std::vector<std::string> when_ready;  // what to run then
};
struct RunOptions {
    std::vector<std::string> program;
    std::optional<scanner::Pid> parent;             // none: the caller
    std::optional<std::chrono::milliseconds> idle;  // none: it may be idle for ever
};
struct MergeOptions {
    std::vector<std::string> reports;  // files; "-": stdin
};
struct McpOptions {
    bool allow_sweep = false;  // the tool `sweep` is offered
    bool as_root = false;      // also to root
};
struct ScheduleOptions {
    std::string task;  // install, remove or status
    std::chrono::milliseconds every{300'000};
    bool as_watch = false;     // the service that stays, instead of a timer
    bool for_system = false;   // by the system's manager or crontab
    bool by_cron = false;      // also where systemd is
    bool with_linger = false;  // so that timers run while the user is logged out
};
struct HooksOptions {
    std::string hooks_task;               // install, remove or status
    std::vector<std::string> hook_hosts;  // empty: every one that is there
    bool yes = false;                     // do not ask
};

// All of them, as parse() returns them. Nothing but the choice of the command takes this.
struct Options : WatchOptions,
                 DetachOptions,
                 ReportOptions,
                 ExplainOptions,
                 PidFilesOptions,
                 HistoryOptions,
                 DoctorOptions,
                 PreflightOptions,
                 RunOptions,
                 MergeOptions,
                 ScheduleOptions,
                 HooksOptions,
                 McpOptions {};

}  // namespace reaper::agent
