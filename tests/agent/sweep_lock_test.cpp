// Two sweeps of one user: the second waits, or says who is in the way.
#include "agent/sweep_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <thread>

#include "agent/name_lock.hpp"
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
    return complaint.starts_with("another sweep may be at work: ") && complaint.find(about) != std::string::npos;
}

// A name that nobody else has: only the home counts.
LockPlace only(const std::string& home) {
    static int others = 0;
    return {home, "orphan-reaper/test/" + std::to_string(::getpid()) + "/" + std::to_string(++others)};
}

LockPlace home_of(const TemporaryFolder& folder) {
    return only(folder.path());
}

const LockPlace kOnlyName = only("");

// One who has the name, and says who it is or does not.
Fd somebody(const LockPlace& place, bool listens) {
    auto socket = make_name_lock();
    REQUIRE(socket);
    REQUIRE(take_name(*socket, place.name));
    if (listens) return std::move(*socket);
    Fd deaf(::fcntl(socket->get(), F_DUPFD_CLOEXEC, 3));
    ::shutdown(socket->get(), SHUT_RDWR);
    return deaf;
}

}  // namespace

TEST_CASE("whoever comes second is told who holds the lock, though nobody has ever swept before") {
    const TemporaryFolder home;
    const TemporaryFolder other_home;
    const Interrupt interrupt;
    SweepLocks first(interrupt, milliseconds(0));
    CHECK(first.hold(kUser, home_of(home)).empty());
    CHECK(first.hold(kUser, home_of(home)).empty());  // held already
    CHECK(first.complaint().empty());
    SweepLocks second(interrupt, milliseconds(0));
    CHECK(second.hold(kUser, home_of(home)) == self());
    CHECK(second.holder() == ::getpid());
    SweepLocks elsewhere(interrupt, milliseconds(0));
    CHECK(elsewhere.hold(kUser, home_of(other_home)).empty());
    CHECK(std::filesystem::is_empty(home.path()));
}

TEST_CASE("the lock goes with its holder") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    for (int round = 0; round < 3; ++round) {
        SweepLocks locks(interrupt, milliseconds(0));
        CHECK(locks.hold(kUser, home_of(home)).empty());
    }
}

TEST_CASE("a home that was deleted while it was waited for locks nobody out") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    const std::string place = folder / "home";
    std::filesystem::create_directories(place);
    auto first = std::make_unique<SweepLocks>(interrupt, milliseconds(0));
    REQUIRE(first->hold(kUser, only(place)).empty());
    std::thread deleter([&] {
        std::this_thread::sleep_for(milliseconds(150));
        std::filesystem::remove(place);
        std::filesystem::create_directories(place);
        first.reset();
    });
    SweepLocks second(interrupt, milliseconds(5000));
    CHECK(second.hold(kUser, only(place)).empty());
    deleter.join();
    SweepLocks third(interrupt, milliseconds(0));
    CHECK(third.hold(kUser, only(place)) == self());
}

TEST_CASE("where there is no home, the name counts") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    auto first = std::make_unique<SweepLocks>(interrupt, milliseconds(0));
    CHECK(first->hold(kUser, kOnlyName).empty());
    CHECK(first->complaint().empty());
    SweepLocks second(interrupt, milliseconds(0));
    CHECK(second.hold(kUser, {folder / "nowhere", kOnlyName.name}) == self());
    CHECK(second.holder() == ::getpid());
    CHECK(second.hold(kUser, home_of(folder)).empty());  // nor does it hold what it had meanwhile
    SweepLocks third(interrupt, milliseconds(0));
    CHECK(third.hold(kUser, {folder.path(), kOnlyName.name}) == self());
    first.reset();
    SweepLocks fourth(interrupt, milliseconds(0));
    CHECK(fourth.hold(kUser, kOnlyName).empty());
}

TEST_CASE("the name goes to whoever waits for it") {
    const Interrupt interrupt;
    auto first = std::make_unique<SweepLocks>(interrupt, milliseconds(0));
    REQUIRE(first->hold(kUser, kOnlyName).empty());
    std::thread ender([&] {
        std::this_thread::sleep_for(milliseconds(250));
        first.reset();
    });
    SweepLocks second(interrupt, milliseconds(5000));
    CHECK(second.hold(kUser, kOnlyName).empty());
    CHECK(second.complaint().empty());
    ender.join();
}

TEST_CASE("who has the name and does not answer for it may be a sweep, if it is that user's or root's") {
    const Interrupt interrupt;
    const Fd other = somebody(kOnlyName, false);
    SweepLocks locks(interrupt, milliseconds(0));
    CHECK(locks.hold(kUser, kOnlyName) == "another sweep is at work");
    CHECK(locks.refused());
    CHECK(locks.holder() == 0);
}

