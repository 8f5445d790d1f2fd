// The command lines by which Hermes 0.21 and 0.22 start their own programs, and those that only
// look like one. The lists follow the ones by which Hermes tells its own gateways.
#include "policy/match/bootstrap.hpp"

#include "policy/match/command_start.hpp"
#include "policy/match/match.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using Words = std::vector<std::string>;

constexpr const char* kPython = "/home/u/.hermes/tools/python-3.14.7-linux-x86_64/bin/python3";

// What the launcher `hermes` runs; `home` is how it names the default home.
std::string launcher(const std::string& module, const std::string& home) {
    return "import os, re, sys\n"
           "os.environ['HERMES_HOME'] = os.environ.get('HERMES_HOME') or " +
           home +
           "\n"
           "os.environ.pop('PYTHONHOME', None)\n"
           "sys.path.insert(0, '/opt/hermes-agent')\n"
           "if sys.argv[1:2] == ['--print-runtime-command']:\n"
           "    from pathlib import Path\n"
           "    from hermes_cli._launchers import print_runtime_command\n"
           "    print_runtime_command(Path('/opt/hermes-agent'), sys.argv[2:])\n"
           "    sys.exit(0)\n"
           "import hermes_bootstrap\n"
           "if sys.argv[1:2] == ['--run-module']:\n"
           "    import runpy\n"
           "    module = sys.argv.pop(2)\n"
           "    runpy.run_module(module, run_name='__main__', alter_sys=True)\n"
           "    sys.exit(0)\n"
           "from " +
           module +
           " import main\n"
           "sys.argv[0] = re.sub(r'(-script\\.pyw|\\.exe)?$', '', sys.argv[0])\n"
           "sys.exit(main())\n";
}
const std::string kLauncher = launcher("hermes_cli.main", "'/home/u/.hermes'");

// What children are started by, and what a restart of the gateway runs.
std::string runtime(const std::string& module) {
    return "import os, sys, runpy; os.environ.pop('VIRTUAL_ENV', None); "
           "sys.path.insert(0, '/opt/hermes-agent'); import hermes_bootstrap; runpy.run_module('" +
           module + "', run_name='__main__', alter_sys=True)";
}

// What continues after an update: the words stand in the script.
std::string relaunch(const std::string& argv) {
    return "import sys, runpy; sys.argv = " + argv +
           "; runpy.run_module('hermes_cli.main', run_name='__main__', alter_sys=True)";
}
const std::string kRelaunch =
    relaunch("['/opt/hermes-agent/hermes_cli/main.py', 'gateway', 'run']");

// What the command `hermes` of a bundle runs, as in the container image.
const std::string kBundled =
    "import os, site, sys; sys.argv[0]='hermes'; site.addsitedir(os.environ['HERMES_SITE']); "
    "from hermes_cli.main import main; sys.exit(main())";

// What runs a script once more, under the right interpreter: `quoted`, as Python writes it.
std::string again(const std::string& quoted, const std::string& argv) {
    return "import sys, runpy; sys.path.insert(0, '/opt/hermes-agent'); sys.argv = " + argv +
           "; exec(" + quoted + ")";
}

// Writes a text as Python's repr() does for one that has both kinds of quotes.
std::string quoted(const std::string& text) {
    std::string literal = "'";
    for (const char letter : text) {
        if (letter == '\n') {
            literal += "\\n";
            continue;
        }
        if (letter == '\'' || letter == '\\') literal += '\\';
        literal += letter;
    }
    return literal + "'";
}

Words python(const Words& words) {
    Words argv = {"python3"};
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
}

std::string matched(const Words& argv, const std::string& exe = kPython) {
    const auto match =
        policy::match(all_rules(), row(100, 1, exe, argv), policy::Environment::of({}));
    return match ? match->rule->name + "/" + match->role.name : "";
}

