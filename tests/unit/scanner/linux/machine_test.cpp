#include "scanner/machine.hpp"

#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "scanner/pid_handle.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/proc_tree.hpp"
#include "tests/support/subprocess.hpp"

using namespace reaper::scanner;
using reaper::test::in_child;
using reaper::test::ProcTree;

namespace {

constexpr int kCannotTry = 99;  // this machine does not let the test make what it needs
const std::string kBootId = "0b1e6a3c-0000-4000-8000-0123456789ab";

Machine real() {
    return read_machine(ProcessTable::open().value()).value();
}

}  // namespace

TEST_CASE("this machine and our place in it") {
    const Machine machine = real();
    CHECK(machine.os == "linux");
    CHECK(machine.self == ::getpid());
    CHECK(machine.uid == ::geteuid());
    std::string boot_id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot_id;
    CHECK(machine.boot_id == boot_id);
    struct stat status{};
    REQUIRE(::stat("/proc/self/ns/pid", &status) == 0);
    CHECK(machine.pid_namespace == status.st_ino);
    CHECK_FALSE(machine.name.empty());
    CHECK_FALSE(machine.kernel.empty());
    CHECK(machine.has_handles);
}

TEST_CASE("our ancestors, parent first") {
    const Machine machine = real();
    if (::getppid() == 0) return;  // we are the first process of a namespace
    REQUIRE_FALSE(machine.own_ancestors.empty());
    CHECK(machine.own_ancestors.front() == ::getppid());
    CHECK(machine.own_ancestors.back() == 1);
    CHECK(machine.knows_ancestors);
}

TEST_CASE("the clock is the one of start ticks") {
    const auto table = ProcessTable::open().value();
    const Machine machine = real();
    const auto before = ticks_since_boot(machine.ticks_per_second);
    const int status = in_child([&] {
        const auto row = read_row(table, ::getpid());
        const auto after = ticks_since_boot(machine.ticks_per_second);
        return row && row->start_ticks >= before && row->start_ticks <= after ? 0 : 1;
    });
    CHECK(status == 0);
    CHECK(machine.now_ticks <= before);
    CHECK(machine.now_ticks + machine.ticks_per_second * 60ULL > before);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    CHECK(std::abs(std::chrono::duration<double>(now).count() - machine.now_epoch) < 60);
}

TEST_CASE("the clock follows a time namespace, as start ticks do") {
    const auto table = ProcessTable::open().value();
    const int status = in_child([&] {
        constexpr std::uint64_t kShift = 100'000;
        const auto outside = ticks_since_boot(100);
        if (::unshare(CLONE_NEWTIME) != 0) return kCannotTry;
        if (!(std::ofstream("/proc/self/timens_offsets")
              << "boottime " << kShift << " 0" << std::flush))
            return kCannotTry;
        return in_child([&] {
            const auto row = read_row(table, ::getpid());
            const auto inside = ticks_since_boot(100);
            if (inside < outside + kShift * 100) return 1;
            return row && row->start_ticks <= inside && row->start_ticks + 100 * 60 > inside ? 0
                                                                                             : 2;
        });
    });
    if (status != kCannotTry) CHECK(status == 0);
}

TEST_CASE("a tree of files is described, ancestors and all") {
    const ProcTree tree{
        {.pid = 1, .ppid = 0}, {.pid = 50, .ppid = 1}, {.pid = ::getpid(), .ppid = 50}};
    tree.write("sys/kernel/random/boot_id", kBootId + "\n");
    tree.link("self", std::to_string(::getpid()));
    const auto machine = read_machine(tree.table());
    REQUIRE(machine);
    CHECK(machine->boot_id == kBootId);
    CHECK(machine->pid_namespace == 4026531836);
    CHECK(machine->own_ancestors == std::vector<Pid>{50, 1});
}

TEST_CASE("ancestors that run in a circle, or cannot be read, end the climb") {
    const ProcTree circle{
        {.pid = 50, .ppid = 60}, {.pid = 60, .ppid = 50}, {.pid = ::getpid(), .ppid = 50}};
    circle.write("sys/kernel/random/boot_id", kBootId + "\n");
    circle.link("self", std::to_string(::getpid()));
    CHECK(read_machine(circle.table())->own_ancestors == std::vector<Pid>{50, 60});
    constexpr Pid kNobody = 50'000'001;  // more than any pid_max: no handle tells of it
    const ProcTree hidden{{.pid = ::getpid(), .ppid = kNobody}};
    hidden.write("sys/kernel/random/boot_id", kBootId + "\n");
    hidden.link("self", std::to_string(::getpid()));
    const auto machine = read_machine(hidden.table());
    REQUIRE(machine);
    CHECK(machine->own_ancestors == std::vector<Pid>{kNobody});
    CHECK_FALSE(machine->knows_ancestors);
    CHECK_FALSE(read_machine(circle.table())->knows_ancestors);
    CHECK(machine->hides_processes);  // process 1 is not hidden without a reason
}

