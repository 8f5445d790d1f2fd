#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scanner/inspector.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forked.hpp"

using namespace reaper::scanner;
using reaper::test::Ends;
using reaper::test::Forked;
using reaper::test::make_pipe;
using reaper::test::make_socketpair;

namespace {

ProcessFacts bare_facts(Pid pid) {
    ProcessFacts facts;
    facts.row = read_row(ProcessTable::open().value(), pid).value();
    facts.identity.pid = pid;
    facts.identity.start_ticks = facts.row.start_ticks;
    return facts;
}

std::vector<Pid> holders(std::uint64_t inode, Pid except) {
    std::vector<Pid> pids = find_holders(ProcessTable::open().value(), {inode})[inode];
    std::erase(pids, except);
    return pids;
}

std::uint64_t inode_of(const reaper::Fd& fd) {
    struct stat status{};
    REQUIRE(::fstat(fd.get(), &status) == 0);
    return status.st_ino;
}

}  // namespace

TEST_CASE("details of a process") {
    std::vector<ProcessFacts> candidates{bare_facts(::getpid())};
    add_details(candidates);
    CHECK(candidates[0].rss_bytes > 100'000);
    CHECK(candidates[0].rss_bytes < 4'000'000'000);
    CHECK(candidates[0].user == ::getpwuid(::geteuid())->pw_name);
    CHECK(candidates[0].cpu_seconds >= 0);
}

TEST_CASE("details of more processes than libproc2 takes at once") {
    const Forked child;
    std::vector<ProcessFacts> candidates(600, bare_facts(::getpid()));
    candidates.back() = bare_facts(child.pid());
    add_details(candidates);
    CHECK(candidates.front().rss_bytes > 0);
    CHECK(candidates.back().rss_bytes > 0);
    add_details({});
}

TEST_CASE("a process that is gone, or another one with its pid, adds nothing") {
    Forked child;
    std::vector<ProcessFacts> candidates{bare_facts(child.pid()), bare_facts(::getpid())};
    child.reap();
    candidates[1].identity.start_ticks += 1;
    add_details(candidates);
    CHECK(candidates[0].rss_bytes == 0);
    CHECK(candidates[0].user.empty());
    CHECK(candidates[1].rss_bytes == 0);
}

TEST_CASE("what holds the writing end of a pipe") {
    Ends pipe = make_pipe();
    const Forked reader([&] { ::close(pipe.second.get()); });
    const std::uint64_t inode = inode_of(pipe.first);
    CHECK(holders(inode, reader.pid()) == std::vector<Pid>{::getpid()});
    const Forked writer([&] { ::close(pipe.first.get()); });
    pipe.second.reset();
    CHECK(holders(inode, reader.pid()) == std::vector<Pid>{writer.pid()});
    CHECK(holders(inode, writer.pid()).empty());
}

TEST_CASE("what holds the other ends of several pipes is found in one walk") {
    const Ends first = make_pipe();
    const Ends second = make_pipe();
    const Forked one([&] { ::close(second.second.get()); });
    const Forked other([&] { ::close(first.second.get()); });
    const auto found =
        find_holders(ProcessTable::open().value(), {inode_of(first.first), inode_of(second.first)});
    REQUIRE(found.size() == 2);
    CHECK(found.at(inode_of(first.first)) == std::vector<Pid>{::getpid(), one.pid()});
    CHECK(found.at(inode_of(second.first)) == std::vector<Pid>{::getpid(), other.pid()});
}

TEST_CASE("what holds the other end of a socketpair") {
    Ends pair = make_socketpair();
    const std::uint64_t inode = inode_of(pair.first);
    const Forked child([&] { ::close(pair.second.get()); });
    CHECK(holders(inode, child.pid()) == std::vector<Pid>{::getpid()});
    pair.second.reset();
    CHECK(holders(inode, child.pid()).empty());
}
