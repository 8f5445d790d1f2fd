#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <thread>

#include "scanner/process_table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/proc_tree.hpp"
#include "tests/support/quiet_child.hpp"
#include "tests/support/subprocess.hpp"

using namespace reaper::scanner;
using reaper::test::FakeProcess;
using reaper::test::in_child;
using reaper::test::ProcTree;
using reaper::test::QuietChild;
using reaper::test::RunningCat;
using reaper::test::stat_text;
using reaper::test::status_text;

namespace {

ProcessRow row_of(const FakeProcess& process) {
    const ProcTree tree{process};
    return read_row(tree.table(), process.pid).value();
}

std::error_code refusal_of(const FakeProcess& process) {
    const ProcTree tree{process};
    const auto row = read_row(tree.table(), process.pid);
    return row ? std::error_code() : row.error().code;
}

ProcessRow real_row(Pid pid) {
    return read_row(ProcessTable::open().value(), pid).value();
}

}  // namespace

TEST_CASE("a row holds what the files of the process say") {
    const ProcessRow row = row_of({.pid = 7,
                                   .ppid = 3,
                                   .pgrp = 4,
                                   .session = 5,
                                   .tty = 34816,
                                   .state = 'R',
                                   .start_ticks = 99,
                                   .uid = 1000,
                                   .comm = "a) b",
                                   .exe = "/usr/bin/node",
                                   .argv = {"node", "x y"},
                                   .cgroup = "0::/system.slice/a.service\n"});
    const ProcessRow expected{.pid = 7,
                              .ppid = 3,
                              .pgrp = 4,
                              .session = 5,
                              .tty = 34816,
                              .state = 'R',
                              .kernel_thread = false,
                              .start_ticks = 99,
                              .uid = 1000,
                              .comm = "a) b",
                              .exe = Reading<std::string>::of("/usr/bin/node"),
                              .command_line = Reading<CommandLine>::of({{"node", "x y"}, false}),
                              .cgroup = Reading<std::string>::of("/system.slice/a.service")};
    CHECK(row == expected);
}

TEST_CASE("no process has that pid") {
    const ProcTree tree{{.pid = 7}};
    for (const Pid pid : {8, 0, -1, 2147483647}) {
        INFO(pid);
        const auto row = read_row(tree.table(), pid);
        REQUIRE_FALSE(row);
        CHECK(row.error().code == std::errc::no_such_process);
    }
    CHECK(read_row(tree.table(), 8).error().subject.find("pid 8") == 0);
}

TEST_CASE("a row without its stat or status is none") {
    const ProcTree tree{{.pid = 7}, {.pid = 8}};
    std::filesystem::remove(tree.root() / "7/stat");
    std::filesystem::remove(tree.root() / "8/status");
    CHECK(read_row(tree.table(), 7).error().code == std::errc::no_such_process);
    CHECK(read_row(tree.table(), 8).error().code == std::errc::no_such_process);
    CHECK(refusal_of({.pid = 7, .files = {{"stat", "7 (x) S 1"}}}) == std::errc::invalid_argument);
    CHECK(refusal_of({.pid = 7, .files = {{"status", "Uid:\t0\t0\t0\t0\n"}}}) ==
          std::errc::invalid_argument);
    CHECK(refusal_of({.pid = 7, .files = {{"stat", ""}}}) == std::errc::invalid_argument);
}

TEST_CASE("the number of a thread is no process") {
    const FakeProcess leader{.pid = 6};
    CHECK(refusal_of({.pid = 7, .files = {{"status", status_text(leader)}}}) ==
          std::errc::no_such_process);
    std::promise<Pid> number;
    std::promise<void> done;
    std::thread thread([&] {
        number.set_value(static_cast<Pid>(::syscall(SYS_gettid)));
        done.get_future().wait();
    });
    const auto row = read_row(ProcessTable::open().value(), number.get_future().get());
    done.set_value();
    thread.join();
    REQUIRE_FALSE(row);
    CHECK(row.error().code == std::errc::no_such_process);
}

