#include "scanner/descendants.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/support/proc_tree.hpp"
#include "tests/support/quiet_child.hpp"

using reaper::scanner::is_descendant;
using reaper::scanner::list_descendants;
using reaper::scanner::Pid;
using reaper::scanner::ProcessTable;
using reaper::scanner::read_descendants;
using reaper::test::ProcTree;
using reaper::test::QuietChild;

namespace {

using Pids = std::vector<Pid>;

// 10 started 20 and 30, 20 started 40, which started 41; 50 is another one's, 60 of another
// namespace.
ProcTree family() {
    return ProcTree{{.pid = 1, .ppid = 0},   {.pid = 10, .ppid = 1},  {.pid = 20, .ppid = 10},
                    {.pid = 30, .ppid = 10}, {.pid = 40, .ppid = 20}, {.pid = 41, .ppid = 40},
                    {.pid = 50, .ppid = 1},  {.pid = 60, .ppid = 0}};
}

}  // namespace

TEST_CASE("All that are below, and no others") {
    const ProcTree tree = family();
    CHECK(read_descendants(tree.table(), {10}) == Pids{20, 30, 40, 41});
    CHECK(read_descendants(tree.table(), {20}) == Pids{40, 41});
    CHECK(read_descendants(tree.table(), {41}) == Pids{});
    CHECK(read_descendants(tree.table(), {50}) == Pids{});
}

TEST_CASE("Few below one: the children of all of its threads, or the whole table") {
    const ProcTree tree = family();
    CHECK(list_descendants(tree.table(), 10, 9) == Pids{20, 30, 40, 41});
    tree.write("thread-self/children", "");
    CHECK(list_descendants(tree.table(), 10, 9) == Pids{});
    tree.write("10/task/10/children", "30 ");
    tree.write("10/task/11/children", "20 ");
    tree.write("20/task/20/children", "40 10 ");
    CHECK(list_descendants(tree.table(), 10, 3) == Pids{20, 30, 40});
    CHECK(list_descendants(tree.table(), 10, 2).error().code == std::errc::file_too_large);
    CHECK(list_descendants(tree.table(), 99, 9) == Pids{});
}

TEST_CASE("What a process has started as the kernel lists it") {
    const QuietChild child;
    const auto found = list_descendants(ProcessTable::open().value(), ::getpid(), 100);
    REQUIRE(found);
    CHECK(std::ranges::count(*found, child.pid()) == 1);
    CHECK(list_descendants(ProcessTable::open().value(), child.pid(), 100) == Pids{});
}

TEST_CASE("What is below what") {
    const ProcTree tree = family();
    for (const Pid pid : {20, 30, 40, 41}) CHECK(is_descendant(tree.table(), pid, 10) == true);
    for (const Pid pid : {1, 10, 50, 60}) CHECK(is_descendant(tree.table(), pid, 10) == false);
    CHECK(is_descendant(tree.table(), 30, 20) == false);
    CHECK(is_descendant(tree.table(), 10, 20) == false);
}

TEST_CASE("What is hidden is seen as the child of one that is not") {
    const ProcTree tree = family();
    tree.write("10/task/10/children", "20 21 30 ");
    tree.write("40/task/40/children", "41 42 ");
    tree.write("41/task/41/children", "43x");
    CHECK(read_descendants(tree.table(), {10}) == Pids{20, 21, 30, 40, 41, 42});
}

TEST_CASE("A ring, as it can be read while pids are handed out again, ends") {
    const ProcTree tree{{.pid = 20, .ppid = 30}, {.pid = 30, .ppid = 20}};
    CHECK(read_descendants(tree.table(), {20}) == Pids{30});
    CHECK(is_descendant(tree.table(), 20, 10) == false);
}

TEST_CASE("Real processes: a child is below, the parent is not, and what is gone is gone") {
    const auto table = ProcessTable::open();
    REQUIRE(table);
    const auto child = std::make_unique<QuietChild>();
    const Pid pid = child->pid();
    CHECK(is_descendant(*table, pid, ::getpid()) == true);
    CHECK(is_descendant(*table, ::getppid(), ::getpid()) == false);
    const auto below = read_descendants(*table, {::getpid()});
    REQUIRE(below);
    CHECK(*below == Pids{pid});
    const auto absent = is_descendant(*table, 999'999'999, ::getpid());
    REQUIRE_FALSE(absent);
    CHECK(absent.error().code == std::errc::no_such_process);
}
