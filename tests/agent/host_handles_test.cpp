#include "agent/host_handles.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/support/quiet_child.hpp"

namespace reaper::agent {

using scanner::Pid;

namespace {

WatchedHost host_of(const scanner::Procfs& procfs, Pid pid, std::set<Pid> members) {
    const auto row = scanner::read_row(procfs, pid);
    REQUIRE(row.has_value());
    return {pid, row->start_ticks, std::move(members)};
}

std::size_t descriptors_of(const HostHandles& handles) {
    std::vector<pollfd> descriptors;
    handles.add_to(descriptors);
    return descriptors.size();
}

}  // namespace

TEST_CASE("The members of a host that died are told, once") {
    const auto procfs = scanner::Procfs::open();
    test::QuietChild first;
    test::QuietChild second;
    const std::vector<WatchedHost> hosts{host_of(*procfs, first.pid(), {100, 101}),
                                         host_of(*procfs, second.pid(), {200})};
    HostHandles handles;
    handles.update(*procfs, hosts, 10);
    CHECK(handles.watched() == 2);
    CHECK(descriptors_of(handles) == 2);
    CHECK(handles.take_bereaved().empty());
    first.end();
    CHECK(handles.take_bereaved() == std::set<Pid>{100, 101});
    CHECK(handles.take_bereaved().empty());
    CHECK(handles.watched() == 1);
}

TEST_CASE("Somebody else with the pid of the host is not the host") {
    const auto procfs = scanner::Procfs::open();
    test::QuietChild stranger;
    WatchedHost host = host_of(*procfs, stranger.pid(), {100});
    --host.start_ticks;
    HostHandles handles;
    handles.update(*procfs, {host}, 10);
    CHECK(handles.watched() == 0);
    CHECK(handles.take_bereaved() == std::set<Pid>{100});
}

TEST_CASE("Who died between the look and the handle is bereaved at once") {
    const auto procfs = scanner::Procfs::open();
    test::QuietChild child;
    const WatchedHost host = host_of(*procfs, child.pid(), {100});
    child.end();
    HostHandles handles;
    handles.update(*procfs, {host}, 10);
    CHECK(handles.take_bereaved() == std::set<Pid>{100});
}

TEST_CASE("Who died and is not in the next look any more is not forgotten") {
    const auto procfs = scanner::Procfs::open();
    test::QuietChild child;
    HostHandles handles;
    handles.update(*procfs, {host_of(*procfs, child.pid(), {100})}, 10);
    child.end();
    handles.update(*procfs, {}, 10);
    CHECK(handles.take_bereaved() == std::set<Pid>{100});
}

TEST_CASE("More hosts than handles: the others are named, and watched once there is room") {
    const auto procfs = scanner::Procfs::open();
    test::QuietChild first;
    test::QuietChild second;
    const std::vector<WatchedHost> hosts{host_of(*procfs, first.pid(), {100}), host_of(*procfs, second.pid(), {200})};
    HostHandles handles;
    handles.update(*procfs, hosts, 1);
    CHECK(handles.watched() == 1);
    CHECK(handles.unwatched() == 1);
    CHECK(handles.has_no_handle(hosts[1].pid));
    CHECK(handles.complaint().find("Too many open files") != std::string::npos);
    handles.update(*procfs, {hosts[1]}, 1);
    CHECK(handles.unwatched() == 0);
    CHECK(handles.complaint().empty());
    handles.clear();
    CHECK(descriptors_of(handles) == 0);
}

}  // namespace reaper::agent