TEST_CASE("what cannot be read of a row says why") {
    CHECK(row_of({.pid = 7}).exe.access == Access::gone);
    CHECK(row_of({.pid = 7, .cgroup = "cut"}).cgroup.access == Access::malformed);
    CHECK(row_of({.pid = 7, .cgroup = "1:cpu:/\n"}).cgroup.access == Access::gone);
    CHECK(row_of({.pid = 7, .cgroup = ""}).cgroup.access == Access::gone);
    const ProcTree tree{{.pid = 7}};
    std::filesystem::remove(tree.root() / "7/cmdline");
    CHECK(read_row(tree.table(), 7)->command_line.access == Access::gone);
}

TEST_CASE("an empty command line is empty, a huge one is cut and says so") {
    const auto empty = row_of({.pid = 7}).command_line;
    CHECK(empty.ok());
    CHECK(empty.value.argv.empty());
    const auto huge =
        row_of({.pid = 7, .argv = {"node", std::string(6'000'000, 'x'), "--daemon"}}).command_line;
    CHECK(huge.ok());
    CHECK(huge.value.truncated);
    REQUIRE(huge.value.argv.size() == 2);
    CHECK(huge.value.argv[1].size() == 65536 - 5);
    CHECK_FALSE(row_of({.pid = 7, .argv = {std::string(65535, 'x')}}).command_line.value.truncated);
}

TEST_CASE("a kernel thread is one by its flag") {
    CHECK(row_of({.pid = 2, .flags = 0x208040}).kernel_thread);
    CHECK_FALSE(row_of({.pid = 2, .comm = "kthreadd"}).kernel_thread);
}

TEST_CASE("a fork that has started no program is one by its flag") {
    CHECK(row_of({.pid = 2, .flags = 0x400040}).forked);
    CHECK_FALSE(row_of({.pid = 2, .flags = 0x400000}).forked);
}

TEST_CASE("our own row") {
    const ProcessRow row = real_row(::getpid());
    CHECK(row.ppid == ::getppid());
    CHECK(row.pgrp == ::getpgrp());
    CHECK(row.session == ::getsid(0));
    CHECK(row.uid == ::geteuid());
    CHECK(row.state == 'R');
    CHECK(row.exe.value == std::filesystem::read_symlink("/proc/self/exe").string());
    CHECK_FALSE(row.command_line.value.argv.empty());
}

TEST_CASE("a zombie has a row, without exe and arguments") {
    QuietChild child;
    child.end();
    const ProcessRow row = real_row(child.pid());
    CHECK(row.state == 'Z');
    CHECK(row.ppid == ::getpid());
    CHECK(row.exe.access == Access::gone);
    CHECK(row.command_line.value.argv.empty());
}

TEST_CASE("only a file without a name is said to be deleted") {
    const ProcTree tree{};
    const auto kept = tree.root() / "cat (deleted)";
    const auto removed = tree.root() / "cat";
    std::filesystem::copy_file("/bin/cat", kept);
    std::filesystem::copy_file("/bin/cat", removed);
    const RunningCat of_kept(kept.string());
    const RunningCat of_removed(removed.string());
    std::filesystem::remove(removed);
    CHECK(real_row(of_kept.pid()).exe.value == kept.string());
    CHECK(real_row(of_removed.pid()).exe.value == removed.string());
}

// The kernel gives the directory of such a process to root.
TEST_CASE("the uid is the effective one, even of a process that may not be dumped") {
    if (::geteuid() != 0) return;  // only root can become another user
    const int status = in_child([] {
        const auto table = ProcessTable::open().value();
        if (::setresuid(65534, 65534, 65534) != 0 || ::prctl(PR_SET_DUMPABLE, 0) != 0) return 1;
        const auto row = read_row(table, ::getpid());
        if (!row) return 2;
        return row->uid == 65534 ? 0 : 3;
    });
    CHECK(status == 0);
}
