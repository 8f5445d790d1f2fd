#include "scanner/claim_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/support/proc_tree.hpp"
#include "tests/support/subprocess.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace reaper::scanner;
using reaper::Fd;
using reaper::test::TemporaryFolder;

namespace {

const std::string kSelf = std::to_string(::getpid());

ProcessTable table() {
    return ProcessTable::open().value();
}

std::vector<ClaimFile> files_in(const std::string& home) {
    return read_claim_files(table(), {::geteuid(), {home}, {home}});
}

ClaimFile only(const std::vector<ClaimFile>& files) {
    REQUIRE(files.size() == 1);
    return files.front();
}

Fd locked(const std::string& path, int how) {
    Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(file);
    REQUIRE(::flock(file.get(), how | LOCK_NB) == 0);
    return file;
}

LockReading lock_in(const TemporaryFolder& home) {
    const auto directory = open_claim_home(home.path());
    REQUIRE(directory);
    return find_lock(table(), directory->get(), "gateway.lock");
}

}  // namespace

TEST_CASE("a pid file as a file") {
    const TemporaryFolder home;
    home.write("gateway.pid", R"({"pid":)" + kSelf + R"(,"start_time":null})");
    REQUIRE(::chmod((home / "gateway.pid").c_str(), 0640) == 0);
    const ClaimFile file = only(files_in(home.path()));
    CHECK(file.kind == ClaimKind::gateway_pid);
    CHECK(file.path == home / "gateway.pid");
    CHECK(file.found);
    CHECK(file.stamp.form == FileForm::regular);
    CHECK(file.stamp.mode == 0640);
    CHECK(file.stamp.links == 1);
    CHECK(file.stamp.owner == ::geteuid());
    CHECK(file.stamp.written_s > 1'600'000'000);
    CHECK(file.text.ends_with("null}"));
    REQUIRE(file.claims.size() == 1);
    CHECK(file.claims.front().pid == ::getpid());
    CHECK(file.claims.front().named.ok());
    CHECK(file.lock.state == LockState::absent);
    CHECK_FALSE(file.named_exited);
}

TEST_CASE("every kind of file, in its place") {
    const TemporaryFolder home;
    home.write("gateway.lock", "");
    home.write("daemon/viewer-start.lock/owner", "pid=" + kSelf + " started_at=1.5");
    home.write("whatsapp/session/bridge.pid", kSelf + "\n4711\n");
    home.write("locks/telegram-0123456789abcdef.lock", R"({"pid":)" + kSelf + "}");
    home.write("claw/daemon/openclaw-runtime.lock/owner.json", R"({"pid":)" + kSelf + "}");
    ClaimPlaces places{::geteuid(), {home.path()}, {home.path()}};
    places.lock_folders = {home / "locks"};
    places.openclaw_homes = {home / "claw"};
    const auto files = read_claim_files(table(), places);
    REQUIRE(files.size() == 5);
    CHECK(files[0].kind == ClaimKind::openclaw_lock);
    CHECK(files[1].kind == ClaimKind::viewer_lock);
    CHECK(files[2].kind == ClaimKind::gateway_lock);
    CHECK(files[2].lock.state == LockState::free);
    CHECK(files[2].claims.front().access == Access::malformed);
    CHECK(files[3].kind == ClaimKind::gateway_scope_lock);
    CHECK(files[4].kind == ClaimKind::whatsapp_bridge_pid);
    CHECK(files[4].claims.front().start_ticks == 4711);
    for (const std::size_t i : {0U, 1U, 3U, 4U}) CHECK(files[i].claims.front().pid == ::getpid());
    CHECK(read_claims(table(), places).claims.empty());  // none of them protects anything
}

TEST_CASE("the records of host-wide gateways and servers, each with its own lock") {
    const TemporaryFolder home;
    const std::string record =
        R"(","pid":)" + kSelf + R"(,"createTime":1.5,"protocolVersion":1,"profiles":["a","b"]})";
    home.write("host-gateway.json", R"({"role":"gateway)" + record);
    home.write("host-gateway.lock", "");
    home.write("host-serve.json", R"({"role":"serve)" + record);
    home.write("host-desktop-serve.json", "{");
    home.write("host-gateway.json.taken-aside.7", R"({"role":"gateway)" + record);
    home.write("host-other.json", record);
    home.fifo("host-gateway.token");
    const Fd gateway = locked(home / "host-gateway.lock", LOCK_EX);
    ClaimPlaces places{::geteuid(), {}, {}};
    places.lock_folders = {home.path()};
    const auto files = read_claim_files(table(), places);
    REQUIRE(files.size() == 5);
    CHECK(files[0].name == "host-desktop-serve.json");
    CHECK(files[0].claims.front().access == Access::malformed);
    CHECK(files[1].name == "host-gateway.json");
    CHECK(files[1].kind == ClaimKind::host_record);
    CHECK(files[1].claims.front().start_epoch == 1.5);
    CHECK(files[1].claims.front().named.ok());
    CHECK(files[2].name == "host-gateway.json.taken-aside.7");
    CHECK(files[3].kind == ClaimKind::host_lock);
    for (const std::size_t i : {1U, 2U, 3U})
        CHECK(files[i].lock == LockReading{LockState::held, ::getpid()});
    CHECK(files[4].name == "host-serve.json");
    CHECK(files[4].lock.state == LockState::absent);
    CHECK(read_claims(table(), places).claims.empty());
}

