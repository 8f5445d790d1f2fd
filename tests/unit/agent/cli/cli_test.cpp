#include "agent/cli/cli.hpp"
#include "agent/cli/command_text.hpp"

#include <set>
#include <string>
#include <vector>

#include "agent/cli/exit_status_text.hpp"
#include "agent/cli/help.hpp"
#include "agent/cli/option_table.hpp"
#include "policy/rules/rules.hpp"
#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

using namespace std::chrono_literals;
using Words = std::vector<const char*>;

std::variant<Options, Message> parse_words(const Words& words) {
    return parse(words);
}

Options accepted(const Words& words) {
    const auto result = parse_words(words);
    const auto* message = std::get_if<Message>(&result);
    INFO((message == nullptr ? "" : message->text));
    REQUIRE(message == nullptr);
    return std::get<Options>(result);
}

Message message_for(const Words& words) {
    const auto result = parse_words(words);
    for (const char* word : words) UNSCOPED_INFO(word);
    REQUIRE(std::holds_alternative<Message>(result));
    return std::get<Message>(result);
}

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("A sweep that is handed over") {
    const Options plain = accepted({"sweep"});
    CHECK_FALSE(plain.detach);
    CHECK(plain.lock_wait == 1min);
    const Options options = accepted(
        {"sweep", "--detach", "--after", "host", "--at-most-every", "30s", "--from", "codex"});
    CHECK(options.detach);
    CHECK(options.after == "host");
    CHECK(options.at_most_every == 30s);
    CHECK(options.from == "codex");
    CHECK(options.lock_wait == 15min);
    CHECK(accepted({"sweep", "--detach", "--lock-wait", "1s"}).lock_wait == 1s);
    CHECK(accepted({"sweep", "--detach", "--after", "4711"}).after == "4711");
    CHECK(accepted({"sweep", "--from", "claude-code_2.1"}).from == "claude-code_2.1");
    CHECK(accepted({"sweep", "--detach", "--json", "-o", "f"}).format == Format::json);
}

TEST_CASE("What a sweep that is handed over cannot be told") {
    CHECK(contains(message_for({"sweep", "--after", "host"}).text, "--detach"));
    CHECK(contains(message_for({"sweep", "--at-most-every", "1s"}).text, "--detach"));
    CHECK(contains(message_for({"sweep", "--detach", "--after", "parent"}).text, "host, or a pid"));
    CHECK(contains(message_for({"sweep", "--detach", "--at-most-every", "2h"}).text, "1h at most"));
    CHECK(contains(message_for({"sweep", "--detach", "--json"}).text, "--output FILE"));
    const std::string long_name(41, 'a');
    for (const char* name : {"", "Claude", "a b", "a\n", long_name.c_str()})
        CHECK(contains(message_for({"sweep", "--from", name}).text, "a name of small letters"));
    CHECK(contains(message_for({"watch", "--detach"}).text, "not for watch"));
}

TEST_CASE("The options of history") {
    CHECK(accepted({"history"}).command == Command::history);
    CHECK(accepted({"history"}).since == std::chrono::hours(7 * 24));
    const Options options =
        accepted({"history", "--since", "36h", "--json", "-v", "--color", "never"});
    CHECK(options.since == std::chrono::hours(36));
    CHECK(options.format == Format::json);
}

TEST_CASE("The options of mcp") {
    const Options plain = accepted({"mcp"});
    CHECK(plain.command == Command::mcp);
    CHECK_FALSE(plain.allow_sweep);
    CHECK_FALSE(plain.as_root);
    const Options options = accepted(
        {"mcp", "--allow-sweep", "--as-root", "--config", "c", "--with", "p", "--max-kills", "3"});
    CHECK(options.allow_sweep);
    CHECK(options.as_root);
    CHECK(options.max_kills == 3);
    // What would lift a protection of every call is no option of the server.
    for (const char* option : {"--reap=held", "--all-users", "--user=u", "--min-age=1s", "--json"})
        CHECK(message_for({"mcp", option}).status == 2);
    CHECK(message_for({"sweep", "--allow-sweep"}).status == 2);
}

TEST_CASE("The options of doctor") {
    CHECK_FALSE(accepted({"doctor"}).strict);
    const Options options = accepted({"doctor", "--strict", "--json", "--user", "u", "--home", "h",
                                      "--config", "c", "-q", "-o", "f"});
    CHECK(options.command == Command::doctor);
    CHECK(options.strict);
    CHECK(options.user == "u");
    CHECK(options.output == "f");
}

