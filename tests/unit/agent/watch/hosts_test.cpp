#include "agent/watch/hosts.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"

namespace reaper::agent {

using scanner::Pid;

namespace {

std::vector<Pid> pids_of(const std::vector<WatchedHost>& hosts) {
    std::vector<Pid> pids;
    for (const WatchedHost& host : hosts) pids.push_back(host.pid);
    return pids;
}

std::vector<WatchedHost> hosts_in(const test::FactsBuilder& builder) {
    return hosts_of(builder.facts(), policy::built_in_rules());
}

}  // namespace

TEST_CASE("A host is what started a helper, not what adopted it") {
    test::FactsBuilder builder;
    builder.attached_bridge(100, test::kHost).attached_bridge(101, test::kHost).orphan_bridge(102);
    const auto hosts = hosts_in(builder);
    REQUIRE(pids_of(hosts) == std::vector<Pid>{test::kHost});
    CHECK(hosts.front().members == std::set<Pid>{100, 101});
    builder.relative(
        test::row(70, 1, "/usr/lib/systemd/systemd", {"/usr/lib/systemd/systemd", "--user"}));
    builder[102].row.ppid = 70;
    CHECK(hosts_in(builder) == hosts);
}

TEST_CASE("What is recorded as the owner is a host as well, while it lives") {
    test::FactsBuilder builder;
    builder.orphan_worker(100, test::kGonePid);
    CHECK(hosts_in(builder).empty());
    test::FactsBuilder other;
    auto owner =
        test::row(60, 1, "/usr/bin/python3", {"python3", "-m", "hermes_cli.main", "dashboard"});
    other.orphan_worker(100, 60).relative(owner);
    CHECK(pids_of(hosts_in(other)) == std::vector<Pid>{60});
}

TEST_CASE("The members below a member go with it") {
    test::FactsBuilder builder;
    builder.orphan_pair(100, 101);
    const auto hosts = hosts_in(builder);
    REQUIRE(pids_of(hosts) == std::vector<Pid>{100});
    builder[100].row.ppid = test::kHost;
    const auto attached = hosts_in(builder);
    REQUIRE(pids_of(attached) == std::vector<Pid>{test::kHost, 100});
    CHECK(attached.front().members == std::set<Pid>{100, 101});
}

TEST_CASE("The dead have no host, and are none") {
    test::FactsBuilder builder;
    builder.attached_bridge(100, test::kHost);
    builder[100].row.state = 'Z';
    CHECK(hosts_in(builder).empty());
}

}  // namespace reaper::agent