std::string home_of(const Words& argv, std::map<std::string, std::string> environment) {
    FactsBuilder builder;
    builder.orphan(row(100, 1, kPython, argv));
    environment.emplace("HOME", "/home/u");
    builder[100].environment = policy::Environment::of(std::move(environment));
    return judged_by(all_rules(), builder, 100).home;
}

}  // namespace

TEST_CASE("programs of Hermes are recognised by the script that starts them") {
    const std::vector<std::pair<Words, const char*>> lines = {
        {{"-I", "-c", kLauncher, "gateway", "run", "--external-supervisor"}, "gateway/gateway"},
        {{"-I", "-c", kLauncher, "gateway"}, "gateway/gateway"},
        {{"-I", "-c", kLauncher, "-p", "work", "gateway", "run"}, "gateway/gateway"},
        {{"-I", "-c", kLauncher, "gateway", "status"}, "gateway/command"},
        {{"-I", "-c", kLauncher, "serve", "--host", "127.0.0.1", "--port", "0"}, "serve/desktop"},
        {{"-I", "-c", kLauncher, "--run-module", "hermes_cli.stderr_timestamp", "--error-log", "/x",
          "--", "/opt/hermes-agent/.hermes/bin/hermes", "gateway", "run"},
         "gateway/gateway"},
        {{"-I", "-c", kLauncher, "--run-module", "tui_gateway.slash_worker", "--session-key", "k"},
         "slash_worker/worker"},
        {{"-I", "-c", runtime("hermes_cli.main"), "gateway", "run", "--replace"},
         "gateway/gateway"},
        {{"-I", "-c", runtime("hermes_cli.main"), "dashboard", "--port", "9119"}, "serve/daemon"},
        {{"-I", "-c", runtime("tui_gateway.slash_worker"), "--session-key", "k"},
         "slash_worker/worker"},
        {{"-I", "-c", kRelaunch}, "gateway/gateway"},
        {{"-I", "-B", "-c", kRelaunch}, "gateway/gateway"},
        {{"-X", "utf8", "-c", kRelaunch}, "gateway/gateway"},
        {{"-Ic", kRelaunch}, "gateway/gateway"},
        {{"-I", "-c" + kRelaunch}, "gateway/gateway"},
        {{"-c",
          "import sys, runpy; sys.argv = ['/opt/h/hermes_cli/main.py', '--profile', 'work', "
          "'gateway', 'run']; runpy.run_path('/opt/h/hermes_cli/main.py', run_name='__main__')"},
         "gateway/gateway"},
        {{"-c",
          "import sys,runpy;sys.path[:0]=['/a'];runpy.run_module('hermes_cli.main',"
          "run_name='__main__',alter_sys=True)",
          "serve", "--isolated", "--host", "127.0.0.1", "--port", "0"},
         "serve/isolated"},
        {{"-P", "-c", kBundled, "gateway", "run", "--replace"}, "gateway/gateway"},
        {{"-P", "-c", kBundled, "-p", "coder", "gateway", "run"}, "gateway/gateway"},
        {{"-P", "-c", kBundled, "gateway", "status"}, "gateway/command"},
        {{"-P", "-c", kBundled, "serve", "--port", "0"}, "serve/desktop"},
        {{"-P", "-c", kBundled, "chat"}, "session/session"},
        {{"-P", "-c", kBundled, "--run-module", "tui_gateway.slash_worker", "--session-key", "k"},
         "session/session"},
    };
    for (const auto& [words, expected] : lines) {
        INFO(words.back());
        CHECK(matched(python(words)) == expected);
    }
}