TEST_CASE("The options of hooks") {
    const Options options = accepted({"hooks", "install", "codex", "--yes", "gemini", "codex"});
    CHECK(options.command == Command::hooks);
    CHECK(options.hooks_task == "install");
    CHECK(options.hook_hosts == std::vector<std::string>{"codex", "gemini"});
    CHECK(options.yes);
    CHECK(accepted({"hooks", "remove", "--dry-run"}).dry_run);
    CHECK(accepted({"hooks", "status", "--json"}).format == Format::json);
    CHECK(accepted({"hooks", "status"}).hook_hosts.empty());
}

TEST_CASE("The options of schedule") {
    const Options options = accepted({"schedule", "install", "--every", "10m", "--report-only",
                                      "--system", "--cron", "--user", "u", "--dry-run"});
    CHECK(options.command == Command::schedule);
    CHECK(options.task == "install");
    CHECK(options.every == std::chrono::minutes(10));
    CHECK((options.report_only && options.for_system && options.by_cron && options.dry_run));
    CHECK(options.user == "u");
    CHECK(accepted({"schedule", "status", "--json"}).format == Format::json);
    CHECK(accepted({"schedule", "install"}).every == std::chrono::minutes(5));
    CHECK(accepted({"schedule", "install", "--watch"}).as_watch);
    CHECK(accepted({"schedule", "install", "--linger"}).with_linger);
    CHECK(accepted({"schedule", "install", "--every", "24h"}).every == std::chrono::hours(24));
}

TEST_CASE("The options of pidfiles") {
    const Options options =
        accepted({"pidfiles", "--clean", "--dry-run", "--no-history", "--home", "h", "--json"});
    CHECK(options.command == Command::pid_files);
    CHECK(options.clean);
    CHECK(options.dry_run);
    CHECK(options.no_history);
    CHECK_FALSE(accepted({"pidfiles"}).clean);
}

TEST_CASE("No words at all ask for a report with the defaults") {
    const Options options = accepted({});
    CHECK(options.command == Command::report);
    CHECK(options.format == Format::text);
    CHECK(options.settle == 2000ms);
    CHECK(options.max_kills == 256);
    CHECK_FALSE(options.dry_run);
}

TEST_CASE("Options mean the same before and after the command") {
    for (const Words& words : {Words{"--home", "/a", "sweep", "--home=/b", "-v"},
                               Words{"sweep", "-v", "--home", "/a", "--home", "/b"},
                               Words{"-v", "--home=/a", "--home=/b", "sweep"}}) {
        const Options options = accepted(words);
        CHECK(options.command == Command::sweep);
        CHECK(options.homes == std::vector<std::string>{"/a", "/b"});
        CHECK(options.verbose);
    }
}

TEST_CASE("Every option reaches its field") {
    const Options options = accepted({"sweep",       "--dry-run",
                                      "--format",    "jsonl",
                                      "-o",          "out",
                                      "--config",    "c",
                                      "--home",      "h",
                                      "--family",    "f",
                                      "--user",      "u",
                                      "--min-age",   "5m",
                                      "--settle",    "500ms",
                                      "--grace",     "30s",
                                      "--grace-cap", "2h",
                                      "--max-kills", "7",
                                      "--reap",      "abandoned,held",
                                      "--reap",      "duplicate,in-service",
                                      "-q",          "--color",
                                      "never",       "--no-history"});
    CHECK(options.dry_run);
    CHECK(options.format == Format::jsonl);
    CHECK(options.output == "out");
    CHECK(options.config == "c");
    CHECK(options.homes == std::vector<std::string>{"h"});
    CHECK(options.families == std::vector<std::string>{"f"});
    CHECK(options.user == "u");
    CHECK(options.min_age == 5min);
    CHECK(options.settle == 500ms);
    CHECK(options.grace == 30s);
    CHECK(options.grace_cap == 2h);
    CHECK(options.max_kills == 7);
    CHECK(options.also_reap == std::set<policy::Verdict>{policy::Verdict::abandoned,
                                                         policy::Verdict::held,
                                                         policy::Verdict::duplicate});
    CHECK(options.reap_inside_services);
    CHECK(options.quiet);
    CHECK(options.color == Color::never);
    CHECK(options.no_history);
    CHECK(accepted({"--all-users"}).all_users);
    CHECK(accepted({"--json"}).format == Format::json);
    CHECK(accepted({"--json", "--format=json"}).format == Format::json);
    CHECK(accepted({"-o", "-"}).output.empty());
    for (const char* word : {"-oout", "-o=out", "--output=out"})
        CHECK(accepted({word}).output == "out");
    CHECK(accepted({"-qoout"}).output == "out");
    CHECK(accepted({"-qoout"}).quiet);
}

