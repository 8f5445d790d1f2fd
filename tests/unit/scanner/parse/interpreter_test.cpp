#include "scanner/parse/interpreter.hpp"

#include "tests/support/catch.hpp"

using reaper::scanner::is_interpreter;
using reaper::scanner::is_one_of;

TEST_CASE("interpreters with and without a version") {
    for (const char* exe :
         {"/usr/bin/python", "/usr/bin/python3", "/opt/a b/python3.11", "python3",
          "/python3.11 (deleted)", "/usr/bin/python3.13t", "/usr/bin/python3.13t (deleted)"}) {
        INFO(exe);
        CHECK(is_interpreter(exe, "python"));
    }
    for (const char* exe :
         {"/usr/bin/python3.11-dbg", "/usr/bin/python3.13d", "/usr/bin/python3.13td",
          "/usr/bin/python3.7m", "/usr/bin/python-dbg",
          "/nix/store/x-python3-3.12.8/bin/.python3-wrapped", "/x/.python3.12-wrapped_",
          "/x/.python3-wrapped (deleted)", "/usr/bin/pypy", "/usr/bin/pypy3", "/usr/bin/pypy3.9",
          "/usr/bin/pypy3-c", "/usr/bin/pypy3.10-c"}) {
        INFO(exe);
        CHECK(is_interpreter(exe, "python"));
    }
    for (const char* exe :
         {"/usr/bin/nodejs", "/usr/bin/nodejs-22", "/x/.node-wrapped", "/x/node22", "/x/node_g"}) {
        INFO(exe);
        CHECK(is_interpreter(exe, "node"));
        CHECK_FALSE(is_interpreter(exe, "bun"));
    }
    CHECK(is_interpreter("/x/bun-profile", "bun"));
    CHECK(is_interpreter("/x/bun-debug", "bun"));
    CHECK(is_interpreter("/x/node_modules/bun/bin/bun.exe", "bun"));
    CHECK_FALSE(is_interpreter("/x/node.exe", "node"));
    CHECK(is_interpreter("/usr/bin/node", "node"));
    CHECK(is_interpreter("/usr/bin/node-22", "node"));
    CHECK(is_interpreter("/home/u/.nvm/versions/node/v22.1.0/bin/node (deleted)", "node"));
}

TEST_CASE("the Python of a framework on macOS has a name of its own") {
    const char* framework =
        "/opt/homebrew/Cellar/python@3.12/3.12.7_1/Frameworks/Python.framework/Versions/3.12/"
        "Resources/Python.app/Contents/MacOS/Python";
    const std::string names[] = {"node", "python"};
    CHECK(is_interpreter(framework, "python"));
    CHECK(is_one_of(framework, names));
    CHECK_FALSE(is_interpreter(framework, "node"));
    CHECK_FALSE(is_interpreter("/x/Python", "pythonw"));
    for (const char* other : {"/x/Python3", "/x/PYTHON", "/x/Python Launcher", "/x/Node"}) {
        INFO(other);
        CHECK_FALSE(is_interpreter(other, "python"));
        CHECK_FALSE(is_interpreter(other, "node"));
    }
}

TEST_CASE("what only looks like the interpreter") {
    for (const char* exe : {"/usr/bin/python3-config",
                            "/usr/bin/pythonw",
                            "/usr/bin/ipython3",
                            "/python/other",
                            "/usr/bin/",
                            "",
                            "/usr/bin/PYTHON3",
                            "/usr/bin/python3 ",
                            "/usr/bin/pythont",
                            "/usr/bin/python-",
                            "/usr/bin/python-t",
                            "/usr/bin/python3tt",
                            "/usr/bin/python--3",
                            "/usr/bin/python3-3",
                            "/usr/bin/python3 (deleted) (deleted)",
                            "/usr/bin/python3\n",
                            "/usr/bin/python3.11/",
                            "/x/.python3",
                            "/x/python3-wrapped",
                            "/x/.ipython3-wrapped",
                            "/x/.-wrapped",
                            "/x/._",
                            "/x/.",
                            "/x/.python3-wrapped-x",
                            "/usr/bin/pypyx",
                            "/usr/bin/python3-dbgx",
                            "/usr/bin/python3.11-profiler",
                            "/usr/bin/nodejs"}) {
        INFO(exe);
        CHECK_FALSE(is_interpreter(exe, "python"));
    }
    CHECK_FALSE(is_interpreter("/usr/bin/node_exporter", "node"));
    CHECK_FALSE(is_interpreter("/usr/bin/nod", "node"));
}

TEST_CASE("an executable by the end of its path") {
    const auto lies_at = [](const char* exe, const char* name) {
        const std::string names[] = {"other", name};
        return is_one_of(exe, names);
    };
    const char* versions = "claude/versions/*";
    CHECK(lies_at("/home/u/.local/share/claude/versions/2.1.328", versions));
    CHECK(lies_at("/home/u/.local/share/claude/versions/2.1.328 (deleted)", versions));
    CHECK(lies_at("claude/versions/2", versions));
    CHECK_FALSE(lies_at("/home/u/claude/versions/2.1.328/node", versions));
    CHECK_FALSE(lies_at("/home/u/notclaude/versions/2.1.328", versions));
    CHECK_FALSE(lies_at("/home/u/claude/version/2.1.328", versions));
    CHECK_FALSE(lies_at("versions/2.1.328", versions));
    CHECK_FALSE(lies_at("", versions));
    CHECK(lies_at("/x/vendor/x86_64-linux/bin/codex", "vendor/*/bin/codex"));
    CHECK_FALSE(lies_at("/x/vendor/a/b/bin/codex", "vendor/*/bin/codex"));
    CHECK_FALSE(lies_at("/x/vendor/a/bin/codex-1", "vendor/*/bin/codex"));
    CHECK(lies_at("/n/sdk-linux-x64/claude", "sdk-*/claude"));
    CHECK_FALSE(lies_at("/n/sdk/claude", "sdk-*/claude"));
    CHECK(lies_at("/n/aba/c", "ab*ba/c") == false);
    CHECK(lies_at("/n/abba/c", "ab*ba/c"));
    CHECK(lies_at("/usr/bin/other", versions));
}