TEST_CASE("what holds gateway.lock is told without touching it") {
    const TemporaryFolder home;
    CHECK(lock_in(home).state == LockState::absent);
    home.write("gateway.lock", "");
    home.write("other.lock", "");
    const Fd other_home = locked(home / "other.lock", LOCK_EX);
    CHECK(lock_in(home).state == LockState::free);
    {
        const Fd gateway = locked(home / "gateway.lock", LOCK_EX);
        CHECK(lock_in(home) == LockReading{LockState::held, ::getpid()});
    }
    CHECK(lock_in(home).state == LockState::free);
    const Fd other_cleaner = locked(home / "gateway.lock", LOCK_SH);
    CHECK(lock_in(home).state == LockState::free);
    CHECK(::flock(other_cleaner.get(), LOCK_EX | LOCK_NB) ==
          0);  // the question itself holds nothing
}

TEST_CASE("a lock that is no file says nothing") {
    const TemporaryFolder home;
    home.link("gateway.lock", "elsewhere");
    CHECK(lock_in(home).state == LockState::unknown);
    home.remove("gateway.lock");
    home.fifo("gateway.lock");
    CHECK(lock_in(home).state == LockState::unknown);
    const auto empty = ProcessTable::open(home.path());
    REQUIRE(empty);
    const TemporaryFolder other;
    other.write("gateway.lock", "");
    const auto directory = open_claim_home(other.path());
    CHECK(find_lock(*empty, directory->get(), "gateway.lock") ==
          LockReading{LockState::unknown, 0, "cannot open /proc/locks: No such file or directory"});
}

TEST_CASE("what is planted in place of a pid file is seen for what it is") {
    const TemporaryFolder home;
    home.write("elsewhere", kSelf);
    const auto form = [&] {
        const ClaimFile file = only(files_in(home.path()));
        CHECK(file.found);
        CHECK(file.text.empty());
        CHECK(file.claims.front().access == Access::denied);
        return file.stamp.form;
    };
    SECTION("a link") {
        home.link("gateway.pid", "elsewhere");
        CHECK(form() == FileForm::link);
    }
    SECTION("a FIFO") {
        home.fifo("gateway.pid");
        CHECK(form() == FileForm::fifo);
    }
    SECTION("a folder") {
        home.write("gateway.pid/x", "");
        CHECK(form() == FileForm::folder);
    }
    SECTION("a device") {
        if (::mknod((home / "gateway.pid").c_str(), S_IFCHR | 0600, 0x103) != 0) return;
        CHECK(form() == FileForm::device);
    }
    SECTION("a second name of another file") {
        REQUIRE(::link((home / "elsewhere").c_str(), (home / "gateway.pid").c_str()) == 0);
        CHECK(form() == FileForm::regular);
        CHECK(only(files_in(home.path())).stamp.links == 2);
    }
}

TEST_CASE("the same file again, under another name") {
    const TemporaryFolder home;
    home.write("gateway.pid", "2147483647");
    const ClaimFile file = only(files_in(home.path()));
    const auto directory = open_claim_home(home.path());
    REQUIRE(::rename((home / "gateway.pid").c_str(), (home / "aside").c_str()) == 0);
    CHECK(read_again(table(), file, directory->get(), "aside") == file);
    CHECK_FALSE(read_again(table(), file, directory->get(), "gateway.pid").found);
    home.write("aside", "2147483646");
    const ClaimFile written = read_again(table(), file, directory->get(), "aside");
    CHECK(written.stamp.inode == file.stamp.inode);
    CHECK(written.text == "2147483646");
    home.write("gateway.pid", "2147483647");
    CHECK_FALSE(read_again(table(), file, directory->get(), "gateway.pid").stamp == file.stamp);
}

TEST_CASE("a process that has ended and was not collected has exited") {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    siginfo_t info{};
    REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
    const TemporaryFolder home;
    home.write("gateway.pid", std::to_string(child));
    CHECK(only(files_in(home.path())).named_exited);
    ::waitpid(child, nullptr, 0);
    CHECK(only(files_in(home.path())).claims.front().named.access == Access::gone);
}