TEST_CASE("Facts go out of a report, and into a report or an explanation") {
    CHECK(accepted({"--facts", "f"}).facts == "f");
    CHECK(accepted({"report", "--from-facts=f"}).from_facts == "f");
    CHECK(scope_words(accepted({"explain", "7", "--from-facts", "a b"})) == "--from-facts 'a b'");
    CHECK(contains(message_for({"sweep", "--from-facts", "f"}).text,
                   "--from-facts is for report and explain"));
    CHECK(contains(message_for({"sweep", "--dry-run", "--from-facts", "f"}).text,
                   "--from-facts is for"));
    CHECK(contains(message_for({"sweep", "--facts", "f"}).text, "--facts is for report"));
    CHECK(contains(message_for({"--facts", "f", "--from-facts", "f"}).text, "contradict"));
    CHECK(contains(message_for({"--facts", "-"}).text, "expected a file"));
    CHECK(contains(message_for({"--from-facts", "f", "--all-users"}).text, "do not apply"));
}

TEST_CASE("explain takes pids, each once") {
    CHECK(accepted({"explain", "12", "7", "12"}).pids == std::vector<scanner::Pid>{12, 7});
    CHECK(accepted({"explain", "--", "2147483647"}).pids == std::vector<scanner::Pid>{2147483647});
    CHECK(accepted({"explain", "12", "--json", "7"}).pids == std::vector<scanner::Pid>{12, 7});
}

TEST_CASE("run takes a program behind --, and its own options before that only") {
    const Options plain = accepted({"run", "--", "node", "--help", "--parent", "7", "--"});
    CHECK(plain.command == Command::run);
    CHECK(plain.program == std::vector<std::string>{"node", "--help", "--parent", "7", "--"});
    CHECK_FALSE(plain.parent);
    CHECK_FALSE(plain.idle);
    CHECK_FALSE(plain.grace);
    const Options given = accepted({"-v", "--parent=7", "run", "--idle", "2h", "--grace", "1s",
                                    "--grace-cap", "1m", "--", "x"});
    CHECK(given.parent == 7);
    CHECK(given.idle == 2h);
    CHECK(given.grace == 1s);
    CHECK(given.grace_cap == 1min);
    CHECK(given.verbose);
    CHECK(contains(message_for({"run", "--help"}).text,
                   "start a helper that cannot outlive its host"));
}

TEST_CASE("watch has options of its own, and prints no report") {
    const Options plain = accepted({"watch"});
    CHECK(plain.command == Command::watch);
    CHECK(plain.interval == 60s);
    CHECK(plain.events == Events::automatic);
    const Options options =
        accepted({"watch", "--interval", "5s", "--events", "scan", "--census", "c.jsonl",
                  "--report-only", "--settle", "50ms", "--reap", "abandoned"});
    CHECK(options.interval == 5s);
    CHECK(options.events == Events::scan);
    CHECK(options.census == "c.jsonl");
    CHECK(options.report_only);
    CHECK(contains(message_for({"watch", "--events", "pidfs"}).text, "did you mean 'pidfd'?"));
    CHECK(contains(message_for({"watch", "--interval", "0s"}).text, "longer than nothing"));
    CHECK(contains(message_for({"watch", "--json"}).text, "watch prints no report"));
    CHECK(contains(message_for({"watch", "--dry-run"}).text,
                   "not for watch, which has --report-only"));
    CHECK(contains(message_for({"sweep", "--interval", "5s"}).text,
                   "--interval is for watch, not for sweep"));
}