TEST_CASE("what follows another script is data, and names no program") {
    const Words run = {"14980", "python", "-m", "hermes_cli.main", "gateway", "run"};
    const Words others = {
        "import time; time.sleep(1)",
        "import os",
        "import hermes_cli; print(1)",
        "print('from hermes_cli.main import main')",
        "import runpy, sys; time.sleep(1)",
        "import subprocess; subprocess.run(['python', '-m', 'hermes_cli.main', 'gateway', "
        "'run'])",
        "import hermes_bootstrap  # runpy.run_module('hermes_cli.main')",
        "import hermes_bootstrap; print(\"runpy.run_module('hermes_cli.main')\")",
        "import hermes_bootstrap; '''\nrunpy.run_module('hermes_cli.main')\n'''",
        "import runpy; runpy.run_module('hermes_cli.main', run_name='__main__')",
        "import hermes_bootstrap; from hermes_cli.main import main; print(main)",
        "import hermes_bootstrap; runpy.run_module(module)",
        "import hermes_bootstrap; runpy.run_module('hermes_cli.main",
        "import os, site, sys; sys.argv[0]='hermes'; something_else_entirely()",
        "import os, site, sys; from hermes_cli.main import main; sys.exit(main())",
        "site.addsitedir(os.environ['OTHER_SITE']); from hermes_cli.main import main; "
        "sys.exit(main())",
        "print(os.environ['HERMES_SITE']); from hermes_cli.main import main; sys.exit(main())"};
    for (const std::string& script : others) {
        INFO(script);
        for (const std::string& option : Words{"-c", "-uc", "-Ic"}) {
            Words words = {option, script};
            words.insert(words.end(), run.begin(), run.end());
            CHECK(matched(python(words)).empty());
            CHECK(matched(python({option, script, "gateway", "run"})).empty());
        }
    }
    const std::string watcher = "import sys, time; time.sleep(30)";
    CHECK(matched(python({"-c", watcher, "42", "python3", "-I", "-c", kRelaunch})).empty());
    CHECK(matched({"sh", "-c", "exec python3 -I -c \"" + kRelaunch + "\""}, "/bin/dash").empty());
    CHECK(matched({"node", "-c", kRelaunch}, "/usr/bin/node").empty());
    CHECK(matched(python({"worker.py", "-c", kRelaunch})).empty());
    CHECK(matched(python({"-I", "-c", kLauncher, "chat", "gateway", "run"})) == "session/session");
}

TEST_CASE("a script that runs another one by exec is what that one is") {
    const std::string gateway = "['-c', 'gateway', 'run']";
    const std::string worker =
        "['-c', '--run-module', 'tui_gateway.slash_worker', '--session-key']";
    const std::string launched = quoted(kLauncher);
    CHECK(matched(python({"-I", "-c", again(launched, gateway)})) == "gateway/gateway");
    CHECK(matched(python({"-I", "-c", again(launched, worker)})) == "slash_worker/worker");
    CHECK(matched(python({"-I", "-c", again(quoted(runtime("hermes_cli.main")), gateway)})) ==
          "gateway/gateway");
    CHECK(home_of(
              python({"-I", "-c", again(quoted(launcher("hermes_cli.main", "'/srv/h'")), gateway)}),
              {}) == "/srv/h");
    const std::string wait = "import hermes_bootstrap; exec('import time; time.sleep(30)')";
    CHECK(matched(python({"-I", "-c", wait, "42", "python3", "-I", "-c", kRelaunch})).empty());
    CHECK(matched(python({"-c", "exec(" + launched + ")", "gateway", "run"})).empty());
    CHECK(matched(python({"-c", again("script", gateway)})).empty());
    CHECK(matched(python({"-c", again(launched + ", {}", gateway)})).empty());
    CHECK(matched(python({"-c", again("r" + launched, gateway)})).empty());
    CHECK(matched(python({"-c", again(launched, "words")})).empty());
}

