// The socket that tsx listens on for what it runs: exactly that one is no service, and whatever
// differs from it is one.
#include "policy/verdict/launcher_socket.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using reaper::policy::Action;
using reaper::policy::Verdict;
using reaper::scanner::Access;
using reaper::scanner::Listener;
using reaper::scanner::Pid;
using Clients = reaper::scanner::Reading<std::vector<std::uint64_t>>;

constexpr Pid kRoot = 100;
constexpr Pid kLeaf = 101;
constexpr std::uint64_t kConnection = 4711;

Listener& pipe_of(FactsBuilder& builder) {
    return builder[kRoot].listeners.value.front();
}

FactsBuilder pair() {
    FactsBuilder builder;
    builder.orphan_pair(kRoot, kLeaf);
    builder[kRoot].listeners.value = {
        {"unix", "/tmp/tsx-1000/100.pipe", 0, kUser, Clients::of({kConnection, kConnection + 1})}};
    builder[kLeaf].sockets = {kConnection + 1, 12, kConnection};
    return builder;
}

void check_ends(const FactsBuilder& builder) {
    CHECK(planned(builder) == std::vector<Pid>{kLeaf, kRoot});
    CHECK(has_code(judged(builder, kRoot), "listens.launcher"));
}

void check_stays(const FactsBuilder& builder) {
    CHECK(planned(builder).empty());
    CHECK(vetoes_of(judged(builder, kRoot)) == std::vector<std::string>{"veto.listens"});
    CHECK(judged(builder, kRoot).verdict == Verdict::unknown);
    CHECK(vetoes_of(judged(builder, kLeaf)) == std::vector<std::string>{"veto.partner"});
}

void set_variable(FactsBuilder& builder, const char* name, const char* value) {
    builder[kRoot].environment.value[name] = value;
}

}  // namespace

TEST_CASE("tsx: its own socket is no service") {
    check_ends(pair());
    SECTION("nothing has connected yet") {
        FactsBuilder builder = pair();
        pipe_of(builder).clients.value.clear();
        check_ends(builder);
    }
    SECTION("it is alone") {
        FactsBuilder builder = pair();
        pipe_of(builder).clients.value.clear();
        builder[kLeaf].row.ppid = 1;
        CHECK(planned(builder) == std::vector<Pid>{kLeaf, kRoot});
    }
    SECTION("a live pair is kept by its host alone") {
        FactsBuilder builder = pair();
        builder[kRoot].row.ppid = kHost;
        CHECK(vetoes_of(judged(builder, kRoot)) == std::vector<std::string>{});
        builder[kRoot].standard_input = live_end();
        CHECK(vetoes_of(judged(builder, kRoot)) == std::vector<std::string>{"veto.live_host"});
    }
}

TEST_CASE("tsx: the folder is the one that its environment names") {
    FactsBuilder builder = pair();
    set_variable(builder, "TEMP", "/third");
    pipe_of(builder).address = "/third/tsx-1000/100.pipe";
    check_ends(builder);
    set_variable(builder, "TMP", "/second/");
    check_stays(builder);
    pipe_of(builder).address = "/second/tsx-1000/100.pipe";
    check_ends(builder);
    set_variable(builder, "TMPDIR", "");
    check_ends(builder);
    set_variable(builder, "TMPDIR", "/first");
    check_stays(builder);
    pipe_of(builder).address = "/first/tsx-1000/100.pipe";
    check_ends(builder);
    for (const char* spelling : {"/first//", "//first", "/./first", "/first/../first/."}) {
        set_variable(builder, "TMPDIR", spelling);
        check_ends(builder);
    }
    pipe_of(builder).address = "";
    set_variable(builder, "TMPDIR", "first");
    check_stays(builder);
}

TEST_CASE("tsx: whatever differs is a service") {
    FactsBuilder builder = pair();
    Listener& pipe = pipe_of(builder);
    SECTION("another path") {
        for (const char* address : {"/tmp/tsx-1000/101.pipe", "/tmp/tsx-1001/100.pipe",
                                    "/tmp/tsx-1000/100.pipes", "/var/tmp/tsx-1000/100.pipe",
                                    "tmp/tsx-1000/100.pipe", "@/tmp/tsx-1000/100.pipe", ""}) {
            pipe.address = address;
            check_stays(builder);
        }
    }
    SECTION("made by another user") {
        pipe.owner = kUser + 1;
        check_stays(builder);
        pipe.owner = std::nullopt;
        check_stays(builder);
    }
    SECTION("a stranger is connected") {
        pipe.clients.value.push_back(99);
        check_stays(builder);
    }
    SECTION("what is connected is not known") {
        for (const Access access :
             {Access::not_read, Access::denied, Access::gone, Access::malformed}) {
            pipe.clients = Clients::failed(access);
            check_stays(builder);
        }
    }
    SECTION("the client is the child of another process") {
        builder.orphan_bridge(102);
        builder[102].sockets = builder[kLeaf].sockets;
        builder[kLeaf].sockets.clear();
        CHECK(planned(builder) == std::vector<Pid>{102});
    }
    SECTION("not of the unix family") {
        pipe.transport = "tcp";
        check_stays(builder);
    }
    SECTION("it listens on something else as well") {
        builder[kRoot].listeners.value.push_back({"unix", "@second", 0});
        check_stays(builder);
    }
    SECTION("its leaf listens on one of that name") {
        std::swap(builder[kLeaf].listeners, builder[kRoot].listeners);
        CHECK(planned(builder).empty());
        CHECK(vetoes_of(judged(builder, kLeaf)) == std::vector<std::string>{"veto.listens"});
    }
    SECTION("its environment is not known") {
        builder[kRoot].environment = {};
        CHECK(planned(builder).empty());
    }
}

TEST_CASE("tsx: a daemon pair that listens on that socket only is superseded as a whole") {
    FactsBuilder builder = pair();
    for (const Pid pid : {kRoot, kLeaf}) {
        builder[pid].row.command_line.value.argv.back() = "--daemon";
        builder[pid].standard_input = builder[pid].standard_output = null_end();
    }
    builder.listening_daemon(200);
    CHECK(planned(builder) == std::vector<Pid>{kLeaf, kRoot});
    CHECK(judged(builder, kRoot).verdict == Verdict::superseded);
    pipe_of(builder).clients.value.push_back(99);
    CHECK(planned(builder).empty());
    CHECK(judged(builder, kRoot).action == Action::report);
}

}  // namespace reaper::test