TEST_CASE(
    "One word turns a line that sweeps into one that reports: what is only about ending has no "
    "effect then") {
    for (const Words& words :
         std::vector<Words>{{"--settle", "1s", "--no-history"},
                            {"--dry-run", "--max-kills", "3", "--lock-wait", "5s"},
                            {"--grace", "3s", "--grace-cap", "4s", "--reap", "held"}}) {
        for (const char* command : {"sweep", "report"}) {
            Words line = {command};
            line.insert(line.end(), words.begin(), words.end());
            const Options options = accepted(line);
            CHECK((options.command == Command::report) == (std::string_view(command) == "report"));
        }
        CHECK(accepted(words).command == Command::report);
    }
}

TEST_CASE("No time at all is a time, where a time can be none") {
    CHECK(accepted({"sweep", "--settle", "0s"}).settle == 0s);
    CHECK(accepted({"sweep", "--lock-wait", "0s"}).lock_wait == 0s);
    CHECK(accepted({"report", "--min-age", "0s"}).min_age == 0s);
    CHECK(accepted({"history", "--since", "0s"}).since == 0s);
    for (const char* option : {"--settle", "--lock-wait", "--min-age"}) {
        CHECK(accepted({"preflight", option, "0s"}).command == Command::preflight);
        CHECK(accepted({"watch", option, "0ms"}).command == Command::watch);
    }
}

TEST_CASE("preflight takes a program behind --, with whatever options that has") {
    CHECK(accepted({"preflight"}).when_ready.empty());
    CHECK(accepted({"preflight"}).timeout == 5min);
    const Options options =
        accepted({"preflight", "--timeout", "30s", "--", "hermes", "update", "--json", "--", "x"});
    CHECK(options.command == Command::preflight);
    CHECK(options.timeout == 30s);
    CHECK(options.when_ready == std::vector<std::string>{"hermes", "update", "--json", "--", "x"});
    CHECK(options.format == Format::text);
    CHECK(contains(message_for({"preflight", "--"}).text, "preflight --: expected a command"));
    CHECK(contains(message_for({"preflight", "hermes"}).text,
                   "stands behind '--': preflight -- hermes"));
    CHECK(contains(message_for({"preflight", "--timeout", "0s"}).text, "longer than nothing"));
    CHECK(accepted({"preflight", "--format", "html"}).format == Format::html);
    CHECK(accepted({"history", "--format", "html"}).format == Format::html);
    CHECK(contains(message_for({"sweep", "--timeout", "3s"}).text,
                   "--timeout is for preflight, not for sweep"));
    CHECK(contains(message_for({"sweep", "--", "x"}).text,
                   "sweep takes no arguments, but there is 'x'"));
}

TEST_CASE("A pack is added, and only what changes nothing lists the others") {
    const Options sweep = accepted({"sweep", "--with", "agents", "--with", "own"});
    CHECK(sweep.packs == std::vector<std::string>{"agents", "own"});
    CHECK(scope_words(sweep) == "--with agents --with own");
    CHECK(accepted({"report"}).lists_others);
    CHECK(accepted({"explain", "7"}).lists_others);
    for (const char* command : {"sweep", "preflight", "watch", "rules"})
        CHECK_FALSE(accepted({command}).lists_others);
}

TEST_CASE("rules shows, or checks one file") {
    for (const Words& words :
         {Words{"rules"}, Words{"rules", "show"}, Words{"--json", "rules", "show"}}) {
        CHECK(accepted(words).command == Command::rules);
        CHECK(accepted(words).rule_file.empty());
    }
    const Options options =
        accepted({"rules", "check", "--all-users", "a.json", "--family", "agents"});
    CHECK(options.command == Command::rules);
    CHECK(options.rule_file == "a.json");
    CHECK(options.all_users);
    CHECK(accepted({"rules", "--format", "jsonl"}).format == Format::jsonl);
}