TEST_CASE("what has that pid in a pid namespace below this one") {
    const auto status = [](const std::string& pids) {
        const std::string pid = pids.substr(0, pids.find('\t'));
        return std::map<std::string, std::string>{
            {"status",
             "Tgid:\t" + pid + "\nTracerPid:\t0\nUid:\t0\t0\t0\t0\nNSpid:\t" + pids + "\n"}};
    };
    const reaper::test::ProcTree tree{{.pid = 1},
                                      {.pid = 5, .comm = "a", .files = status("5\t77")},
                                      {.pid = 6, .files = status("6\t8\t77")},
                                      {.pid = 7, .files = status("7\t77\t9")},
                                      {.pid = 77}};
    const TemporaryFolder home;
    const auto read = [&] {
        return only(read_claim_files(tree.table(), {::geteuid(), {home.path()}, {home.path()}}));
    };
    home.write("daemon/bridge.pid", "77");
    const ClaimFile file = read();
    REQUIRE(file.nested_matches.size() == 2);
    CHECK(file.nested_matches[0].number == 77);
    CHECK(file.nested_matches[0].row.pid == 5);
    CHECK(file.nested_matches[0].row.comm == "a");
    CHECK(file.nested_matches[1].row.pid == 6);
    const auto directory = open_claim_home(home.path());
    CHECK(read_again(tree.table(), file, directory->get(), "daemon/bridge.pid") == file);
    home.write("daemon/bridge.pid", "78");
    CHECK(read().nested_matches.empty());
    home.remove("daemon/bridge.pid");
    home.write("gateway.pid", "77");
    CHECK(read().nested_matches.size() == 2);
    home.write("gateway.lock", "");
    for (const ClaimFile& one : read_claim_files(tree.table(), {::geteuid(), {}, {home.path()}}))
        CHECK(one.nested_matches.empty());  // its lock decides
}

TEST_CASE("what a run that was cut off has taken aside") {
    const TemporaryFolder home;
    for (const char* name :
         {"gateway.pid.taken-aside.7.taken-aside.8.1", "gateway.pid.taken-aside.7",
          "other.pid.taken-aside.7", "daemon/bridge.pid.taken-aside.7",
          "daemon/bridge-stdio-a.pid.taken-aside.7", "daemon/headless-bridges.json.taken-aside.7",
          "daemon/other.taken-aside.7"})
        home.write(name, "77");
    const ClaimPlaces places{::geteuid(), {home.path()}, {home.path()}, {home.path()}};
    std::vector<std::pair<std::string, ClaimKind>> found;
    for (const ClaimFile& file : read_claim_files(table(), places)) {
        CHECK(file.path == home / file.name);
        found.emplace_back(place_of(file.name), file.kind);
    }
    CHECK(found == std::vector<std::pair<std::string, ClaimKind>>{
                       {"daemon/bridge-stdio-a.pid", ClaimKind::bridge_stdio_pid},
                       {"daemon/bridge.pid", ClaimKind::bridge_pid},
                       {"daemon/headless-bridges.json", ClaimKind::headless_registry},
                       {"gateway.pid", ClaimKind::gateway_pid},
                       {"gateway.pid", ClaimKind::gateway_pid}});
    CHECK(read_claims(table(), places).claims.empty());
}

TEST_CASE("starts of gateways are read where nothing is planted") {
    const TemporaryFolder home;
    const auto starts = [&] { return read_gateway_starts({::geteuid(), {}, {home.path()}}); };
    CHECK(starts().empty());
    home.write("gateway-starts.log", "1\n2\n");
    const auto found = starts();
    REQUIRE(found.size() == 1);
    CHECK(found.front() == GatewayStarts{home.path(), home / "gateway-starts.log", {1.0, 2.0}});
    home.write("gateway-starts.log", std::string(5000, ' '));
    CHECK(starts().empty());
    home.remove("gateway-starts.log");
    home.fifo("gateway-starts.log");
    CHECK(starts().empty());
    home.remove("gateway-starts.log");
    home.write("other", "1");
    home.link("gateway-starts.log", "other");
    CHECK(starts().empty());
}

TEST_CASE("update markers by themselves") {
    const TemporaryFolder home;
    home.write(".hermes-update-in-progress", kSelf + "\n1700000000\n");
    home.write("gateway.pid", kSelf);
    const auto markers = read_update_markers(table(), {::geteuid(), {}, {home.path()}});
    REQUIRE(markers.size() == 1);
    CHECK(markers.front().kind == ClaimKind::update_marker);
    CHECK(markers.front().named.ok());
    home.write(".hermes-update-in-progress", kSelf);  // cut off: but the process is looked up
    const auto cut_off = read_update_markers(table(), {::geteuid(), {}, {home.path()}});
    CHECK(cut_off.front().access == Access::malformed);
    CHECK(cut_off.front().pid == ::getpid());
    CHECK(cut_off.front().named.ok());
}
