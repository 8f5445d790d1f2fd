// The ancestors of this program as a /proc tells them that is damaged, or not our own. Each case is
// a child of the test, so that it has a parent which is not init.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "agent/reaping/signal_guard.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/proc_tree.hpp"

using reaper::agent::read_own_ancestors;
using reaper::scanner::Pid;
using reaper::test::ProcTree;

namespace {

constexpr Pid kOther = 4'000'001;

// Returns what `work` returned; what hangs is ended by its alarm.
int in_child(const std::function<int()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(20);
        ::_exit(work());
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

}  // namespace

TEST_CASE("A /proc that does not show this program tells no ancestors") {
    CHECK(in_child([] {
              const ProcTree tree{{.pid = kOther}};
              const auto ancestors = read_own_ancestors(tree.table());
              return !ancestors && ancestors.error().code == std::errc::no_such_process ? 0 : 1;
          }) == 0);
}

TEST_CASE("A /proc where this program has another parent is not our own, and tells no ancestors") {
    CHECK(in_child([] {
              const ProcTree tree{{.pid = ::getpid(), .ppid = kOther}, {.pid = kOther}};
              return read_own_ancestors(tree.table()) ? 1 : 0;
          }) == 0);
}

TEST_CASE("An ancestor that cannot be read leaves all of them unknown") {
    CHECK(in_child([] {
              const ProcTree tree{{.pid = ::getpid(), .ppid = ::getppid()},
                                  {.pid = ::getppid(), .ppid = kOther}};
              return read_own_ancestors(tree.table()) ? 1 : 0;
          }) == 0);
}

TEST_CASE("A ring of parents, as reused pids can make one, is passed once") {
    CHECK(in_child([] {
              const ProcTree tree{{.pid = ::getpid(), .ppid = ::getppid()},
                                  {.pid = ::getppid(), .ppid = kOther},
                                  {.pid = kOther, .ppid = ::getppid()}};
              const auto ancestors = read_own_ancestors(tree.table());
              return ancestors == std::vector<Pid>{::getppid(), kOther} ? 0 : 1;
          }) == 0);
}