TEST_CASE("A mistake is named, with what was expected and the nearest right word") {
    struct Row {
        Words words;
        std::string_view says;
    };
    const std::vector<Row> rows = {
        {{"swep"},
         "unknown command 'swep' (did you mean 'sweep'?); expected report, sweep, preflight, run, "
         "watch, explain"},
        {{"observe"}, "unknown command 'observe'; expected"},
        {{""}, "unknown command ''"},
        {{"help", "swep"}, "did you mean 'sweep'?"},
        {{"--jsn"}, "unknown option '--jsn' (did you mean '--json'?)"},
        {{"sweep", "--dry-rum"}, "did you mean '--dry-run'?"},
        {{"--familly=x"}, "unknown option '--familly' (did you mean '--family'?)"},
        {{"-x"}, "unknown option '-x'"},
        {{"explain", "7", "--dry-run"},
         "explain changes nothing anyway; --dry-run is for sweep, preflight, pidfiles, "
         "schedule and hooks"},
        {{"explain", "7", "--max-kills", "3"},
         "explain changes nothing anyway; --max-kills is for sweep"},
        {{"explain"}, "expected at least one pid"},
        {{"explain", "0"}, "'0': expected a pid, a number from 1 to 2147483647"},
        {{"explain", "-5"}, "'-5': expected a pid"},
        {{"explain", "abc"}, "'abc': expected a pid"},
        {{"explain", "12x"}, "'12x': expected a pid"},
        {{"explain", " 12"}, "' 12': expected a pid"},
        {{"explain", "0x12"}, "'0x12': expected a pid"},
        {{"explain", ""}, "'': expected a pid"},
        {{"explain", "99999999999"}, "'99999999999': expected a pid"},
        {{"explain", "2147483648"}, "'2147483648': expected a pid"},
        {{"explain", "7", "--format", "prometheus"}, "expected text, json, jsonl or html"},
        {{"report", "7"}, "report takes no arguments, but there is '7'"},
        {{"sweep", "sweep"}, "sweep takes no arguments"},
        {{"rules", "chek"}, "rules: unknown 'chek' (did you mean 'check'?); expected show, check"},
        {{"rules", "a.json"}, "rules: unknown 'a.json'; expected show, check"},
        {{"rules", "check"}, "rules check: expected a rule file"},
        {{"rules", "check", ""}, "rules check: expected a rule file"},
        {{"rules", "check", "a", "b"}, "rules check takes no more arguments, but there is 'b'"},
        {{"rules", "show", "a"}, "rules show takes no arguments, but there is 'a'"},
        {{"rules", "--format", "html"}, "rules show: expected text, json or jsonl"},
        {{"rules", "check", "a", "--format", "jsonl"}, "rules check: expected text or json"},
        {{"rules", "--home", "/a"}, "rules show is about no processes"},
        {{"rules", "show", "--all-users"}, "rules show is about no processes"},
        {{"rules", "check", "a", "--from-facts", "f"}, "--from-facts is for report and explain"},
        {{"report", "--clean"}, "report changes nothing anyway; --clean is for pidfiles"},
        {{"sweep", "--clean"}, "--clean is for pidfiles, not for sweep"},
        {{"pidfiles", "--grace", "3s"},
         "--grace is for sweep, preflight, run and watch, not for pidfiles"},
        {{"pidfiles", "--family", "bridge"},
         "--family is for report, sweep, preflight, watch, explain and rules, not for pidfiles"},
        {{"pidfiles", "--dry-run"}, "pidfiles changes nothing without --clean anyway"},
        {{"pidfiles", "--format", "html"}, "pidfiles: expected text, json or jsonl"},
        {{"pidfiles", "77"}, "pidfiles takes no arguments"},
        {{"history", "--since", "yesterday"}, "--since yesterday"},
        {{"history", "--format", "jsonl"}, "history: expected text, json, prometheus or html"},
        {{"history", "--user", "u"},
         "--user is for report, sweep, preflight, watch, explain, rules, pidfiles, doctor and "
         "schedule, not for history"},
        {{"history", "--dry-run"},
         "history changes nothing anyway; --dry-run is for sweep, preflight, pidfiles, "
         "schedule and hooks"},
        {{"doctor", "now"}, "doctor takes no arguments"},
        {{"doctor", "--format", "jsonl"}, "doctor: expected text, json or prometheus"},
        {{"doctor", "--all-users"}, "--all-users is for report"},
        {{"report", "--strict"}, "--strict is for doctor, not for report"},
        {{"report", "--since", "7d"}, "--since is for history, not for report"},
        {{"rules", "check", "a", "--grace", "1s"},
         "rules changes nothing anyway; --grace is for sweep"},
        {{"run"}, "run: expected what to start: run -- COMMAND..."},
        {{"run", "--"}, "run --: expected a command"},
        {{"run", "sleep", "1"}, "run: what it is to run stands behind '--': run -- sleep"},
        {{"run", "--patent", "7", "--", "x"},
         "unknown option '--patent' (did you mean '--parent'?)"},
        {{"run", "--parent", "x", "--", "x"},
         "--parent: 'x': expected a pid, a number from 1 to 2147483647"},
        {{"run", "--parent", "0", "--", "x"}, "--parent: '0': expected a pid"},
        {{"run", "--parent", "--", "x"}, "--parent: expected a pid"},
        {{"run", "--idle", "0s", "--", "x"}, "--idle 0s: a duration must be longer than nothing"},
        {{"run", "--grace", "2m", "--grace-cap", "1m", "--", "x"},
         "--grace is longer than --grace-cap"},
        {{"run", "--json", "--", "x"}, "run prints no report; --json is about reports"},
        {{"run", "-q", "--", "x"}, "run prints no report; --quiet is about reports"},
        {{"run", "--dry-run", "--", "x"},
         "--dry-run is for sweep, preflight, pidfiles, schedule and hooks, not for run"},
        {{"hooks"}, "hooks: expected install, remove or status"},
        {{"hooks", "instal"}, "hooks: unknown 'instal' (did you mean 'install'?)"},
        {{"hooks", "install", "codx"}, "hooks: unknown host 'codx' (did you mean 'codex'?)"},
        {{"hooks", "install", "--yes", "--dry-run"}, "--dry-run and --yes contradict"},
        {{"hooks", "install", "--json"}, "hooks install: --json is for status"},
        {{"hooks", "status", "--yes"}, "hooks status: --dry-run and --yes are for install and"},
        {{"hooks", "status", "--format", "html"}, "hooks: expected text or json"},
        {{"sweep", "--yes"}, "--yes is for hooks, not for sweep"},
        {{"schedule"}, "schedule: expected install, remove or status"},
        {{"schedule", "instal"}, "schedule: unknown 'instal' (did you mean 'install'?)"},
        {{"schedule", "install", "x"}, "schedule install takes no arguments"},
        {{"schedule", "install", "--every", "30s"}, "--every: expected whole seconds, from 1m to"},
        {{"schedule", "install", "--every", "25h"}, "--every: expected whole seconds, from 1m to"},
        {{"schedule", "install", "--every", "60500ms"}, "--every: expected whole seconds"},
        {{"schedule", "install", "--watch", "--every", "5m"},
         "--watch and --every contradict each other"},
        {{"schedule", "install", "--watch", "--cron"}, "--watch and --cron contradict"},
        {{"schedule", "install", "--watch", "--system"}, "--watch and --system contradict"},
        {{"schedule", "install", "--linger", "--system"}, "--linger and --system contradict"},
        {{"schedule", "install", "--user", "u"}, "schedule: --user needs --system"},
        {{"schedule", "install", "--json"}, "schedule install: --json is for status"},
        {{"schedule", "install", "--home", "h"}, "--home is for report, sweep"},
        {{"schedule", "remove", "--every", "5m"}, "schedule remove: --every, --report-only and"},
        {{"schedule", "status", "--watch"}, "schedule status: --dry-run, --watch and --cron are"},
        {{"schedule", "status", "--format", "html"}, "schedule: expected text or json"},
        {{"sweep", "--every", "5m"}, "--every is for schedule, not for sweep"},
        {{"report", "--idle", "3s"}, "report changes nothing anyway; --idle is for run"},
        {{"sweep", "--parent", "7"}, "--parent is for run, not for sweep"},
        {{"rule"},
         "unknown command 'rule' (did you mean 'rules'?); expected report, sweep, preflight, run, "
         "watch, explain, "
         "rules"},
        {{"--home"}, "--home: expected a folder, but there is no value"},
        {{"--home="}, "--home: expected a folder, but there is no value"},
        {{"--home=", "sweep"}, "--home: expected a folder, but there is no value"},
        {{"--home", ""}, "--home: expected a folder, but there is no value"},
        {{"--home", "--json"}, "--home: expected a folder, not '--json'"},
        {{"-qo", "--json"}, "--output: expected a file, not '--json'"},
        {{"-o"}, "--output: expected a file, but there is no value"},
        {{"-qo"}, "--output: expected a file, but there is no value"},
        {{"-o="}, "--output: expected a file, but there is no value"},
        {{"-q=x"}, "--quiet takes no value"},
        {{"-qx"}, "unknown option '-x'"},
        {{"--home", "--", "x"}, "--home: expected a folder, not '--'"},
        {{"--facts", "f", "--from-facts", "g"}, "--facts and --from-facts contradict each other"},
        {{"--user", ""}, "--user: expected a user's name, but there is no value"},
        {{"--family="}, "--family: expected the name of a family or pack, but there is no value"},
        {{"--config", ""}, "--config: expected a file"},
        {{"--reap", ""}, "--reap: expected a list"},
        {{"--reap", "heldd"},
         "unknown 'heldd' (did you mean 'held'?); expected abandoned, duplicate, held, in-service"},
        {{"--reap", "held,"}, "unknown ''"},
        {{"--reap", "orphan"}, "'orphan' is always ended"},
        {{"--reap", "designated"}, "unknown 'designated'"},
        {{"--format", "jsom"}, "unknown 'jsom' (did you mean 'json'?)"},
        {{"--format", "yaml"}, "expected text, json, jsonl, prometheus, html"},
        {{"--color", "allways"}, "did you mean 'always'?"},
        {{"--json", "--format", "text"}, "--json and --format text contradict each other"},
        {{"--user", "a", "--all-users"}, "--user and --all-users contradict each other"},
        {{"-q", "-v"}, "--quiet and --verbose contradict each other"},
        {{"--user", "a", "--user", "b"}, "--user is given 2 times"},
        {{"sweep", "--settle", "1s", "--settle=2s"}, "--settle is given 2 times"},
        {{"sweep", "--dry-run=false"}, "--dry-run takes no value"},
        {{"--help=x"}, "--help takes no value"},
        {{"sweep", "--grace", "30"}, "--grace 30: a duration needs a unit: 30s"},
        {{"sweep", "--grace", "-3s"}, "a duration cannot be negative"},
        {{"sweep", "--grace", "0s"}, "--grace 0s: a duration must be longer than nothing"},
        {{"report", "--settle", "soon"}, "--settle soon"},
        {{"report", "--grace", "2h", "--grace-cap", "1h"}, "--grace is longer than --grace-cap"},
        {{"report", "--timeout", "3s"},
         "report changes nothing anyway; --timeout is for preflight"},
        {{"--min-age", "99999999999999999999s"}, "too long"},
        {{"sweep", "--grace", "2h", "--grace-cap", "1h"}, "--grace is longer than --grace-cap"},
        {{"sweep", "--max-kills", "0"}, "--max-kills: '0': expected a number from 1 up"},
        {{"sweep", "--max-kills", "-3"}, "expected a number from 1 up"},
        {{"sweep", "--max-kills", "all"}, "expected a number from 1 up"},
        {{"sweep", "--max-kills", "99999999999999999999999"}, "expected a number from 1 up"},
        {{"\x1b[2J"}, "unknown command '\\x1b[2J'"},
        {{"--\x1b[2J"}, "unknown option '--\\x1b[2J'"},
        {{"-- x"}, "unknown option '-- x'"},
    };
    for (const Row& row : rows) {
        const Message message = message_for(row.words);
        INFO(message.text);
        CHECK(message.status == 2);
        CHECK(message.text.rfind("orphan-reaper: ", 0) == 0);
        CHECK(contains(message.text, row.says));
        CHECK(contains(message.text, "\ntry 'orphan-reaper --help'\n"));
    }
}