TEST_CASE("a name of sockets that are no locks is free") {
    const Interrupt interrupt;
    const Fd datagrams(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    kOnlyName.name.copy(address.sun_path + 1, kOnlyName.name.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + kOnlyName.name.size());
    REQUIRE(::bind(datagrams.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0);
    CHECK_FALSE(find_name_holder(kOnlyName.name));
    SweepLocks locks(interrupt, milliseconds(0));
    CHECK(locks.hold(kUser, kOnlyName).empty());
    CHECK_FALSE(locks.refused());
    CHECK(find_name_holder(kOnlyName.name)->uid == kUser);
}

TEST_CASE("a name of another user's process locks nobody out, and one of root's does") {
    const Interrupt interrupt;
    const Fd other = somebody(kOnlyName, true);
    SweepLocks locks(interrupt, milliseconds(0));
    CHECK(locks.hold(kUser + 1, kOnlyName).empty() == (kUser != 0));
    CHECK(says(locks.complaint(), "of another user has locked the name") == (kUser != 0));
}

TEST_CASE("the second waits for as long as it may") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    SweepLocks first(interrupt, milliseconds(0));
    REQUIRE(first.hold(kUser, home_of(home)).empty());
    const auto start = std::chrono::steady_clock::now();
    SweepLocks second(interrupt, milliseconds(250));
    CHECK(second.hold(kUser, home_of(home)) == self());
    const auto waited = std::chrono::steady_clock::now() - start;
    CHECK(waited >= milliseconds(250));
    CHECK(waited < milliseconds(5000));
}

TEST_CASE("users who have one home are no obstacle to whoever sweeps for all of them") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    SweepLocks root(interrupt, milliseconds(0));
    CHECK(root.hold(kUser, home_of(home)).empty());
    CHECK(root.hold(kUser + 1, home_of(home)).empty());
    CHECK(root.complaint().empty());
}

TEST_CASE("a home that leads to somebody else's is not locked") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    SweepLocks locks(interrupt, milliseconds(0));
    const scanner::Uid somebody = kUser + 1;
    if (::chown(home.path().c_str(), kUser + 2, static_cast<gid_t>(-1)) == 0) {
        CHECK(locks.hold(somebody, home_of(home)).empty());
        SweepLocks own(interrupt, milliseconds(0));
        CHECK(own.hold(kUser + 2, home_of(home)).empty());
    }
}

TEST_CASE("what several sweeps of one program share is not waited for") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    const LockPlace place = home_of(home);
    const auto copy = [](const Fd& file) { return Fd(::fcntl(file.get(), F_DUPFD_CLOEXEC, 3)); };
    OpenLocks shared = open_sweep_locks(kUser, place);
    REQUIRE((shared.home && shared.name));
    SweepLocks first(interrupt, milliseconds(0));
    first.share(kUser, {copy(shared.home), copy(shared.name)});
    SweepLocks second(interrupt, milliseconds(0));
    second.share(kUser, std::move(shared));
    CHECK(first.hold(kUser, place).empty());
    CHECK(second.hold(kUser, place).empty());
    SweepLocks third(interrupt, milliseconds(0));
    CHECK(third.hold(kUser, only(home.path())) == self());
    CHECK(third.hold(kUser, {"", place.name}) == self());
}

TEST_CASE("nor is a name, where there is no home") {
    const Interrupt interrupt;
    const OpenLocks shared = open_sweep_locks(kUser, kOnlyName);
    REQUIRE((!shared.home && shared.name));
    for (int sweep = 0; sweep < 2; ++sweep) {
        SweepLocks locks(interrupt, milliseconds(0));
        locks.share(kUser, {Fd(), Fd(::fcntl(shared.name.get(), F_DUPFD_CLOEXEC, 3))});
        CHECK(locks.hold(kUser, kOnlyName).empty());
        CHECK(locks.complaint().empty());
    }
}

TEST_CASE("who locked a home may be gone, and others have it from him") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    const OpenLocks shared = open_sweep_locks(kUser, home_of(home));
    const pid_t taker = ::fork();
    if (taker == 0) ::_exit(::flock(shared.home.get(), LOCK_EX));
    REQUIRE(::waitpid(taker, nullptr, 0) == taker);
    SweepLocks second(interrupt, milliseconds(0));
    CHECK(second.hold(kUser, home_of(home)) == self());
}

TEST_CASE("where there can be no lock, it is said, and nobody is in the way") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    struct rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const auto complaint = [&](const std::string& home, rlim_t descriptors) {
        SweepLocks locks(interrupt, milliseconds(0));
        const struct rlimit limit{descriptors, before.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &limit);
        const std::string in_the_way = locks.hold(kUser, only(home));
        ::setrlimit(RLIMIT_NOFILE, &before);
        CHECK(in_the_way.empty());
        return locks.complaint();
    };
    folder.write("file", "x");
    CHECK(says(complaint("", 0), "a home to lock"));
    CHECK(says(complaint("relative", 0), "a home to lock"));
    CHECK(says(complaint(folder.path(), 0), folder.path()));
    CHECK(complaint("", before.rlim_cur).empty());  // the name will do
    CHECK(complaint(folder / "nowhere", before.rlim_cur).empty());
    CHECK(complaint(folder / "file", before.rlim_cur).empty());
}

}  // namespace reaper::agent
