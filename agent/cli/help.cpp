#include "agent/cli/help.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "agent/cli/exit_status_text.hpp"
#include "agent/cli/option_table.hpp"
#include "agent/system/format.hpp"
#include "policy/rules/rules.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kLeft = 24;

constexpr std::string_view kAbout = R"(Usage: orphan-reaper [COMMAND] [OPTIONS]

Finds the helper processes that AI agent hosts leave behind, proves that they
are leaked, ends them, and says why for each one.

Commands:
)";

constexpr std::string_view kTypedHow = R"(
Durations read like 500ms, 30s, 5m, 2h, 7d. Options may stand before or after
the command.

)";

constexpr std::string_view kExamples = R"(Examples:
  orphan-reaper                          what leaked?
  orphan-reaper sweep --dry-run          what would be ended?
  orphan-reaper sweep                    end it
  orphan-reaper run -- COMMAND           start a helper that ends with its host
  orphan-reaper preflight                may 'hermes update' begin? make it so
  orphan-reaper watch                    stay, and end it as it leaks
  orphan-reaper explain 4711             why was that one kept?
  orphan-reaper pidfiles --clean         remove pid files that name no process
  orphan-reaper history                  what was done in the last 7 days?
  orphan-reaper doctor                   is anything missing on this machine?
  orphan-reaper schedule install         sweep every five minutes
  orphan-reaper --json | jq .summary     for scripts

)";

constexpr std::string_view kRules = R"(
  rules [show]       the rules in effect: what is ended, what is only reported,
                     what is off, and which file says so
  rules check FILE   is it a good rule file? what would it change, and which
                     processes match with it? Exit status 0, or 3 when it is not

