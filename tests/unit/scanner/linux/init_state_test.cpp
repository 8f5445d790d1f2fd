#include "scanner/init_state.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/proc_tree.hpp"

using namespace reaper::scanner;
using reaper::test::FakeProcess;
using reaper::test::ProcTree;
using reaper::test::status_text;

namespace {

FakeProcess zombie() {
    return {.pid = 7, .ppid = 1, .state = 'Z', .start_ticks = 50};
}

bool awaits(const FakeProcess& process) {
    const ProcTree tree{process};
    return awaits_init(tree.table(), 7, 50);
}

FakeProcess traced(FakeProcess process) {
    std::string text = status_text(process);
    const std::string none = "TracerPid:\t0";
    process.files["status"] = text.replace(text.find(none), none.size(), "TracerPid:\t9");
    return process;
}

}  // namespace

TEST_CASE("what has ended, and only process 1 could collect") {
    CHECK(awaits(zombie()));
    FakeProcess other = zombie();
    other.state = 'S';
    CHECK_FALSE(awaits(other));
    other = zombie();
    other.ppid = 2;
    CHECK_FALSE(awaits(other));
    other = zombie();
    other.start_ticks = 51;  // its pid was taken again
    CHECK_FALSE(awaits(other));
    CHECK_FALSE(awaits(traced(zombie())));
    other = zombie();
    other.pid = 8;
    CHECK_FALSE(awaits(other));
}

TEST_CASE("process 1 by name, and what it does about SIGCHLD") {
    FakeProcess init{.pid = 1, .ppid = 0, .comm = "tail"};
    const std::string masks =
        "SigBlk:\t0000000000010000\nSigIgn:\t0000000000000000\nSigCgt:\t0000000000000000\n";
    init.files["status"] = status_text(init) + masks;
    const ProcTree tree{init};
    CHECK(read_init(tree.table()) == InitState{"tail", ChildSignal{.blocked = true}, 0, true});
    const ProcTree hidden{{.pid = 7}};
    CHECK(read_init(hidden.table()) == InitState{});
}
