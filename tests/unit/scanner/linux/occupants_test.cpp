#include "scanner/occupants.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/proc_tree.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace reaper::scanner;
using reaper::test::FakeProcess;
using reaper::test::ProcTree;

namespace {

const InstallPaths kInstallPaths{{"/h/hermes-agent"}, {"/h"}};

std::vector<std::pair<Pid, std::string>> found(const ProcTree& tree,
                                               const InstallPaths& paths = kInstallPaths) {
    std::vector<std::pair<Pid, std::string>> all;
    const auto occupants = find_occupants(tree.table(), paths).value();
    for (const Occupant& one : occupants.occupants) all.emplace_back(one.row.pid, one.through);
    return all;
}

using Found = std::vector<std::pair<Pid, std::string>>;

}  // namespace

TEST_CASE("what runs out of an install: by program, name, script, module and library") {
    const ProcTree tree{
        {.pid = 2, .exe = "/h/hermes-agent/bin/tool", .argv = {"tool"}},
        {.pid = 3,
         .exe = "/usr/bin/python3.11",
         .argv = {"/h/hermes-agent/venv/bin/python", "x.py"}},
        {.pid = 4,
         .exe = "/usr/bin/python3.11",
         .argv = {"venv/bin/python", "x.py"},
         .cwd = "/h/hermes-agent"},
        {.pid = 5,
         .exe = "/usr/bin/python3.11",
         .argv = {"python", "x.py"},
         .environment = {"VIRTUAL_ENV=/h/hermes-agent/venv"}},
        {.pid = 6,
         .exe = "/usr/bin/python3.11",
         .argv = {"python3", "/x.py"},
         .files =
             {{"maps",
               "7f00-7f01 r--p 00000000 00:01 1   /usr/lib/libc.so\n"
               "7f02-7f03 r-xp 00000000 00:01 2   /h/hermes-agent/venv/lib/a.so (deleted)\n"}}},
    };
    CHECK(found(tree) == Found{{2, "/h/hermes-agent/bin/tool"},
                               {3, "/h/hermes-agent/venv/bin/python"},
                               {4, "/h/hermes-agent/venv/bin/python"},
                               {5, "/h/hermes-agent/venv/bin/python"},
                               {6, "/h/hermes-agent/venv/lib/a.so (deleted)"}});
}

TEST_CASE("a script of an install has to be there") {
    const reaper::test::TemporaryFolder folder;
    const std::string install = folder / "hermes-agent";
    const std::string script = folder / "x.py";
    for (const char* file : {"hermes-agent/tool.py", "hermes-agent/hermes_cli/main.py", "x.py"})
        folder.write(file, "pass\n");
    const ProcTree tree{
        {.pid = 2, .exe = "/usr/bin/python3.11", .argv = {"python3", "-B", install + "/tool.py"}},
        {.pid = 3, .exe = "/usr/bin/dash", .argv = {"sh", "-c", "make all"}, .cwd = install},
        {.pid = 4, .exe = "/usr/bin/node", .argv = {"node"}, .cwd = install},
        {.pid = 5, .exe = "/usr/bin/vim", .argv = {"vim", install + "/tool.py"}},
        {.pid = 6, .exe = "/usr/bin/python3.11", .argv = {"python3", script, install + "/tool.py"}},
        {.pid = 7,
         .exe = "/usr/bin/python3.11",
         .argv = {"python3", "-W", "ignore", install + "/tool.py"}},
        {.pid = 8,
         .exe = "/usr/bin/python3.11",
         .argv = {"python3", "-m", "hermes_cli.main"},
         .cwd = install},
        {.pid = 9,
         .exe = "/usr/bin/python3.11",
         .argv = {"python3", "-m", "http.server"},
         .cwd = install},
    };
    CHECK(found(tree, {{install}, {}}) == Found{{2, install + "/tool.py"},
                                                {7, install + "/tool.py"},
                                                {8, install + "/hermes_cli/main"}});
}

