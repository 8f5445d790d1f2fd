#include "scanner/process_table.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/support/proc_tree.hpp"
#include "tests/support/quiet_child.hpp"
#include "tests/support/subprocess.hpp"

using namespace reaper::scanner;
using reaper::test::in_child;
using reaper::test::ProcTree;
using reaper::test::QuietChild;
using reaper::test::RunningCat;
using reaper::test::stat_text;

namespace {

const std::vector<std::string> kInterpreters = {"node", "python"};

Walk walk_all(const ProcessTable& table, std::optional<Uid> uid = std::nullopt) {
    return walk(table, {uid, kInterpreters}).value();
}

ProcessTable real() {
    return ProcessTable::open().value();
}

bool contains(const std::vector<Pid>& pids, Pid pid) {
    return std::ranges::find(pids, pid) != pids.end();
}

}  // namespace

TEST_CASE("a table that cannot be opened is an error, not an empty table") {
    const auto table = ProcessTable::open("/no/such/table");
    REQUIRE_FALSE(table);
    CHECK(table.error().code == std::errc::no_such_file_or_directory);
    CHECK(table.error().subject == "/no/such/table");
    CHECK(ProcessTable::open("/dev/null").error().code == std::errc::not_a_directory);
}

TEST_CASE("the walk finds interpreters by the exe link, in the order of their pids") {
    const ProcTree tree{
        {.pid = 1, .exe = "/sbin/init"},
        {.pid = 300, .exe = "/usr/bin/node"},
        {.pid = 20, .exe = "/opt/py/bin/python3.11"},
        {.pid = 4000, .exe = "/usr/bin/node (deleted)"},
        {.pid = 5, .comm = "node", .exe = "/usr/bin/tail", .argv = {"node", "bridge.cjs"}},
        {.pid = 2, .comm = "kthreadd"}};
    const Walk walked = walk_all(tree.table());
    CHECK(walked.candidates == std::vector<Pid>{20, 300, 4000});
    CHECK(walked.count == ScanCount{.seen = 6, .vanished = 0, .denied = 0, .foreign = 0});
}

TEST_CASE("only numbers are processes") {
    const ProcTree tree{{.pid = 7, .exe = "/usr/bin/node"}};
    for (const char* name : {"self", "0", "-1", "7x", "x7", "99999999999", "7 "}) {
        tree.link(std::string(name) + "/exe", "/usr/bin/node");
    }
    const Walk walked = walk_all(tree.table());
    CHECK(walked.candidates == std::vector<Pid>{7});
    CHECK(walked.count.seen == 1);
}

TEST_CASE("a table larger than the buffer is walked to its end") {
    const ProcTree tree{};
    for (Pid pid = 1; pid <= 4000; ++pid) {
        tree.link(std::to_string(pid) + "/exe", pid % 10 == 0 ? "/usr/bin/node" : "/bin/sleep");
    }
    const Walk walked = walk_all(tree.table());
    CHECK(walked.count.seen == 4000);
    CHECK(walked.candidates.size() == 400);
    CHECK(std::ranges::is_sorted(walked.candidates));
}

TEST_CASE("no interpreter is asked for: everything is counted, nothing found") {
    const ProcTree tree{{.pid = 7, .exe = "/usr/bin/node"}};
    const auto walked = walk(tree.table(), {});
    REQUIRE(walked);
    CHECK(walked->candidates.empty());
    CHECK(walked->count.seen == 1);
}

TEST_CASE("processes of other users are counted as foreign") {
    if (::geteuid() != 0) return;  // only root can make them
    const ProcTree tree{{.pid = 7, .uid = 1000, .exe = "/usr/bin/node"},
                        {.pid = 8, .uid = 1001, .exe = "/usr/bin/node"},
                        {.pid = 9, .uid = 0, .exe = "/usr/bin/node"}};
    const Walk walked = walk_all(tree.table(), 1000);
    CHECK(walked.candidates == std::vector<Pid>{7});
    CHECK(walked.count == ScanCount{.seen = 3, .vanished = 0, .denied = 0, .foreign = 2});
    CHECK(walk_all(tree.table()).candidates.size() == 3);
}