TEST_CASE("Help and version are no mistakes, whatever else is asked for") {
    for (const Words& words :
         {Words{"--help"}, Words{"-h"}, Words{"help"}, Words{"--help", "--nonsense"}}) {
        const Message message = message_for(words);
        CHECK(message.status == 0);
        CHECK(message.text == help_text(std::nullopt));
    }
    for (const Words& words :
         {Words{"sweep", "--help"}, Words{"-h", "sweep"}, Words{"help", "sweep"}}) {
        CHECK(message_for(words).text == help_text(Command::sweep));
    }
    CHECK(message_for({"--version"}).text.rfind("orphan-reaper 0.", 0) == 0);
    CHECK(message_for({"--version"}).status == 0);
}

TEST_CASE("Help names every command and every option that applies, in 80 columns") {
    const std::string all = help_text(std::nullopt);
    for (const OptionInfo& option : option_table()) {
        CHECK(contains(all, option.name));
        for (const CommandInfo& command : command_table()) {
            const std::string lead =
                option.letter.empty() ? "    " : std::string(option.letter) + ", ";
            const std::string line = "\n  " + lead + std::string(option.name) + " ";
            INFO(command.name);
            CHECK(contains(help_text(command.command), line) == is_for(option, command.command));
        }
    }
    for (const CommandInfo& command : command_table()) CHECK(contains(all, command.name));
    CHECK(contains(all, "Exit status:"));
    for (const policy::FamilyRule& rule : policy::built_in_rules().families) {
        CHECK(contains(all, rule.name));
        CHECK(contains(all, rule.pack));
    }
    CHECK(contains(help_text(Command::rules), "/etc/orphan-reaper/rules.d/*.json"));
    for (const auto& command : {std::optional<Command>(), std::optional(Command::report),
                                std::optional(Command::sweep), std::optional(Command::preflight),
                                std::optional(Command::run), std::optional(Command::watch),
                                std::optional(Command::history), std::optional(Command::explain),
                                std::optional(Command::rules), std::optional(Command::pid_files)}) {
        std::size_t column = 0;
        for (const char c : help_text(command)) {
            column = c == '\n' ? 0 : column + 1;
            REQUIRE(column <= 80);
        }
    }
}