TEST_CASE("the table of another pid namespace is refused: its pids are other processes here") {
    const ProcTree tree{{.pid = 1, .ppid = 0}, {.pid = ::getpid()}};
    tree.write("sys/kernel/random/boot_id", kBootId + "\n");
    CHECK_FALSE(read_machine(tree.table()));
    tree.link("self", "1");
    const auto machine = read_machine(tree.table());
    REQUIRE_FALSE(machine);
    CHECK(machine.error().code == std::errc::invalid_argument);
    CHECK(machine.error().subject == tree.root());
    const std::string pid = std::to_string(::getpid());
    const ProcTree nested{
        {.pid = 1, .ppid = 0},
        {.pid = ::getpid(),
         .files = {{"status", "Tgid:\t" + pid + "\nUid:\t0\t0\t0\t0\nTracerPid:\t0\nNSpid:\t" +
                                  pid + "\t" + pid + "\n"}}}};
    nested.write("sys/kernel/random/boot_id", kBootId + "\n");
    nested.link("self", pid);
    CHECK(read_machine(nested.table()).error().subject == nested.root());
    CHECK(read_place(nested.table()).error().subject == nested.root());
}

TEST_CASE("without a boot id or a namespace nothing can be identified") {
    const ProcTree tree{{.pid = 1, .ppid = 0}, {.pid = ::getpid()}};
    tree.link("self", std::to_string(::getpid()));
    CHECK(read_machine(tree.table()).error().code == std::errc::no_such_file_or_directory);
    for (const char* bad :
         {"", "\n", "short\n", "0b1e6a3c-0000-4000-8000-0123456789ab0\n",
          "0B1E6A3C-0000-4000-8000-0123456789AB\n", "0b1e6a3c 0000 4000 8000 0123456789ab\n"}) {
        INFO(bad);
        tree.write("sys/kernel/random/boot_id", bad);
        CHECK(read_machine(tree.table()).error().code == std::errc::invalid_argument);
    }
    tree.write("sys/kernel/random/boot_id", kBootId + "\n");
    CHECK(read_machine(tree.table()));
    const auto link = tree.root() / std::to_string(::getpid()) / "ns/pid";
    for (const char* bad : {"pid:[]", "pid:[x]", "net:[1]", "pid:[1", "pid:[-1]"}) {
        INFO(bad);
        std::filesystem::remove(link);
        std::filesystem::create_symlink(bad, link);
        CHECK(read_machine(tree.table()).error().code == std::errc::invalid_argument);
    }
}

TEST_CASE("an ancestor that /proc does not show tells its parent through a handle") {
    const auto info = PidHandle::open(::getpid()).value().parent();
    if (!info) return;  // before Linux 6.13
    CHECK(*info == ::getppid());
    const ProcTree hidden{{.pid = ::getpid(), .ppid = ::getppid()}};
    hidden.write("sys/kernel/random/boot_id", kBootId + "\n");
    hidden.link("self", std::to_string(::getpid()));
    const auto machine = read_machine(hidden.table());
    REQUIRE(machine);
    CHECK(machine->own_ancestors == real().own_ancestors);
    CHECK(machine->knows_ancestors);
}

TEST_CASE("hidepid is noticed by those that it hides from") {
    const ProcTree place{};
    std::filesystem::permissions(place.root(), std::filesystem::perms::all);
    for (const char* option : {"hidepid=1", "hidepid=2", "hidepid=0"}) {
        const int status = in_child([&] {
            if (::unshare(CLONE_NEWNS) != 0 ||
                ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                ::mount("proc", place.root().c_str(), "proc", 0, option) != 0) {
                return kCannotTry;
            }
            const auto of_root = read_machine(place.table());
            if (!of_root || of_root->hides_processes) return 1;
            if (::setgroups(0, nullptr) != 0 || ::setresgid(65534, 65534, 65534) != 0) return 2;
            if (::setresuid(65534, 65534, 65534) != 0) return 2;
            const auto of_nobody = read_machine(place.table());
            if (!of_nobody) return 3;
            return of_nobody->hides_processes == (std::string(option) != "hidepid=0") ? 0 : 4;
        });
        INFO(option);
        if (status != kCannotTry) CHECK(status == 0);
    }
    if (::geteuid() == 0) CHECK_FALSE(real().hides_processes);
}
