// Two sweeps of one user: the second waits, or says who is in the way.
#include "agent/sweep_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <thread>

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

LockPlace home_of(const TemporaryFolder& folder) {
    return {folder.path()};
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
    const LockPlace place{folder / "home"};
    std::filesystem::create_directories(place.home);
    auto first = std::make_unique<SweepLocks>(interrupt, milliseconds(0));
    REQUIRE(first->hold(kUser, place).empty());
    std::thread deleter([&] {
        std::this_thread::sleep_for(milliseconds(150));
        std::filesystem::remove(place.home);
        std::filesystem::create_directories(place.home);
        first.reset();
    });
    SweepLocks second(interrupt, milliseconds(5000));
    CHECK(second.hold(kUser, place).empty());
    deleter.join();
    SweepLocks third(interrupt, milliseconds(0));
    CHECK(third.hold(kUser, place) == self());
}

TEST_CASE("where there is no home, a file beside the history counts") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    const LockPlace place{folder / "nowhere", folder / "state"};
    SweepLocks first(interrupt, milliseconds(0));
    CHECK(first.hold(kUser, place).empty());
    CHECK(first.complaint().empty());
    SweepLocks second(interrupt, milliseconds(0));
    CHECK(second.hold(kUser, {"", folder / "state"}) == self());
    struct stat status{};
    REQUIRE(::stat((folder / "state/sweep.lock").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
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
    CHECK(root.complaint().empty() == (kUser == 0));  // a home that is root's own may be anybody's
}

TEST_CASE("a home that leads to somebody else's is not locked") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    SweepLocks locks(interrupt, milliseconds(0));
    const scanner::Uid somebody = kUser + 1;
    if (::chown(home.path().c_str(), kUser + 2, static_cast<gid_t>(-1)) == 0) {
        CHECK(locks.hold(somebody, home_of(home)).empty());
        CHECK(says(locks.complaint(), home.path()));
        SweepLocks own(interrupt, milliseconds(0));
        CHECK(own.hold(kUser + 2, home_of(home)).empty());
        CHECK(own.complaint().empty());
    }
}

TEST_CASE("what several sweeps of one program share is not waited for") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    auto shared = open_sweep_lock(kUser, home_of(home));
    REQUIRE(shared);
    SweepLocks first(interrupt, milliseconds(0));
    first.share(kUser, Fd(::fcntl(shared->get(), F_DUPFD_CLOEXEC, 3)));
    SweepLocks second(interrupt, milliseconds(0));
    second.share(kUser, std::move(*shared));
    CHECK(first.hold(kUser, home_of(home)).empty());
    CHECK(second.hold(kUser, home_of(home)).empty());
    SweepLocks third(interrupt, milliseconds(0));
    CHECK(third.hold(kUser, home_of(home)) == self());
}

TEST_CASE("where there can be no lock, it is said, and nobody is in the way") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    const auto complaint = [&](const LockPlace& place) {
        SweepLocks locks(interrupt, milliseconds(0));
        CHECK(locks.hold(kUser, place).empty());
        return locks.complaint();
    };
    CHECK(says(complaint({}), "a home to lock"));
    CHECK(says(complaint({"relative"}), "a home to lock"));
    CHECK(says(complaint({folder / "nowhere"}), folder / "nowhere"));
    folder.write("file", "x");
    CHECK(says(complaint({folder / "file"}), folder / "file"));
    CHECK(says(complaint({"", folder / "file/state"}), folder / "file/state"));
    std::filesystem::create_directories(folder / "linked");
    folder.link("linked/sweep.lock", folder / "file");
    CHECK(says(complaint({"", folder / "linked"}), folder / "linked/sweep.lock"));
    std::filesystem::create_directories(folder / "fifo");
    folder.fifo("fifo/sweep.lock");
    CHECK(says(complaint({"", folder / "fifo"}), folder / "fifo/sweep.lock"));
}

}  // namespace reaper::agent