TEST_CASE("Help about a command has only what is true of that command") {
    const std::string general = "  0    nothing leaked is left\n";
    CHECK(contains(help_text(std::nullopt), general));
    CHECK(contains(help_text(std::nullopt), "text (default), json, jsonl, prometheus or html"));
    for (const CommandInfo& command : command_table()) {
        const std::string text = help_text(command.command);
        INFO(command.name);
        std::size_t tables = 0;
        for (std::size_t at = 0; (at = text.find("Exit status:", at)) != std::string::npos; ++at)
            ++tables;
        CHECK(tables == 1);
        std::size_t column = 0;
        for (const char c : exit_status_text(command.command)) {
            column = c == '\n' ? 0 : column + 1;
            REQUIRE(column <= 80);
        }
    }
    for (const char* own : {"run", "doctor", "schedule", "merge", "hooks", "mcp"})
        CHECK(!contains(message_for({own, "--help"}).text, general));
    CHECK(contains(help_text(Command::sweep), general));
    CHECK(contains(help_text(Command::sweep), "text (default), json, jsonl, prometheus or html"));
    const std::string hooks = help_text(Command::hooks);
    CHECK(contains(hooks, "--format FORMAT     text (default) or json\n"));
    CHECK(contains(hooks, "\n  3    something was refused"));
    CHECK(!contains(hooks, "\n  5 "));
    CHECK(!contains(hooks, "--verbose"));
    CHECK(contains(hooks, "{\"packs\": [\"agents\"]}"));
    CHECK(contains(help_text(Command::history), "text (default), json, prometheus or html\n"));
    const std::string mcp = help_text(Command::mcp);
    CHECK(contains(mcp, "\n  4    it could not begin\n"));
    for (const char* status : {"\n  1 ", "\n  3 ", "\n  5 ", "\n  6 ", "--verbose"})
        CHECK(!contains(mcp, status));
}

TEST_CASE("The scope of one command can be typed again for the next") {
    CHECK(scope_words(accepted({})).empty());
    CHECK(scope_words(accepted({"--all-users", "--home", "/srv/it's a b", "--reap",
                                "held,in-service", "--min-age", "5m"})) ==
          R"(--home '/srv/it'\''s a b' --all-users --min-age 5m --reap held,in-service)");
    CHECK(scope_words(accepted({"sweep", "--user", "u", "--family", "bridge", "--config",
                                "/etc/r.json", "--dry-run"})) ==
          "--config /etc/r.json --family bridge --user u");
}

TEST_CASE("A command is shown as it is typed, or not at all") {
    for (const char* command :
         {"orphan-reaper sweep", "sweep --home '/home/jos\xc3\xa9'", "--home '/\xf0\x9f\x98\x80'"})
        CHECK(command_to_show(command) == command);
    for (const char* name : {"\n", "\x1b[31m", "\x7f", "\xff", "\xc3", "\xc2\x85", "\xc0\xaf",
                             "\xe2\x80\xae", "\xed\xa0\x80", "\xf4\x90\x80\x80"})
        CHECK(command_to_show("sweep --home '/" + std::string(name) + "'").starts_with("(no com"));
}

}  // namespace reaper::agent
