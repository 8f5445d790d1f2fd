// Two sweeps of one user: the second waits, or says what is in the way.
#include "agent/sweep/lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <thread>
#include <tuple>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

using std::chrono::milliseconds;
using test::TemporaryFolder;

const scanner::Uid kUser = ::geteuid();

std::string self() {
    return "another sweep is at work (pid " + std::to_string(::getpid()) + ")";
}

bool says(const std::string& complaint, const std::string& about) {
    return complaint.starts_with("another sweep may be at work: ") &&
           complaint.find(about) != std::string::npos;
}

}  // namespace

TEST_CASE("the second sweep is told which one holds the lock, though none has ever run before") {
    const TemporaryFolder home;
    const TemporaryFolder other_home;
    const Interrupt interrupt;
    SweepLocks first(interrupt, milliseconds(0));
    CHECK(first.hold(kUser, home.path()).empty());
    CHECK(first.hold(kUser, home.path()).empty());  // held already
    CHECK(first.complaint().empty());
    SweepLocks second(interrupt, milliseconds(0));
    CHECK(second.hold(kUser, home.path()) == self());
    CHECK(second.holder() == ::getpid());
    SweepLocks elsewhere(interrupt, milliseconds(0));
    CHECK(elsewhere.hold(kUser, other_home.path()).empty());
    CHECK(std::filesystem::is_empty(home.path()));
}

TEST_CASE("the lock goes with its holder") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    for (int round = 0; round < 3; ++round) {
        SweepLocks locks(interrupt, milliseconds(0));
        CHECK(locks.hold(kUser, home.path()).empty());
    }
}

TEST_CASE("a home that was deleted while it was waited for locks no sweep out") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    const std::string place = folder / "home";
    std::filesystem::create_directories(place);
    auto first = std::make_unique<SweepLocks>(interrupt, milliseconds(0));
    REQUIRE(first->hold(kUser, place).empty());
    std::thread deleter([&] {
        std::this_thread::sleep_for(milliseconds(150));
        std::filesystem::remove(place);
        std::filesystem::create_directories(place);
        first.reset();
    });
    SweepLocks second(interrupt, milliseconds(5000));
    CHECK(second.hold(kUser, place).empty());
    deleter.join();
    SweepLocks third(interrupt, milliseconds(0));
    CHECK(third.hold(kUser, place) == self());
}

TEST_CASE("the second waits for as long as it may") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    SweepLocks first(interrupt, milliseconds(0));
    REQUIRE(first.hold(kUser, home.path()).empty());
    const auto start = std::chrono::steady_clock::now();
    SweepLocks second(interrupt, milliseconds(250));
    CHECK(second.hold(kUser, home.path()) == self());
    const auto waited = std::chrono::steady_clock::now() - start;
    CHECK(waited >= milliseconds(250));
    CHECK(waited < milliseconds(5000));
}

TEST_CASE("users with one home are no obstacle to a sweep for all of them") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    SweepLocks root(interrupt, milliseconds(0));
    CHECK(root.hold(kUser, home.path()).empty());
    CHECK(root.hold(kUser + 1, home.path()).empty());
    CHECK(root.complaint().empty());
}

TEST_CASE("a home that leads to another user's is not locked") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    SweepLocks locks(interrupt, milliseconds(0));
    const scanner::Uid somebody = kUser + 1;
    if (::chown(home.path().c_str(), kUser + 2, static_cast<gid_t>(-1)) == 0) {
        CHECK(locks.hold(somebody, home.path()).empty());
        CHECK(says(locks.complaint(), home.path()));
        SweepLocks own(interrupt, milliseconds(0));
        CHECK(own.hold(kUser + 2, home.path()).empty());
    }
}

TEST_CASE("what several sweeps of one program share is not waited for") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    auto shared = open_home_to_lock(kUser, home.path());
    REQUIRE(shared);
    SweepLocks first(interrupt, milliseconds(0));
    first.share(kUser, Fd(::fcntl(shared->get(), F_DUPFD_CLOEXEC, 3)));
    SweepLocks second(interrupt, milliseconds(0));
    second.share(kUser, std::move(*shared));
    CHECK(first.hold(kUser, home.path()).empty());
    CHECK(second.hold(kUser, home.path()).empty());
    SweepLocks third(interrupt, milliseconds(0));
    CHECK(third.hold(kUser, home.path()) == self());
}

TEST_CASE("the process that locked a home may be gone while its copies hold the lock") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    const auto shared = open_home_to_lock(kUser, home.path());
    REQUIRE(shared);
    const pid_t taker = ::fork();
    if (taker == 0) ::_exit(::flock(shared->get(), LOCK_EX));
    REQUIRE(::waitpid(taker, nullptr, 0) == taker);
    SweepLocks second(interrupt, milliseconds(0));
    CHECK(second.hold(kUser, home.path()) == self());
}

TEST_CASE("another user's process that locks a home is no sweep, and root's is one") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    if (::chown(home.path().c_str(), kUser + 1, static_cast<gid_t>(-1)) != 0) return;  // not root
    ::chmod(home.path().c_str(), 0755);
    const Fd folder(::open(home.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const auto hold_beside = [&](uid_t locker) {
        std::array<int, 2> ready{};
        std::array<int, 2> done{};
        REQUIRE((::pipe(ready.data()) == 0 && ::pipe(done.data()) == 0));
        const pid_t process = ::fork();
        if (process == 0) {
            ::close(done[1]);
            char byte = 0;
            const Fd own(::open(home.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
            if (::setuid(locker) != 0 || ::flock(own.get(), LOCK_EX) != 0) ::_exit(1);
            std::ignore = ::write(ready[1], &byte, 1);
            ::_exit(static_cast<int>(::read(done[0], &byte, 1)));
        }
        char byte = 0;
        REQUIRE(::read(ready[0], &byte, 1) == 1);
        SweepLocks locks(interrupt, milliseconds(0));
        const std::string in_the_way = locks.hold(kUser + 1, home.path());
        const bool goes_on = says(locks.complaint(), "of another user has locked the home");
        for (const int end : {ready[0], ready[1], done[0], done[1]}) ::close(end);
        REQUIRE(::waitpid(process, nullptr, 0) == process);
        CHECK(in_the_way.empty() == goes_on);
        return goes_on;
    };
    CHECK(hold_beside(kUser + 2));
    CHECK_FALSE(hold_beside(kUser + 1));
    CHECK_FALSE(hold_beside(kUser));
}

TEST_CASE("where a home cannot be locked, the sweep goes on and says so") {
    const TemporaryFolder folder;
    folder.write("file", "x");
    const Interrupt interrupt;
    const auto complaint = [&](const std::string& home) {
        SweepLocks locks(interrupt, milliseconds(0));
        CHECK(locks.hold(kUser, home).empty());
        CHECK(locks.hold(kUser, home).empty());
        CHECK_FALSE(locks.refused());
        return locks.complaint();
    };
    CHECK(says(complaint(""), "a home to lock"));
    CHECK(says(complaint("relative"), "a home to lock"));
    CHECK(says(complaint(folder / "nowhere"), folder / "nowhere"));
    CHECK(says(complaint(folder / "file"), folder / "file"));
}

}  // namespace reaper::agent
