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

const std::string kPlace = ".local/state/orphan-reaper";

std::string self() {
    return "another sweep is at work (pid " + std::to_string(::getpid()) + ")";
}

// The lock of a user whose home is `home`, as that user's own sweep leaves it.
void sweep_once(const TemporaryFolder& home) {
    const Interrupt interrupt;
    SweepLocks locks(interrupt, milliseconds(0));
    REQUIRE(locks.hold_own({home / kPlace}).empty());
}

bool says(const std::string& complaint, const std::string& about) {
    return complaint.starts_with("another sweep may be at work: ") && complaint.find(about) != std::string::npos;
}

}  // namespace

TEST_CASE("whoever comes second is told who holds the lock") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    SweepLocks first(interrupt, milliseconds(0));
    CHECK(first.hold_own({folder / "state"}).empty());
    CHECK(first.complaint().empty());
    {
        SweepLocks second(interrupt, milliseconds(0));
        CHECK(second.hold_own({folder / "state"}) == self());
    }
    SweepLocks elsewhere(interrupt, milliseconds(0));
    CHECK(elsewhere.hold_own({folder / "other"}).empty());
}

TEST_CASE("the lock goes with its holder, and its file stays") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    for (int round = 0; round < 3; ++round) {
        SweepLocks locks(interrupt, milliseconds(0));
        CHECK(locks.hold_own({folder / "state"}).empty());
    }
    struct stat status{};
    REQUIRE(::stat((folder / "state/sweep.lock").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a lock whose file was deleted while it was waited for locks nobody out, so a new one is made") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    auto first = std::make_unique<SweepLocks>(interrupt, milliseconds(0));
    REQUIRE(first->hold_own({folder / "state"}).empty());
    std::thread deleter([&] {
        std::this_thread::sleep_for(milliseconds(150));
        std::filesystem::remove(folder / "state/sweep.lock");
        first.reset();
    });
    SweepLocks second(interrupt, milliseconds(5000));
    CHECK(second.hold_own({folder / "state"}).empty());
    deleter.join();
    SweepLocks third(interrupt, milliseconds(0));
    CHECK(third.hold_own({folder / "state"}) == self());
}

TEST_CASE("where the first folder has no room for a lock, the next one counts") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    folder.write("file", "x");
    SweepLocks first(interrupt, milliseconds(0));
    CHECK(first.hold_own({folder / "file/state", folder / "state"}).empty());
    CHECK(first.complaint().empty());
    SweepLocks second(interrupt, milliseconds(0));
    CHECK(second.hold_own({folder / "state"}) == self());
}

TEST_CASE("the second waits for as long as it may") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    SweepLocks first(interrupt, milliseconds(0));
    REQUIRE(first.hold_own({folder / "state"}).empty());
    const auto start = std::chrono::steady_clock::now();
    SweepLocks second(interrupt, milliseconds(250));
    CHECK(second.hold_own({folder / "state"}) == self());
    const auto waited = std::chrono::steady_clock::now() - start;
    CHECK(waited >= milliseconds(250));
    CHECK(waited < milliseconds(5000));
}

TEST_CASE("root waits for another user's own sweep, in the home of that user") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    const scanner::Uid user = ::geteuid();
    SweepLocks root(interrupt, milliseconds(0));
    CHECK(root.hold_of(user, home.path()).empty());  // never swept: nothing to lock
    sweep_once(home);
    CHECK(root.hold_of(user, home.path()).empty());
    CHECK(root.hold_of(user, home.path()).empty());  // held already
    SweepLocks own(interrupt, milliseconds(0));
    CHECK(own.hold_own({home / kPlace}) == self());
    CHECK(root.hold_of(user, "/nonexistent").empty());
}

TEST_CASE("a lock that another user could have put there locks nobody") {
    const TemporaryFolder home;
    const Interrupt interrupt;
    const scanner::Uid somebody = ::geteuid() + 1;
    sweep_once(home);
    SweepLocks own(interrupt, milliseconds(0));
    REQUIRE(own.hold_own({home / kPlace}).empty());
    SweepLocks root(interrupt, milliseconds(0));
    CHECK(root.hold_of(::geteuid(), home.path()) == self());  // the control
    CHECK(root.hold_of(somebody, home.path()).empty());       // not that user's file

    const TemporaryFolder linked;
    std::filesystem::create_directories(linked / ".local");
    std::filesystem::create_symlink(home / ".local/state", linked / ".local/state");
    CHECK(root.hold_of(::geteuid(), linked.path()).empty());

    const TemporaryFolder twice;
    std::filesystem::create_directories(twice / kPlace);
    std::filesystem::create_hard_link(home / (kPlace + "/sweep.lock"), twice / (kPlace + "/sweep.lock"));
    CHECK(root.hold_of(::geteuid(), twice.path()).empty());
}

TEST_CASE("where there can be no lock, it is said, and nobody is in the way") {
    const TemporaryFolder folder;
    const Interrupt interrupt;
    const auto complaint = [&](const std::string& place) {
        SweepLocks locks(interrupt, milliseconds(0));
        CHECK(locks.hold_own({place}).empty());
        return locks.complaint();
    };
    CHECK(says(complaint(""), "a folder for the lock"));
    folder.write("file", "x");
    CHECK(says(complaint(folder / "file/state"), folder / "file/state"));
    std::filesystem::create_directories(folder / "linked");
    folder.link("linked/sweep.lock", folder / "file");
    CHECK(says(complaint(folder / "linked"), folder / "linked/sweep.lock"));
    std::filesystem::create_directories(folder / "fifo");
    folder.fifo("fifo/sweep.lock");
    CHECK(says(complaint(folder / "fifo"), folder / "fifo/sweep.lock"));
}

}  // namespace reaper::agent
