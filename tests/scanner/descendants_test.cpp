#include "scanner/descendants.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/support/proc_tree.hpp"
#include "tests/support/quiet_child.hpp"

using reaper::scanner::is_descendant;
using reaper::scanner::Pid;
using reaper::scanner::Procfs;
using reaper::scanner::read_descendants;
using reaper::test::ProcTree;
using reaper::test::QuietChild;

namespace {

using Pids = std::vector<Pid>;

// 10 started 20 and 30, 20 started 40, which started 41; 50 is somebody else's, 60 of another namespace.
ProcTree family() {
    return ProcTree{{.pid = 1, .ppid = 0},   {.pid = 10, .ppid = 1},  {.pid = 20, .ppid = 10}, {.pid = 30, .ppid = 10},
                    {.pid = 40, .ppid = 20}, {.pid = 41, .ppid = 40}, {.pid = 50, .ppid = 1},  {.pid = 60, .ppid = 0}};
}

}  // namespace

TEST_CASE("Everybody below, and nobody else") {
    const ProcTree tree = family();
    CHECK(read_descendants(tree.procfs(), {10}) == Pids{20, 30, 40, 41});
    CHECK(read_descendants(tree.procfs(), {20}) == Pids{40, 41});
    CHECK(read_descendants(tree.procfs(), {41}) == Pids{});
    CHECK(read_descendants(tree.procfs(), {50}) == Pids{});
}

TEST_CASE("Who is below whom") {
    const ProcTree tree = family();
    for (const Pid pid : {20, 30, 40, 41}) CHECK(is_descendant(tree.procfs(), pid, 10) == true);
    for (const Pid pid : {1, 10, 50, 60}) CHECK(is_descendant(tree.procfs(), pid, 10) == false);
    CHECK(is_descendant(tree.procfs(), 30, 20) == false);
    CHECK(is_descendant(tree.procfs(), 10, 20) == false);
}

TEST_CASE("Nor strangers, and who is below them") {
    const ProcTree tree = family();
    CHECK(read_descendants(tree.procfs(), {10}, {20}) == Pids{30});
    CHECK(read_descendants(tree.procfs(), {10}, {30, 41}) == Pids{20, 40});
    CHECK(is_descendant(tree.procfs(), 41, 10, {20}) == false);
    CHECK(is_descendant(tree.procfs(), 20, 10, {20}) == false);
    CHECK(is_descendant(tree.procfs(), 30, 10, {20}) == true);
}

TEST_CASE("Who is hidden is seen as the child of somebody who is not") {
    const ProcTree tree = family();
    tree.write("10/task/10/children", "20 21 30 ");
    tree.write("40/task/40/children", "41 42 ");
    tree.write("41/task/41/children", "43x");
    CHECK(read_descendants(tree.procfs(), {10}) == Pids{20, 21, 30, 40, 41, 42});
    CHECK(read_descendants(tree.procfs(), {10}, {21, 40}) == Pids{20, 30});
}

TEST_CASE("A ring, as it can be read while pids are handed out again, ends") {
    const ProcTree tree{{.pid = 20, .ppid = 30}, {.pid = 30, .ppid = 20}};
    CHECK(read_descendants(tree.procfs(), {20}) == Pids{30});
    CHECK(is_descendant(tree.procfs(), 20, 10) == false);
}

TEST_CASE("Real processes: a child is below, the parent is not, and who is gone is gone") {
    const auto procfs = Procfs::open();
    REQUIRE(procfs);
    const auto child = std::make_unique<QuietChild>();
    const Pid pid = child->pid();
    CHECK(is_descendant(*procfs, pid, ::getpid()) == true);
    CHECK(is_descendant(*procfs, ::getppid(), ::getpid()) == false);
    const auto below = read_descendants(*procfs, {::getpid()});
    REQUIRE(below);
    CHECK(*below == Pids{pid});
    const auto absent = is_descendant(*procfs, 999'999'999, ::getpid());
    REQUIRE_FALSE(absent);
    CHECK(absent.error().code == std::errc::no_such_process);
}