TEST_CASE("only a literal sys.argv names a program") {
    const Words lists = {"[]",
                         "[sys.executable, 'gateway', 'run']",
                         "[42, 'gateway', 'run']",
                         "[*a]",
                         "['a' 'b']",
                         "sys.argv[1:]",
                         "",
                         "['/x/hermes_cli/main.py', r'gateway', 'run']",
                         "['a', 'gateway'"};
    for (const std::string& argv : lists) {
        INFO(argv);
        CHECK(matched(python({"-I", "-c", relaunch(argv)})).empty());
    }
    CHECK(matched(python({"-c", relaunch("[\"a\", 'gateway', 'run',]")})) == "gateway/gateway");
    CHECK(matched(python({"-c", relaunch("['it\\'s', 'gateway', 'run']")})) == "gateway/gateway");
    CHECK(matched(python({"-c", relaunch("['a', 'chat', '-q']"), "gateway", "run"})) ==
          "session/session");
    CHECK(matched(python({"-c", kRelaunch + std::string(20'000, ' ')})).empty());
}

TEST_CASE("the home is that of the profile, the environment, the script, then the default") {
    const std::string other = launcher("hermes_cli.main", "'/srv/hermes'");
    CHECK(home_of(python({"-I", "-c", other, "serve"}), {}) == "/srv/hermes");
    CHECK(home_of(python({"-I", "-c", other, "serve"}), {{"HERMES_HOME", "/opt/data"}}) ==
          "/opt/data");
    CHECK(home_of(python({"-I", "-c", other, "--profile", "work", "serve"}), {}) ==
          "/srv/hermes/profiles/work");
    const std::string computed = launcher(
        "hermes_cli.main", "str(__import__('hermes_constants').get_default_hermes_root())");
    CHECK(home_of(python({"-I", "-c", computed, "serve"}), {}) == "/home/u/.hermes");
    const std::string relative = launcher("hermes_cli.main", "'hermes'");
    CHECK(home_of(python({"-I", "-c", relative, "serve"}), {}) == "/home/u/.hermes");
}

TEST_CASE("every family and its hosts know the new command lines") {
    FactsBuilder builder;
    builder.relative(row(60, 1, kPython, python({"-I", "-c", kLauncher, "gateway", "run"})));
    builder.orphan(
        row(100, 60, kPython,
            python({"-I", "-c", runtime("tui_gateway.slash_worker"), "--session-key=k"})));
    builder[100].standard_input = builder[100].standard_output = live_end();
    CHECK(judged(builder, 100).verdict == policy::Verdict::attached);
    builder[100].row.ppid = 1;
    builder[100].standard_input = builder[100].standard_output = dead_end();
    CHECK(is_orphan(judged(builder, 100)));
}

TEST_CASE("a gateway that an update has started again is a host of every family") {
    const std::string again =
        "import sys, runpy; sys.argv = ['/opt/h/hermes_cli/main.py', 'gateway', 'run']; "
        "runpy.run_path('/opt/h/hermes_cli/main.py', run_name='__main__')";
    const scanner::ProcessRow host = row(60, 1, kPython, python({"-I", "-c", again}));
    for (const policy::FamilyRule& rule : all_rules().families) {
        if (rule.pack != "hermes" || rule.hosts.empty()) continue;
        INFO(rule.name);
        CHECK(policy::is_host(rule, host));
    }
    const Words bundled = {"python", "/opt/python-server/desktop-gateway.py"};
    CHECK(matched(bundled, "/opt/python-server/python") == "gateway/gateway");
}

TEST_CASE("the plain script says the same, and nothing else") {
    for (const std::string& script : {kLauncher, runtime("hermes_cli.main"), kRelaunch, kBundled,
                                      again(quoted(kLauncher), "['-c', 'gateway', 'run']")}) {
        const Words words = {"gateway", "run"};
        const auto found = policy::read_bootstrap(script, words);
        REQUIRE(found);
        const auto again = policy::read_bootstrap(policy::plain_script(*found), words);
        REQUIRE(again);
        CHECK(again->words == found->words);
        CHECK(again->home == found->home);
        CHECK(policy::plain_script(*again) == policy::plain_script(*found));
    }
}

}  // namespace reaper::test