Rule files are read after the built-in rules, the last one counts:
  /etc/orphan-reaper/rules.d/*.json             by name
  $XDG_CONFIG_HOME/orphan-reaper/rules.d/*.json by name; else ~/.config;
                                                root: always root's own
  --config FILE
Where one of them, or its folder, belongs to or can be written by anybody but
you and root, cannot be read, or has a mistake, nothing is done: exit status 3.
A file says only what it changes; 'rules --json' shows all that can be said.
)";

constexpr std::string_view kPidFiles = R"(
Looks at the files of ~/.hermes, of its profiles, and of the homes that helpers
serve; with --home, only at that home and its profiles. Each file is
  live       the process that it names runs, and is what it says
  stale      provably no such process runs: --clean removes gateway.pid,
             bridge.pid, bridge-stdio*.pid, headless-bridges.json and
             host-*.json then
  malformed  it is not in the form that its writer gives it; kept
  locked     a gateway holds the lock that belongs to it; kept
  foreign    another user's, planted, or not to be looked at; kept
Locks are never removed. While an update runs, nothing is; its marker is removed
when its process is gone, or after 20 minutes where that cannot be seen.
)";

constexpr std::string_view kPreflight = R"(
Ends what leaked, removes stale pid files and looks again. In the way are then
  leak              what did not end, or is only reported
  young             what seems leaked, or a pid file that says nothing, but is
                    too young to be judged; waited for
  stale_file        a stale pid file that could not be removed
  sweep             another sweep at work
  update            an update that runs already
  gateways          more than one gateway of a home
  deleted_database  what writes to a log that is deleted
  occupant          what runs out of the install of Hermes, and is not restarted
                    by an update: a session, a program of yours
Each with its pids and a command that helps; none of it is ended. What this
runs inside of does not count. COMMAND is started only when nothing is in the
way, no sweep interferes meanwhile, and its exit status is passed on.
)";

constexpr std::string_view kRun = R"(
The helper gets stdin, stdout and stderr themselves; its exit status and the
signals that are sent to run pass through; run stops when it does. It ends, with
everything that it started, when the host dies or run is killed, when it leaves
something behind, or, with --idle, when nothing uses its stdin and stdout: TERM,
the grace of its family, KILL. To use is to read(2) or write(2); send and recv
on a socket do not count. --verbose says by what means: a cgroup of its own, or
a child subreaper.

  orphan-reaper run --parent 4711 -- node dist/bridge.mjs --agent=hermes
)";

constexpr std::string_view kWatch = R"(
Sleeps until a host dies, then sweeps for what that has left behind: the same
looks, evidence and grace as 'sweep', after the settle time. What is too young
to be judged is come back for. Every --interval it looks at everything: that
finds new hosts, and what a host did not tell. --events says how it learns that
a host died:
  pidfd      by a handle of each host; needs no privilege
  connector  by that, and hints of the kernel's proc connector: new helpers are
             known within a second; needs CAP_NET_ADMIN in the first pid
             namespace
  scan       not at all; only every --interval
  auto       connector for root where it can be had, else pidfd
What it does is told on stderr and kept in the history. One watch for each user;
another one ends with exit status 5, and says which is at work.
  HUP        read the rules again; where they are broken, the old ones stay
  USR1       say how many helpers each host has
  TERM, INT  stop; nothing else is signalled. 130: a grace period was cut short
)";

constexpr std::string_view kHistory = R"(
What sweep ended and pidfiles --clean removed: why, how, how much memory came
back, what came again; by family and day. Each line was on the disk before the
signal was sent: where what came of it is missing, that sweep was cut off.
The files are history.jsonl and history.jsonl.1 (4 MB each at most), and
runs.jsonl with a line for each sweep, in
  /var/lib/orphan-reaper                 root's
  $XDG_STATE_HOME/orphan-reaper          anybody else's; else ~/.local/state

A unique id reads boot:namespace:pid:inode. To check it by hand:
  cat /proc/sys/kernel/random/boot_id    the boot
  readlink /proc/PID/ns/pid              the pid namespace
  the inode is that of a pidfd; tN, on older kernels, is the start of the
  process in ticks since the boot: field 22 of /proc/PID/stat
)";

constexpr std::string_view kDoctor = R"(
Each line is a check that is
  ok    as it should be
  WARN  it works, but something is missing, or will go wrong
  FAIL  leaks are not found, or not ended, until this is mended
  skip  it does not apply here, or could not be looked at
and below it stands the command that mends it. None of them is run. As root, it
is about root's own processes, or with --user about those of another user.
)";

constexpr std::string_view kSchedule = R"(
  install   a systemd timer of the user, where the user's manager answers; else
            a line in the user's crontab. Then it is checked: the unit is loaded,
            the timer is active, and a report works as it will be run
  remove    takes back what install made; --watch, --cron, --system: only that
  status    what is scheduled, the last run and the next one

A package's units are used as they are; --every and --report-only are files
beside them. Else units are written to ~/.config/systemd/user, or with --system
to /etc/systemd/system. A file that install has not written is never changed.
Refused are programs in temporary folders, build folders and caches of npx and
bunx, and such as other users could change.
)";

constexpr std::string_view kMerge = R"(
Each REPORT is a file, a pipe, or '-' for the standard input, with what 'report',
'sweep' or 'preflight' printed with --json on some machine. Of two reports of the
same command and scope by one system the newer one counts.

  orphan-reaper merge <(ssh one orphan-reaper --json) <(ssh two orphan-reaper --json)
)";

constexpr std::string_view kHooks = R"(
  install   adds one hook to the host's own configuration: when a session ends,
            the host asks for a sweep, which runs after the host is gone
  remove    takes out exactly that; the file is then what it was before
  status    says where a hook is installed

HOST is one of claude-code, codex, gemini, cursor, opencode and hermes; without
one it is every host that is there. What would be changed is shown first; then
it asks, or wants --yes. A file that is not understood, has comments or belongs
to another user is not changed: the text to add by hand is printed.
Hooks do not come when a host is killed: 'schedule' or 'watch' is needed, too.
Helpers of hosts other than Hermes are ended only where a rule file says so:
{"packs": ["agents"]}, see orphan-reaper-rules(5).
)";

constexpr std::string_view kMcp = R"(
An agent host starts it, and it ends with that host. The tools report, explain,
history, preflight_check and plan_sweep change nothing. With --allow-sweep there
is sweep, too: it takes only a plan of plan_sweep, at most 5 minutes old, asks
the person through the host, and ends only what the plan lists and is still
judged the same. Where the host cannot ask, nothing is ended.

  claude mcp add orphan-reaper -- orphan-reaper mcp
  codex mcp add orphan-reaper -- orphan-reaper mcp
)";

std::string entry(std::string_view left, std::string_view right) {
    // What is too long for its column has a line of its own.
    std::string text = left.size() < kLeft ? "" : fmt::format("  {}\n", left);
    for (const std::string& line : wrap(right, kWidth - kLeft - 2))
        text += fmt::format("  {:<{}}{}\n", text.empty() ? left : "", kLeft, line);
    return text;
}

// Families and packs that the program knows by itself.
std::string family_names() {
    std::vector<std::string> names;
    const policy::Rules rules = policy::built_in_rules();
    for (const policy::FamilyRule& rule : rules.families) {
        if (std::ranges::find(names, rule.pack) == names.end()) names.push_back(rule.pack);
    }
    for (const policy::FamilyRule& rule : rules.families) names.push_back(rule.name);
    return fmt::format(" ({})", fmt::join(names, ", "));
}

std::string help_of(const OptionInfo& option, std::optional<Command> command) {
    if (!command || option.name != "--format")
        return fmt::format("{}{}", option.help, option.value == "FAMILY" ? family_names() : "");
    auto formats = split_words(info_of(*command).formats);
    formats.front() = "text (default)";
    return join_words(formats, "or");
}

std::string options_text(std::optional<Command> command) {
    std::string text;
    std::string_view group;
    for (const OptionInfo& option : option_table()) {
        if (command && !is_for(option, *command)) continue;
        if (option.group != group) text += fmt::format("\n{}:\n", option.group);
        group = option.group;
        text += entry(fmt::format("{:2}{} {} {}", option.letter, option.letter.empty() ? ' ' : ',',
                                  option.name, option.value),
                      help_of(option, command));
    }
    return text;
}

std::string about_program() {
    std::string text(kAbout);
    for (const CommandInfo& command : command_table())
        text += entry(fmt::format("{} {}", command.name, command.arguments), command.help);
    return text + entry("help [COMMAND]", "this text, or the one of a command");
}

std::string_view more_about(Command command) {
    switch (command) {
        case Command::rules: return kRules;
        case Command::preflight: return kPreflight;
        case Command::run: return kRun;
        case Command::history: return kHistory;
        case Command::watch: return kWatch;
        case Command::pid_files: return kPidFiles;
        case Command::doctor: return kDoctor;
        case Command::schedule: return kSchedule;
        case Command::merge: return kMerge;
        case Command::hooks: return kHooks;
        case Command::mcp: return kMcp;
        default: return "";
    }
}

std::string about(Command wanted) {
    const CommandInfo& info = info_of(wanted);
    const std::string_view blank = info.arguments.empty() ? "" : " ";
    const std::string arguments = info.starts_program
                                      ? fmt::format("[OPTIONS] {}", info.arguments)
                                      : fmt::format("{}{}[OPTIONS]", info.arguments, blank);
    return fmt::format("Usage: orphan-reaper {} {}\n\n{}\n{}", info.name, arguments,
                       fmt::join(wrap(info.help, kWidth), "\n"), more_about(wanted));
}

}  // namespace

std::string help_text(std::optional<Command> command) {
    return fmt::format("{}{}{}{}{}", command ? about(*command) : about_program(),
                       options_text(command), kTypedHow, command ? "" : kExamples,
                       exit_status_text(command));
}

}  // namespace reaper::agent