// An exe that is no link fails like one that is refused; root cannot be refused in a tree of files.
TEST_CASE("an exe that cannot be read is denied, but not where there is none to read") {
    const ProcTree tree{
        {.pid = 1, .files = {{"exe", ""}}},
        {.pid = 5, .comm = "node", .files = {{"exe", ""}}},
        {.pid = 6, .files = {{"exe", ""}, {"stat", stat_text({.pid = 6, .flags = 0x200000})}}},
        {.pid = 7, .files = {{"exe", ""}, {"stat", stat_text({.pid = 7, .state = 'Z'})}}},
        {.pid = 8, .files = {{"exe", ""}, {"stat", "cut off"}}}};
    tree.write("9/exe", "");  // and no stat: it went away in between
    const Walk walked = walk_all(tree.table());
    CHECK(walked.candidates.empty());
    CHECK(walked.count == ScanCount{.seen = 6, .vanished = 1, .denied = 2, .foreign = 0});
}

TEST_CASE("what hides and is called nothing like an interpreter is not missed") {
    const ProcTree tree{{.pid = 5, .comm = "(sd-pam)", .files = {{"exe", ""}}},
                        {.pid = 6, .comm = "ssh-agent", .files = {{"exe", ""}}}};
    CHECK(walk_all(tree.table()).count.denied == 0);
    const ProcTree hidden{{.pid = 7, .comm = "node-MainThread", .files = {{"exe", ""}}},
                          {.pid = 8, .comm = "python3", .files = {{"exe", ""}}}};
    CHECK(walk_all(hidden.table()).count.denied == 2);
}

TEST_CASE(
    "the real table: a program of ours is found, a zombie of it is not, and neither is denied") {
    const WalkScope scope{::geteuid(), {"cat"}};
    const RunningCat cat;
    QuietChild zombie;
    zombie.end();
    const auto walked = walk(real(), scope);
    REQUIRE(walked);
    CHECK(contains(walked->candidates, cat.pid()));
    CHECK_FALSE(contains(walked->candidates, zombie.pid()));
    CHECK(contains(walked->zombies, zombie.pid()));
    CHECK(walked->count.seen >= 3);
    CHECK_FALSE(contains(walk(real(), {::geteuid() + 1, {"cat"}})->candidates, cat.pid()));
}

TEST_CASE("what root runs is denied to others, kernel threads and zombies are not counted so") {
    if (::geteuid() != 0) return;  // only root can become another user
    const RunningCat cat;
    QuietChild zombie;
    zombie.end();
    const auto table = real();
    const auto everybody = walk(table, {std::nullopt, {}}).value().count;
    CHECK(everybody.denied == 0);
    const int status = in_child([&] {
        if (::setresuid(65534, 65534, 65534) != 0) return 1;
        const auto walked = walk(table, {std::nullopt, {"cat"}});
        if (!walked || contains(walked->candidates, cat.pid())) return 2;
        std::size_t without_exe = 0;
        // The zombie is one, also where a container shows no kernel threads.
        for (Pid pid = 1; pid <= std::max<Pid>(40000, zombie.pid()); ++pid) {
            const auto row = read_row(table, pid);
            if (row && (row->kernel_thread || row->state == 'Z')) ++without_exe;
        }
        if (walked->count.denied == 0 || without_exe == 0) return 3;
        return walked->count.denied + without_exe <= walked->count.seen + 5
                   ? 0
                   : 4;  // some come and go
    });
    CHECK(status == 0);
}

TEST_CASE("a walk leaves no descriptor behind, and one handle serves many") {
    const auto table = real();
    const int before = ::dup(0);
    ::close(before);
    for (int i = 0; i < 20; ++i) CHECK(walk(table, {std::nullopt, {}})->count.seen > 0);
    const int after = ::dup(0);
    ::close(after);
    CHECK(before == after);
}
