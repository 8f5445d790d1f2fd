#include "agent/cli/option_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "agent/cli/values.hpp"

namespace reaper::agent {

namespace {

constexpr std::string_view kScope = "Which processes";
constexpr std::string_view kPast = "What is shown";
constexpr std::string_view kDoing = "What is done";
constexpr std::string_view kEnding = "How they are ended";
constexpr std::string_view kDetaching = "How a sweep is handed over";
constexpr std::string_view kWatching = "How watch watches";
constexpr std::string_view kChecking = "What doctor expects";
constexpr std::string_view kScheduling = "How it is scheduled";
constexpr std::string_view kHooking = "Hooks of agent hosts";
constexpr std::string_view kServing = "What mcp offers";
constexpr std::string_view kOther = "Other";

constexpr std::string_view kAboutProcesses = "report sweep preflight watch explain rules";
constexpr std::string_view kLooking = "report sweep preflight watch explain rules pidfiles";
constexpr std::string_view kPlaces = "report sweep preflight watch explain rules pidfiles doctor";
constexpr std::string_view kUsers =
    "report sweep preflight watch explain rules pidfiles doctor schedule";
constexpr std::string_view kConfigured =
    "report sweep preflight watch explain rules pidfiles doctor mcp";
constexpr std::string_view kPacked = "report sweep preflight watch explain rules mcp";
constexpr std::string_view kSweeping = "sweep preflight watch";
constexpr std::string_view kPlanning = "sweep preflight watch mcp";
constexpr std::string_view kGraceful = "sweep preflight run watch";
constexpr std::string_view kFormats = "text json jsonl prometheus html";
constexpr std::string_view kReporting =
    "report sweep preflight explain rules pidfiles history doctor schedule merge hooks";

std::string read_json(const OptionInfo&, std::string_view, Options& options) {
    options.format = Format::json;
    return {};
}

std::string read_output(const OptionInfo&, std::string_view word, Options& options) {
    options.output = word == "-" ? "" : word;
    return {};
}

std::string read_reap(const OptionInfo& option, std::string_view list, Options& options) {
    const std::string_view word = list.substr(0, list.find(','));
    if (word == "orphan" || word == "superseded")
        return fmt::format("{}: '{}' is always ended; expected {}", option.name, word,
                           fmt::join(split_words(value_of(option).choices), ", "));
    std::size_t place = 0;
    std::string wrong = find_choice(option, word, place);
    const auto verdict = policy::verdict_from(word);
    if (verdict) options.also_reap.insert(*verdict);
    options.reap_inside_services = options.reap_inside_services || !verdict;
    if (!wrong.empty() || word.size() == list.size()) return wrong;
    return read_reap(option, list.substr(word.size() + 1), options);
}

std::string read_after(const OptionInfo& option, std::string_view word, Options& options) {
    scanner::Pid pid = 0;
    options.after = word;
    return word == "host" ? "" : read_number(option.name, word, value_of(option).expected, pid);
}

// It stands in the history and in the journal.
std::string read_from(const OptionInfo& option, std::string_view word, Options& options) {
    constexpr std::size_t kLongest = 40;
    const auto fits = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
               letter == '-' || letter == '_' || letter == '.';
    };
    options.from = word;
    if (!word.empty() && word.size() <= kLongest && std::ranges::all_of(word, fits)) return {};
    return fmt::format("{}: {}: expected {}", option.name, in_quotes(word),
                       value_of(option).expected);
}

constexpr ValueInfo kValues[] = {
    {"DIR", "a folder", true},
    {"FILE", "a file"},
    {"FAMILY", "the name of a family or pack", true},
    {"PACK", "the name of a pack", true},
    {"USER", "a user's name"},
    {"DUR", "a duration"},
    {"N", "a number from 1 up"},
    {"PID", "a pid, a number from 1 to 2147483647"},
    {"LIST", "a list", true, "abandoned duplicate held in-service"},
    {"FORMAT", "text, json, jsonl, prometheus or html", false, kFormats},
    {"WHEN", "auto, always or never", false, "auto always never"},
    {"HOST", "host, or a pid", false, "host"},
    {"NAME", "a name of small letters, digits, '-', '_' and '.', of 40 at most"},
    {"HOW", "auto, pidfd, connector or scan", false, "auto pidfd connector scan"},
};

// --json stands before --format: the later one decides, and a check compares them.
constexpr OptionInfo kOptions[] = {
    {kScope, "--home", "", "DIR", kPlaces, set<&Options::homes>,
     "only helpers that serve this home or one below it; repeatable"},
    {kScope, "--family", "", "FAMILY", kAboutProcesses, set<&Options::families>,
     "only these helpers: a family, or a pack of them; switches them on; repeatable",
     "They are listed by 'orphan-reaper rules'."},
    {kScope, "--under", "", "DIR", "report sweep explain", set<&Options::under>,
     "only what was started in this folder or below it, whatever it runs: what a project, a "
     "deleted "
     "worktree or a job has left behind",
     "By its working folder, its script or its executable. The folder need not exist any more. A "
     "sweep ends what has lost its host, its input and its output; all else is reported."},
    {kScope, "--with", "", "PACK", kPacked, set<&Options::packs>,
     "also what another pack knows: agents, the helpers of Claude Code, Codex, Gemini CLI and "
     "others; repeatable",
     "Without it a report lists that pack in a section of its own, and no other command looks at "
     "it."},
    {kScope, "--user", "", "USER", kUsers, set<&Options::user>,
     "only processes of this user (default: the user that runs this)",
     "For schedule, with --system: whose processes are swept (default: the user that called "
     "sudo)."},
    {kScope, "--all-users", "", "", kLooking, set<&Options::all_users>,
     "processes of every user; needs root to see them completely"},
    {kScope, "--min-age", "", "DUR", kAboutProcesses, set<&Options::min_age>,
     "leave younger processes alone (default: by family)",
     "The default is min_age of the family in orphan-reaper-rules(5)."},
    {kScope, "--reap", "", "LIST", kAboutProcesses, read_reap,
     "also end these, which are only reported otherwise: abandoned, duplicate, held, in-service "
     "(comma-separated)",
     "in-service: orphans in the cgroup of a service that are not the service."},
    {kScope, "--config", "", "FILE", kConfigured, set<&Options::config>,
     "one more rule file, laid over the others (see 'rules --help')"},
    {kScope, "--from-facts", "", "FILE", "report explain", set<&Options::from_facts>,
     "judge what --facts wrote, on this or another machine, instead of looking (report, explain)",
     "Whose processes are judged is part of the file."},
    {kPast, "--since", "", "DUR", "history", set<&Options::since>,
     "only what was done in that time (default: 7d)",
     "What is dated later than now, as it is when the clock was stepped back, is shown too, and a "
     "remark says how much it is."},
    {kDoing, "--clean", "", "", "pidfiles", set<&Options::clean>,
     "remove the files that are provably stale, and nothing else"},
    {kDoing, "--dry-run", "", "", "sweep preflight pidfiles schedule hooks", set<&Options::dry_run>,
     "decide everything, do nothing"},
    {kDoing, "--no-history", "", "", "sweep preflight watch pidfiles", set<&Options::no_history>,
     "do not keep a record of what was ended or removed",
     "Later runs do not notice what is started again after such an end."},
    {kDoing, "--notify", "", "", "sweep watch", set<&Options::notify>,
     "tell your desktop in one line what was ended and why; without a desktop nothing happens",
     "Only of your own processes, at most once in a sweep, and not when nothing was ended."},
    {kEnding, "--max-kills", "", "N", kPlanning, set<&Options::max_kills>,
     "refuse to end anything of a user of whom more than N would have to end (default: 256)"},
    {kEnding, "--settle", "", "DUR", kSweeping, set<&Options::settle>,
     "time between the first and the second look (default: 2s)"},
    {kEnding, "--lock-wait", "", "DUR", kSweeping, set<&Options::lock_wait>,
     "how long to wait for another sweep of these processes (default: 1m)",
     "0s: not at all. When it is still at work then, nothing is ended, and the report says which "
     "process it is."},
    {kEnding, "--grace", "", "DUR", kGraceful, set_time<&Options::grace>,
     "time between TERM and KILL (default: by family)",
     "It is 30s for a bridge, 3s for a slash_worker or kernel."},
    {kEnding, "--grace-cap", "", "DUR", kGraceful, set_time<&Options::grace_cap>,
     "longest grace while a database is still being written (default: by family)"},
    {kEnding, "--timeout", "", "DUR", "preflight", set_time<&Options::timeout>,
     "how long preflight may take, before what it starts (default: 5m)"},
    {kEnding, "--parent", "", "PID", "run", set<&Options::parent>,
     "the host that run's helper ends with (default: the caller)"},
    {kEnding, "--idle", "", "DUR", "run", set_time<&Options::idle>,
     "end run's helper also when nothing went through its stdin and stdout for so long",
     "Only read(2) and write(2) are seen."},
    {kDetaching, "--detach", "", "", "sweep", set<&Options::detach>,
     "return at once, print nothing, and sweep in the background when the host has ended: for the "
     "hooks of agent hosts",
     "Nothing is started where a watch of this user does the same."},
    {kDetaching, "--after", "", "HOST", "sweep", read_after,
     "what a detached sweep waits for, a minute at most: host, or a pid (default: the host, where "
     "the rules know the program that started the hook)"},
    {kDetaching, "--at-most-every", "", "DUR", "sweep", set_time<&Options::at_most_every>,
     "detached sweeps begin no more often; what is asked for meanwhile is put off, not lost"},
    {kDetaching, "--from", "", "NAME", "sweep", read_from,
     "who asks, as claude-code: the history and the journal name it"},
    {kWatching, "--interval", "", "DUR", "watch", set_time<&Options::interval>,
     "time between two looks at everything (default: 1m)"},
    {kWatching, "--events", "", "HOW", "watch", set<&Options::events>,
     "how watch learns that a host died: auto (default), pidfd, connector or scan"},
    {kWatching, "--census", "", "FILE", "watch", set<&Options::census>,
     "append how many helpers each host has, at every look and change", "Each is a line of JSON."},
    {kWatching, "--report-only", "", "", "watch schedule", set<&Options::report_only>,
     "say what would be ended, end nothing"},
    {kChecking, "--strict", "", "", "doctor", set<&Options::strict>,
     "exit with 1 also where something only warns"},
    {kScheduling, "--every", "", "DUR", "schedule", set<&Options::every>,
     "time between two sweeps, from 1m to 24h (default: 5m)",
     "cron runs only at times that divide an hour or a day."},
    {kScheduling, "--watch", "", "", "schedule", set<&Options::as_watch>,
     "the service that stays and sweeps as hosts die, instead of a timer"},
    {kScheduling, "--system", "", "", "schedule", set<&Options::for_system>,
     "by the system's manager or cron instead of the user's own; needs root"},
    {kScheduling, "--cron", "", "", "schedule", set<&Options::by_cron>,
     "by cron, also where systemd runs"},
    {kScheduling, "--linger", "", "", "schedule", set<&Options::with_linger>,
     "also let the user's services run while the user is logged out (loginctl enable-linger)"},
    {kHooking, "--yes", "-y", "", "hooks", set<&Options::yes>,
     "change the files without asking; what is changed is shown all the same"},
    {kServing, "--allow-sweep", "", "", "mcp", set<&Options::allow_sweep>,
     "also offer the tool that ends what a plan lists, after a person has confirmed it"},
    {kServing, "--as-root", "", "", "mcp", set<&Options::as_root>,
     "let that tool end processes of root, when root runs this"},
    {kOutputGroup, "--json", "", "", kReporting, read_json, "the same as --format json"},
    {kOutputGroup, "--format", "", "FORMAT", kReporting, set<&Options::format>,
     "text (default), json, jsonl, prometheus or html"},
    {kOutputGroup, "--output", "-o", "FILE", kReporting, read_output,
     "write the report there instead of to stdout"},
    {kOutputGroup, "--facts", "", "FILE", "report", set<&Options::facts>,
     "also write down everything that was found, without secrets, for a bug report (report)",
     "The file can be read by its owner only. Arguments that no rule asks for are left out, and "
     "the values of variables that a rule only wants to be set. What other users protect is in "
     "it."},
    {kOutputGroup, "--quiet", "-q", "",
     "report sweep preflight watch explain rules pidfiles history doctor merge",
     set<&Options::quiet>, "one line when something is wrong, nothing otherwise",
     "That line says the first reason why something could not be looked at, did not end or was not "
     "removed. A sweep whose standard error is the journal of systemd also writes a line there for "
     "each process that it has ended, kept from ending, or left although it is leaked."},
    {kOutputGroup, "--verbose", "-v", "",
     "report sweep preflight run watch explain rules pidfiles history doctor schedule merge",
     set<&Options::verbose>, "every process with all of its evidence"},
    {kOutputGroup, "--color", "", "WHEN", kReporting, set<&Options::color>,
     "auto (default), always or never"},
    {kOther, "--help", "-h", "", "", nullptr, "help, also about one command",
     "As in 'orphan-reaper sweep --help'."},
    {kOther, "--version", "", "", "", nullptr, "the version, its commit and libraries"},
};

constexpr CommandInfo kCommands[] = {
    {Command::report, "report", "", kFormats, "what leaked and why; changes nothing (the default)"},
    {Command::sweep, "sweep", "", kFormats, "end what leaked; --dry-run only says what would end"},
    {Command::preflight, "preflight", "[-- COMMAND...]", kFormats,
     "before an update: sweep, remove stale files, and say 'ready' or what is in the way; run "
     "COMMAND when ready",
     true},
    {Command::run, "run", "-- COMMAND...", "",
     "start a helper that cannot outlive its host: it ends, with all that it started, when the "
     "host "
     "does",
     true},
    {Command::watch, "watch", "", "",
     "stay, and end what a host leaves behind as soon as it has died"},
    {Command::explain, "explain", "PID...", "text json jsonl html",
     "every fact and every rule that decided about a process"},
    {Command::rules, "rules", "[show]|check FILE", "text json jsonl",
     "the rules in effect and where each comes from; or what a rule file would change"},
    {Command::pid_files, "pidfiles", "", "text json jsonl",
     "pid and lock files and what they really name; --clean removes the stale ones"},
    {Command::history, "history", "", "text json prometheus html",
     "what was done, why, and how much memory came back"},
    {Command::doctor, "doctor", "", "text json prometheus",
     "can this machine be seen completely, and does something sweep it? what is missing, and the "
     "command that mends it; changes nothing"},
    {Command::schedule, "schedule", "install|remove|status", "text json",
     "sweep every few minutes by a systemd timer or cron; say whether that works"},
    {Command::merge, "merge", "REPORT...", "text json html",
     "one report of many machines, from what 'report --json' printed on each"},
    {Command::hooks, "hooks", "install|remove|status [HOST...]", "text json",
     "let agent hosts ask for a sweep when a session ends: claude-code, codex, gemini, cursor, "
     "opencode, hermes"},
    {Command::mcp, "mcp", "", "",
     "serve an AI agent: reports, explanations and plans as tools of the Model Context Protocol, "
     "over stdin and stdout"},
};

}  // namespace

