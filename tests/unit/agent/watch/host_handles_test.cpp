#include "agent/watch/host_handles.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/support/quiet_child.hpp"

namespace reaper::agent {

using scanner::Pid;

namespace {

WatchedHost host_of(const scanner::ProcessTable& table, Pid pid, std::set<Pid> members) {
    const auto row = scanner::read_row(table, pid);
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
    const auto table = scanner::ProcessTable::open();
    test::QuietChild first;
    test::QuietChild second;
    const std::vector<WatchedHost> hosts{host_of(*table, first.pid(), {100, 101}),
                                         host_of(*table, second.pid(), {200})};
    HostHandles handles;
    handles.update(*table, hosts, 10);
    CHECK(handles.watched() == 2);
    CHECK(descriptors_of(handles) == 2);
    CHECK(handles.take_hostless().empty());
    first.end();
    CHECK(handles.take_hostless() == std::set<Pid>{100, 101});
    CHECK(handles.take_hostless().empty());
    CHECK(handles.watched() == 1);
}

TEST_CASE("Another process with the pid of the host is not the host") {
    const auto table = scanner::ProcessTable::open();
    test::QuietChild stranger;
    WatchedHost host = host_of(*table, stranger.pid(), {100});
    --host.start_ticks;
    HostHandles handles;
    handles.update(*table, {host}, 10);
    CHECK(handles.watched() == 0);
    CHECK(handles.take_hostless() == std::set<Pid>{100});
}

TEST_CASE("A host that died between the look and the handle is queued at once") {
    const auto table = scanner::ProcessTable::open();
    test::QuietChild child;
    const WatchedHost host = host_of(*table, child.pid(), {100});
    child.end();
    HostHandles handles;
    handles.update(*table, {host}, 10);
    CHECK(handles.take_hostless() == std::set<Pid>{100});
}

TEST_CASE("A host that died and is not in the next look any more is not forgotten") {
    const auto table = scanner::ProcessTable::open();
    test::QuietChild child;
    HostHandles handles;
    handles.update(*table, {host_of(*table, child.pid(), {100})}, 10);
    child.end();
    handles.update(*table, {}, 10);
    CHECK(handles.take_hostless() == std::set<Pid>{100});
}

TEST_CASE("More hosts than handles: the others are named, and watched once there is room") {
    const auto table = scanner::ProcessTable::open();
    test::QuietChild first;
    test::QuietChild second;
    const std::vector<WatchedHost> hosts{host_of(*table, first.pid(), {100}),
                                         host_of(*table, second.pid(), {200})};
    HostHandles handles;
    handles.update(*table, hosts, 1);
    CHECK(handles.watched() == 1);
    CHECK(handles.unwatched() == 1);
    CHECK(handles.has_no_handle(hosts[1].pid));
    CHECK(handles.complaint().find("Too many open files") != std::string::npos);
    handles.update(*table, {hosts[1]}, 1);
    CHECK(handles.unwatched() == 0);
    CHECK(handles.complaint().empty());
    handles.clear();
    CHECK(descriptors_of(handles) == 0);
}

}  // namespace reaper::agent
