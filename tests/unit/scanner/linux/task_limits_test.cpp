#include "scanner/task_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/forked.hpp"

using namespace reaper::scanner;
using reaper::test::Forked;

namespace {

constexpr rlim_t kMost = 25;

// A user that no other test has, nor has that plus one.
Uid some_user() {
    return 1'000'000'000U + 2 * static_cast<Uid>(::getpid());
}

void become(Uid user) {
    const rlimit limit{kMost, kMost};
    if (::setrlimit(RLIMIT_NPROC, &limit) != 0 || ::setresuid(user, user, user) != 0) ::_exit(1);
}

void start_threads(int count) {
    for (int i = 0; i < count; ++i) std::thread([] { ::pause(); }).detach();
}

// Each ends at once, and nothing collects it.
void fork_zombies(int count) {
    for (int i = 0; i < count; ++i) {
        const pid_t pid = ::fork();
        if (pid == 0) ::_exit(0);
        if (pid < 0) return;
    }
}

TaskLimit limit_of(Uid user, Pid pid) {
    const auto table = ProcessTable::open().value();
    return read_user_limit(table, user, std::array{pid});
}

}  // namespace

TEST_CASE("processes, threads and zombies of a user count, as one each") {
    if (::geteuid() != 0) return;  // only root can become another user
    const Uid user = some_user();
    const Forked child([&] {
        become(user);
        start_threads(3);
        fork_zombies(2);
    });
    const TaskLimit limit = limit_of(user, child.pid());
    CHECK(limit.used == 6);
    CHECK(limit.most == kMost);
    CHECK(limit.where == "pid " + std::to_string(child.pid()));
}

TEST_CASE("where the kernel starts nothing more, the limit is used up") {
    if (::geteuid() != 0) return;
    const Uid user = some_user();
    const Forked child([&] {
        become(user);
        start_threads(3);
        fork_zombies(1000);
    });
    CHECK(limit_of(user, child.pid()).used == kMost);
}

TEST_CASE("what has another user sets no limit for this one") {
    if (::geteuid() != 0) return;
    const Forked child([] { become(some_user()); });
    const TaskLimit other = limit_of(some_user() + 1, child.pid());
    CHECK(other == TaskLimit{{}, {}, ""});
    const TaskLimit root = limit_of(0, child.pid());
    CHECK_FALSE(root.most);
    CHECK_FALSE(root.used);
}

TEST_CASE("far from the limit no process is read, and all count near it") {
    if (::geteuid() != 0) return;
    const Uid user = some_user();
    const Forked child([&] {
        rlimit limit{};
        if (::getrlimit(RLIMIT_NPROC, &limit) != 0) ::_exit(1);
        limit.rlim_cur = limit.rlim_max;
        if (::setrlimit(RLIMIT_NPROC, &limit) != 0 || ::setresuid(user, user, user) != 0)
            ::_exit(1);
    });
    CHECK_FALSE(limit_of(user, child.pid()).used);
    const Forked near([&] { become(user); });
    const TaskLimit limit =
        read_user_limit(ProcessTable::open().value(), user, std::array{child.pid(), near.pid()});
    CHECK(limit.used == 2);
    CHECK(limit.most == kMost);
}

TEST_CASE("a process that is gone tells nothing of any cgroup") {
    Forked child;
    const Pid gone = child.pid();
    child.reap();
    const auto table = ProcessTable::open().value();
    CHECK_NOTHROW(std::ignore = read_cgroup_limit(table, std::array{gone}));
    CHECK(used_part(TaskLimit{}) == 0);
}