std::span<const OptionInfo> option_table() {
    return kOptions;
}

std::span<const CommandInfo> command_table() {
    return kCommands;
}

const CommandInfo& info_of(Command command) {
    return *std::ranges::find(kCommands, command, &CommandInfo::command);
}

const ValueInfo& value_of(const OptionInfo& option) {
    return *std::ranges::find(kValues, option.value, &ValueInfo::value);
}

const OptionInfo* find_option(std::string_view word) {
    const auto found = std::ranges::find_if(kOptions, [&](const OptionInfo& option) {
        return !word.empty() && (word == option.name || word == option.letter);
    });
    return found == std::end(kOptions) ? nullptr : found;
}

bool is_for(const OptionInfo& option, Command command) {
    const auto names = split_words(option.only);
    return names.empty() || std::ranges::find(names, info_of(command).name) != names.end();
}

std::vector<std::string_view> split_words(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        words.push_back(text.substr(0, text.find(' ')));
        text.remove_prefix(std::min(words.back().size() + 1, text.size()));
    }
    return words;
}

std::string join_words(std::span<const std::string_view> words, std::string_view last) {
    if (words.size() < 2) return fmt::format("{}", fmt::join(words, ""));
    return fmt::format("{} {} {}", fmt::join(words.first(words.size() - 1), ", "), last,
                       words.back());
}

}  // namespace reaper::agent
