#include "agent/option_table.hpp"

#include <algorithm>
#include <array>

namespace reaper::agent {

namespace {

constexpr std::string_view kScope = "Which processes";
constexpr std::string_view kPast = "What is shown";
constexpr std::string_view kDoing = "What is done";
constexpr std::string_view kEnding = "How they are ended";
constexpr std::string_view kWatching = "How watch watches";
constexpr std::string_view kOutput = "Output";
constexpr std::string_view kOther = "Other";

constexpr std::string_view kAboutProcesses = "report sweep preflight watch explain rules";
constexpr std::string_view kLooking = "report sweep preflight watch explain rules pidfiles";
constexpr std::string_view kSweeping = "sweep preflight watch";
constexpr std::string_view kGraceful = "sweep preflight run watch";
constexpr std::string_view kChanging = "sweep preflight pidfiles";
constexpr std::string_view kRecording = "sweep preflight watch pidfiles";

constexpr std::array kOptions = {
    OptionInfo{OptionId::home, kScope, "--home", "", "DIR", "a folder", true, kLooking,
               "only helpers that serve this data home; repeatable"},
    OptionInfo{OptionId::family, kScope, "--family", "", "NAME", "the name of a family or pack", true, kAboutProcesses,
               "only these helpers: a family, or a pack of them; switches them on; repeatable"},
    OptionInfo{OptionId::user, kScope, "--user", "", "NAME", "a user's name", false, kLooking,
               "only processes of this user (default: the one who runs this)"},
    OptionInfo{OptionId::all_users, kScope, "--all-users", "", "", "", false, kLooking,
               "processes of every user; needs root to see them completely"},
    OptionInfo{OptionId::min_age, kScope, "--min-age", "", "DUR", "a duration", false, kAboutProcesses,
               "leave younger processes alone (default: by family)"},
    OptionInfo{OptionId::reap, kScope, "--reap", "", "LIST", "a list", true, kAboutProcesses,
               "also end these, which are only reported otherwise: abandoned, duplicate, held, in-service "
               "(comma-separated)"},
    OptionInfo{OptionId::config, kScope, "--config", "", "FILE", "a file", false, kLooking,
               "one more rule file, laid over the others (see 'rules --help')"},
    OptionInfo{OptionId::from_facts, kScope, "--from-facts", "", "FILE", "a file", false, "report explain",
               "judge what --facts wrote, on this or another machine, instead of looking (report, explain)"},
    OptionInfo{OptionId::since, kPast, "--since", "", "DUR", "a duration", false, "history",
               "only what was done in that time (default: 7d)"},
    OptionInfo{OptionId::clean, kDoing, "--clean", "", "", "", false, "pidfiles",
               "remove the files that are provably stale, and nothing else"},
    OptionInfo{OptionId::dry_run, kDoing, "--dry-run", "", "", "", false, kChanging, "decide everything, do nothing"},
    OptionInfo{OptionId::no_history, kDoing, "--no-history", "", "", "", false, kRecording,
               "do not keep a record of what was ended or removed"},
    OptionInfo{OptionId::max_kills, kEnding, "--max-kills", "", "N", "a number from 1 up", false, kSweeping,
               "refuse to end anything when more than N would have to end (default: 256)"},
    OptionInfo{OptionId::settle, kEnding, "--settle", "", "DUR", "a duration", false, kSweeping,
               "time between the first and the second look (default: 2s)"},
    OptionInfo{OptionId::lock_wait, kEnding, "--lock-wait", "", "DUR", "a duration", false, kSweeping,
               "how long to wait for another sweep of these processes (default: 1m)"},
    OptionInfo{OptionId::grace, kEnding, "--grace", "", "DUR", "a duration", false, kGraceful,
               "time between TERM and KILL (default: by family)"},
    OptionInfo{OptionId::grace_cap, kEnding, "--grace-cap", "", "DUR", "a duration", false, kGraceful,
               "longest grace while a database is still being written (default: by family)"},
    OptionInfo{OptionId::timeout, kEnding, "--timeout", "", "DUR", "a duration", false, "preflight",
               "how long preflight may take, before what it starts (default: 5m)"},
    OptionInfo{OptionId::parent, kEnding, "--parent", "", "PID", "a pid", false, "run",
               "the host that run's helper ends with (default: the caller)"},
    OptionInfo{OptionId::idle, kEnding, "--idle", "", "DUR", "a duration", false, "run",
               "end run's helper also when nothing went through its stdin and stdout for so long"},
    OptionInfo{OptionId::interval, kWatching, "--interval", "", "DUR", "a duration", false, "watch",
               "time between two looks at everything (default: 1m)"},
    OptionInfo{OptionId::events, kWatching, "--events", "", "HOW", "auto, pidfd, connector or scan", false, "watch",
               "how watch learns that a host died: auto (default), pidfd, connector or scan"},
    OptionInfo{OptionId::census, kWatching, "--census", "", "FILE", "a file", false, "watch",
               "append how many helpers each host has, at every look and change"},
    OptionInfo{OptionId::report_only, kWatching, "--report-only", "", "", "", false, "watch",
               "say what would be ended, end nothing"},
    OptionInfo{OptionId::json, kOutput, "--json", "", "", "", false, {}, "the same as --format json"},
    OptionInfo{OptionId::format,
               kOutput,
               "--format",
               "",
               "FORMAT",
               "text, json, jsonl, prometheus or html",
               false,
               {},
               "text (default), json, jsonl, prometheus or html"},
    OptionInfo{OptionId::output,
               kOutput,
               "--output",
               "-o",
               "FILE",
               "a file",
               false,
               {},
               "write the report there instead of to stdout"},
    OptionInfo{OptionId::facts, kOutput, "--facts", "", "FILE", "a file", false, "report",
               "also write down everything that was found, without secrets, for a bug report (report)"},
    OptionInfo{OptionId::quiet,
               kOutput,
               "--quiet",
               "-q",
               "",
               "",
               false,
               {},
               "one line when something is wrong, nothing otherwise"},
    OptionInfo{
        OptionId::verbose, kOutput, "--verbose", "-v", "", "", false, {}, "every process with all of its evidence"},
    OptionInfo{OptionId::color,
               kOutput,
               "--color",
               "",
               "WHEN",
               "auto, always or never",
               false,
               {},
               "auto (default), always or never"},
    OptionInfo{OptionId::help, kOther, "--help", "-h", "", "", false, {}, "this text"},
    OptionInfo{OptionId::version, kOther, "--version", "", "", "", false, {}, "the version"},
};

constexpr std::array kCommands = {
    CommandInfo{Command::report, "report", "", "what leaked and why; changes nothing (the default)"},
    CommandInfo{Command::sweep, "sweep", "", "end what leaked; --dry-run only says what would end"},
    CommandInfo{
        Command::preflight, "preflight", "[-- COMMAND...]",
        "before an update: sweep, remove stale files, and say 'ready' or what is in the way; run COMMAND when ready",
        true},
    CommandInfo{Command::run, "run", "-- COMMAND...",
                "start a helper that cannot outlive its host: it ends, with all that it started, when the host does",
                true},
    CommandInfo{Command::watch, "watch", "", "stay, and end what a host leaves behind as soon as it has died"},
    CommandInfo{Command::explain, "explain", "PID...", "every fact and every rule that decided about a process"},
    CommandInfo{Command::rules, "rules", "[show]|check FILE",
                "the rules in effect and where each comes from; or what a rule file would change"},
    CommandInfo{Command::pid_files, "pidfiles", "",
                "pid and lock files and what they really name; --clean removes the stale ones"},
    CommandInfo{Command::history, "history", "", "what was done, why, and how much memory came back"},
};

}  // namespace

std::span<const OptionInfo> option_table() {
    return kOptions;
}

std::span<const CommandInfo> command_table() {
    return kCommands;
}

std::string_view name_of(Command command) {
    for (const CommandInfo& info : kCommands) {
        if (info.command == command) return info.name;
    }
    return "report";
}

bool starts_program(Command command) {
    return std::ranges::any_of(
        kCommands, [command](const CommandInfo& info) { return info.command == command && info.starts_program; });
}

bool is_for(const OptionInfo& option, Command command) {
    std::string_view rest = option.only;
    if (rest.empty()) return true;
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        if (word == name_of(command)) return true;
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return false;
}

}  // namespace reaper::agent