TEST_CASE(
    "what does not show what it executes is told by its command line, outside of containers") {
    const reaper::test::TemporaryFolder folder;
    const std::string install = folder / "hermes-agent";
    folder.write("hermes-agent/tool.py", "pass\n");
    const ProcTree tree{
        {.pid = 2, .argv = {"/usr/bin/python3", "-B", install + "/tool.py"}},
        {.pid = 3, .argv = {"/usr/bin/vim", install + "/tool.py"}},
        {.pid = 4},
        {.pid = 5,
         .argv = {"python3"},
         .files = {{"status", "Tgid:\t5\nTracerPid:\t0\nUid:\t0\t0\t0\t0\nNSpid:\t5\t7\n"}}},
        {.pid = 6, .exe = "/usr/bin/python3", .argv = {"python3"}},
    };
    CHECK(found(tree, {{install}, {}}) == Found{{2, install + "/tool.py"}});
    std::vector<Pid> unseen;
    const auto occupancy = find_occupants(tree.table(), {{install}, {}}).value();
    for (const ProcessRow& row : occupancy.unseen) unseen.push_back(row.pid);
    CHECK(unseen == std::vector<Pid>{2, 3});
}

TEST_CASE("nothing else: neighbours, zombies and kernel threads") {
    const ProcTree tree{
        {.pid = 2, .exe = "/h/hermes-agent-2/bin/tool", .argv = {"tool"}},
        {.pid = 3, .exe = "/h/hermes-agent", .argv = {"tool"}},
        {.pid = 4, .state = 'Z', .exe = "/h/hermes-agent/bin/tool"},
        {.pid = 5, .flags = 0x200000, .exe = "/h/hermes-agent/bin/tool"},
        {.pid = 6, .exe = "/usr/bin/bash", .argv = {"bash"}, .cwd = "/h/hermes-agent"},
        {.pid = 7},
    };
    CHECK(found(tree).empty());
    CHECK(found(tree, {{}, {}}).empty());
}

TEST_CASE("ancestors, parent first, also where a pid was used again meanwhile") {
    const ProcTree tree{
        {.pid = 1, .ppid = 0},
        {.pid = 7, .ppid = 1},
        {.pid = 8, .ppid = 7, .exe = "/h/hermes-agent/a"},
        {.pid = 20, .ppid = 21},
        {.pid = 21, .ppid = 20, .exe = "/h/hermes-agent/b"},
    };
    const auto found = find_occupants(tree.table(), kInstallPaths).value();
    REQUIRE(found.occupants.size() == 2);
    CHECK(found.ancestors_of(8) == std::vector<Pid>{7, 1});
    CHECK(found.ancestors_of(21).size() < 10);
    CHECK(found.ancestors_of(4711).empty());
    CHECK(found.occupants[0].user == "root");
}

TEST_CASE("a container has an install of its own, unless it sees ours") {
    const reaper::test::TemporaryFolder folder;
    const std::string install = folder / "hermes-agent";
    folder.write("hermes-agent/tool.py", "pass\n");
    const auto inside = [](const std::string& pid) {
        return std::map<std::string, std::string>{
            {"status",
             "Tgid:\t" + pid + "\nUid:\t0\t0\t0\t0\nTracerPid:\t0\nNSpid:\t" + pid + "\t7\n"}};
    };
    const ProcTree tree{
        {.pid = 2, .exe = install + "/bin/tool", .argv = {"tool"}, .files = inside("2")},
        {.pid = 3, .exe = install + "/bin/tool", .argv = {"tool"}, .files = inside("3")},
    };
    tree.link("3/root", "/");
    CHECK(found(tree, {{install}, {}}) == Found{{3, install + "/bin/tool"}});
}

TEST_CASE("the main process of a service is told from what it started") {
    const ProcTree tree{
        {.pid = 2, .exe = "/h/hermes-agent/a", .environment = {"SYSTEMD_EXEC_PID=2"}},
        {.pid = 3, .exe = "/h/hermes-agent/a", .environment = {"SYSTEMD_EXEC_PID=2"}},
    };
    const auto all = find_occupants(tree.table(), kInstallPaths).value().occupants;
    REQUIRE(all.size() == 2);
    CHECK((all[0].heads_service && !all[1].heads_service));
}

TEST_CASE("logs that are deleted, below a home only") {
    const ProcTree tree{{.pid = 2, .exe = "/usr/bin/sqlite3", .argv = {"sqlite3"}}};
    tree.link("2/fd/3", "/h/state.db-wal (deleted)");
    tree.link("2/fd/4", "/h/state.db-wal (deleted)");
    tree.link("2/fd/5", "/elsewhere/state.db-wal (deleted)");
    tree.link("2/fd/6", "/h/live.db-wal");
    const auto all = find_occupants(tree.table(), kInstallPaths).value().occupants;
    REQUIRE(all.size() == 1);
    CHECK(all[0].deleted_databases == std::vector<std::string>{"/h/state.db-wal"});
    CHECK(all[0].through.empty());
}
