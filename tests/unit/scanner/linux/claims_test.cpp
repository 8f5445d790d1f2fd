#include "scanner/claims.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "scanner/fd.hpp"
#include "scanner/linux/claim_reading.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/subprocess.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace reaper::scanner;
using reaper::Fd;
using reaper::test::TemporaryFolder;

namespace {

const std::string kSelf = std::to_string(::getpid());

std::vector<Claim> data_claims(const std::string& home, Uid uid = ::geteuid()) {
    return read_claims(ProcessTable::open().value(), {uid, {home}, {}}).claims;
}

std::vector<Claim> hermes_claims(const std::string& home) {
    return read_claims(ProcessTable::open().value(), {::geteuid(), {}, {home}}).claims;
}

Claim only(const std::vector<Claim>& claims) {
    REQUIRE(claims.size() == 1);
    return claims.front();
}

void check_refused(const Claim& claim, Access why) {
    CHECK(claim.access == why);
    CHECK(claim.pid == 0);
    CHECK(claim.named.access == Access::not_read);
}

}  // namespace

TEST_CASE("a pid file names a process") {
    const TemporaryFolder home;
    home.write("daemon/bridge.pid", kSelf);
    const Claim claim = only(data_claims(home.path()));
    CHECK(claim.kind == ClaimKind::bridge_pid);
    CHECK(claim.path == home / "daemon/bridge.pid");
    CHECK(claim.home == home.path());
    CHECK(claim.owner == ::geteuid());
    CHECK(claim.access == Access::ok);
    CHECK(claim.pid == ::getpid());
    REQUIRE(claim.named.ok());
    CHECK(claim.named.value.pid == ::getpid());
    CHECK(claim.written_epoch > 1'600'000'000);
    CHECK(claim.spawner_row.access == Access::not_read);
}

TEST_CASE("a pid that no process has is gone") {
    const TemporaryFolder home;
    home.write("daemon/bridge.pid", "2147483647");
    CHECK(only(data_claims(home.path())).named.access == Access::gone);
}

TEST_CASE("files that are not there yield no claim") {
    const TemporaryFolder home;
    CHECK(data_claims(home.path()).empty());
    CHECK(hermes_claims(home.path()).empty());
    CHECK(data_claims(home / "nowhere").empty());
    home.write("file", "");
    CHECK(data_claims(home / "file").empty());
    home.write("daemon", "a file where a folder should be");
    CHECK(data_claims(home.path()).empty());
    home.write("desktop-ssh/known_hosts", "");
    CHECK(hermes_claims(home.path()).empty());
}

TEST_CASE("whatever makes a claim that protects is a record that a folder holds") {
    for (const char* name :
         {"daemon/bridge.pid", "daemon/headless-bridges.json", "gateway.pid", "spawn-ledger.json",
          "processes.json", "state/dashboard-compute-host.json", "proxy/iron-proxy.pid",
          "workspace/meetings/.active.json", ".hermes-update-in-progress",
          "desktop-ssh/x/backend.lock.json"}) {
        const TemporaryFolder home;
        home.write("state.db", "");
        const Fd folder(::open(home.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        CHECK(holds_records(folder.get()) == Reading<bool>::of(false));
        home.write(name, "?");
        INFO(name);
        CHECK_FALSE(read_claims(ProcessTable::open().value(),
                                {::geteuid(), {home.path()}, {home.path()}, {home.path()}})
                        .claims.empty());
        CHECK(holds_records(folder.get()) == Reading<bool>::of(true));
    }
}

TEST_CASE("records that a link may hide are not provably absent") {
    const TemporaryFolder home;
    home.link("daemon", "/nowhere");
    const Fd folder(::open(home.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    CHECK_FALSE(holds_records(folder.get()).ok());
}

TEST_CASE("stdio pid files, by name") {
    const TemporaryFolder home;
    home.write("daemon/bridge-stdio.pid", kSelf);
    home.write("daemon/bridge-stdio-0a5535de20543105363ebdfc.pid", "x");
    home.write("daemon/bridge.port", kSelf);
    const auto claims = data_claims(home.path());
    REQUIRE(claims.size() == 2);
    CHECK(claims[0].kind == ClaimKind::bridge_stdio_pid);
    CHECK(claims[0].access == Access::malformed);
    CHECK(claims[1].pid == ::getpid());
}

TEST_CASE("everything of a Hermes home, by path") {
    const TemporaryFolder home;
    home.write("gateway.pid", R"({"pid":)" + kSelf + R"(,"start_time":5})");
    home.write("desktop-ssh/0123/backend.lock.json", R"({"pid":)" + kSelf + "}");
    home.write("spawn-ledger.json",
               R"([{"pid":)" + kSelf +
                   R"(,"create_time":2.5,"spawner_pid":2147483647,"spawner_create":1.5}, 7])");
    home.write(".hermes-update-in-progress", kSelf + "\n1700000000\n");
    const auto claims = hermes_claims(home.path());
    REQUIRE(claims.size() == 5);
    CHECK(claims[0].kind == ClaimKind::update_marker);
    CHECK(claims[0].pid == ::getpid());
    CHECK_FALSE(claims[0].start_epoch);
    CHECK(claims[1].kind == ClaimKind::desktop_lock);
    CHECK(claims[1].pid == ::getpid());
    CHECK(claims[2].kind == ClaimKind::gateway_pid);
    CHECK(claims[2].start_ticks == 5);
    CHECK(claims[4].kind == ClaimKind::ledger);
    CHECK(claims[4].start_epoch == 2.5);
    CHECK(claims[4].named.value.pid == ::getpid());
    CHECK(claims[4].spawner == 2147483647);
    CHECK(claims[4].spawner_start_epoch == 1.5);
    CHECK(claims[4].spawner_row.access == Access::gone);
    CHECK(claims[3].access == Access::malformed);
}

TEST_CASE("what a Hermes home records of its compute host, proxy and meeting") {
    const TemporaryFolder home;
    home.write("proxy/iron-proxy.pid", kSelf + "\n");
    home.write("state/dashboard-compute-host.json",
               R"({"host_pid":)" + kSelf + R"(,"owner_pid":2147483647,"owner_start_time":6})");
    home.write("workspace/meetings/.active.json", R"({"pid":)" + kSelf + R"(,"pid_start_time":5})");
    const auto claims = hermes_claims(home.path());
    REQUIRE(claims.size() == 3);
    for (const Claim& claim : claims) {
        CHECK(claim.pid == ::getpid());
        CHECK(claim.named.value.pid == ::getpid());
    }
    CHECK(claims[0].kind == ClaimKind::proxy_pid);
    CHECK(claims[1].kind == ClaimKind::compute_host_registry);
    CHECK(claims[1].spawner == 2147483647);
    CHECK(claims[1].spawner_start_ticks == 6);
    CHECK(claims[1].spawner_row.access == Access::gone);
    CHECK(claims[2].kind == ClaimKind::meet_bot_record);
    CHECK(claims[2].start_ticks == 5);
    // A workspace that lies elsewhere is no pid file that cannot be read.
    const TemporaryFolder linked;
    linked.link("workspace", home.path() + "/workspace");
    CHECK(
        read_claim_files(ProcessTable::open().value(), {::geteuid(), {}, {linked.path()}}).empty());
    REQUIRE(hermes_claims(linked.path()).size() == 1);
    CHECK(hermes_claims(linked.path())[0].access == Access::denied);
}

TEST_CASE("the registry of headless bridges, in a plugin's root") {
    const TemporaryFolder root;
    root.write("daemon/headless-bridges.json",
               R"({"bridges":[{"pid":)" + kSelf + R"(,"parentPid":)" + kSelf +
                   R"(,"startedAt":2.5,"agent":"hermes"},{"pid":0}]})");
    CHECK(data_claims(root.path()).empty());
    const auto claims =
        read_claims(ProcessTable::open().value(), {::geteuid(), {}, {}, {root.path()}}).claims;
    REQUIRE(claims.size() == 2);
    CHECK(claims[0].kind == ClaimKind::headless_registry);
    CHECK(claims[0].access == Access::malformed);
    CHECK(claims[0].named.access == Access::not_read);
    CHECK(claims[1].home == root.path());
    CHECK(claims[1].path == root / "daemon/headless-bridges.json");
    CHECK(claims[1].start_epoch == 2.5);
    CHECK(claims[1].named.value.exe.ok());
    CHECK(claims[1].spawner == ::getpid());
    CHECK(claims[1].spawner_row.value.pid == ::getpid());
}

TEST_CASE("the registry of processes, in a Hermes home") {
    const TemporaryFolder home;
    home.write("processes.json",
               R"([{"pid":)" + kSelf + R"(,"pid_scope":"host","host_start_time":77,"owner_pid":)" +
                   kSelf + R"(,"owner_started_at":66},{"pid":1,"pid_scope":"sandbox"}])");
    const Claim claim = only(hermes_claims(home.path()));
    CHECK(claim.kind == ClaimKind::process_registry);
    CHECK(claim.access == Access::ok);
    CHECK(claim.pid == ::getpid());
    CHECK(claim.start_ticks == 77);
    CHECK(claim.spawner_start_ticks == 66);
    CHECK(claim.spawner_row.value.pid == ::getpid());
    home.write("processes.json", "[]");
    CHECK(hermes_claims(home.path()).empty());
    home.write("processes.json", "{}");
    check_refused(only(hermes_claims(home.path())), Access::malformed);
}

TEST_CASE("what was planted in place of a pid file is said, and not followed") {
    const TemporaryFolder home;
    home.write("elsewhere", kSelf);
    home.write("daemon/x", "");
    SECTION("a link") {
        home.link("daemon/bridge.pid", home / "elsewhere");
        check_refused(only(data_claims(home.path())), Access::denied);
    }
    SECTION("a link to nowhere") {
        home.link("daemon/bridge.pid", "nowhere");
        check_refused(only(data_claims(home.path())), Access::denied);
    }
    SECTION("a FIFO that nothing writes to") {
        home.fifo("daemon/bridge.pid");
        check_refused(only(data_claims(home.path())), Access::denied);
    }
    SECTION("a folder") {
        home.write("daemon/bridge.pid/x", "");
        check_refused(only(data_claims(home.path())), Access::denied);
    }
    SECTION("a second name of another file") {
        REQUIRE(::link((home / "elsewhere").c_str(), (home / "daemon/bridge.pid").c_str()) == 0);
        check_refused(only(data_claims(home.path())), Access::denied);
    }
    SECTION("a linked folder") {
        home.remove("daemon");
        home.write("other/bridge.pid", kSelf);
        home.link("daemon", "other");
        const auto claims = data_claims(home.path());
        REQUIRE(claims.size() == 2);  // bridge.pid, and the folder that may hold more
        for (const Claim& claim : claims) check_refused(claim, Access::denied);
    }
}

TEST_CASE("a home may be reached through a link, files below it may not") {
    const TemporaryFolder folder;
    folder.write("real/daemon/bridge.pid", kSelf);
    folder.link("home", "real");
    CHECK(only(data_claims(folder / "home")).access == Access::ok);
}

TEST_CASE("a file that is too large is not read, and not taken for nonsense") {
    const TemporaryFolder home;
    home.write("daemon/bridge.pid", kSelf + std::string(65 * 1024, ' '));
    check_refused(only(data_claims(home.path())), Access::denied);
    const std::string ledger = R"([{"pid": )" + kSelf + "}]";
    home.write("spawn-ledger.json", ledger + std::string(15 * 1024 * 1024, ' '));
    CHECK(only(hermes_claims(home.path())).pid == ::getpid());
    home.write("spawn-ledger.json", ledger + std::string(16 * 1024 * 1024, ' '));
    check_refused(only(hermes_claims(home.path())), Access::denied);
}

TEST_CASE("files that say nothing sensible") {
    const TemporaryFolder home;
    for (const std::string& text : {std::string(), std::string("garbage"), std::string("0"),
                                    std::string("\xff\xfe"), std::string(64 * 1024, '7')}) {
        home.write("daemon/bridge.pid", text);
        check_refused(only(data_claims(home.path())), Access::malformed);
    }
    home.write("gateway.pid", "{\"pid\":");
    check_refused(only(hermes_claims(home.path())), Access::malformed);
}

TEST_CASE("files of another user do not count, root's do") {
    if (::geteuid() != 0) return;
    const TemporaryFolder home;
    home.write("daemon/bridge.pid", kSelf);
    CHECK(only(data_claims(home.path(), 1000)).access == Access::ok);
    REQUIRE(::chown((home / "daemon/bridge.pid").c_str(), 65534, 65534) == 0);
    const Claim claim = only(data_claims(home.path(), 1000));
    check_refused(claim, Access::denied);
    CHECK(claim.owner == 65534);
    CHECK(only(data_claims(home.path(), 65534)).access == Access::ok);
}

TEST_CASE("a home that may not be looked into may hold claims") {
    if (::geteuid() != 0) return;
    const TemporaryFolder home;
    home.write("daemon/bridge.pid", kSelf);
    home.write("desktop-ssh/1/backend.lock.json", kSelf);
    REQUIRE(::chmod(home.path().c_str(), 0700) == 0);
    CHECK(reaper::test::in_child([&] {
              if (::setuid(65534) != 0) return 1;
              const auto data = data_claims(home.path());
              const auto hermes = hermes_claims(home.path());
              for (const Claim& claim : data)
                  if (claim.access != Access::denied) return 2;
              for (const Claim& claim : hermes)
                  if (claim.access != Access::denied) return 3;
              return data.size() == 2 && hermes.size() == 8 ? 0 : 4;
          }) == 0);
}

TEST_CASE("the owner of a browser is written into the folder of its sockets") {
    const TemporaryFolder folder;
    const auto claims_of = [&] {
        return read_claims(ProcessTable::open().value(), {::geteuid(), {}, {}, {}, {folder.path()}})
            .claims;
    };
    CHECK(claims_of().empty());
    folder.write("work.owner_pid", kSelf);
    folder.write("work.pid", "2147483647");
    const Claim claim = only(claims_of());
    CHECK(claim.kind == ClaimKind::browser_owner);
    CHECK(claim.home == folder.path());
    CHECK(claim.path == folder / "work.owner_pid");
    CHECK(claim.access == Access::ok);
    CHECK(claim.pid == 0);
    CHECK(claim.spawner == ::getpid());
    CHECK(claim.spawner_row.ok());
    folder.write("work.owner_pid", "2147483647\n");
    CHECK(only(claims_of()).spawner_row.access == Access::gone);
    folder.write("work.owner_pid", "x");
    CHECK(only(claims_of()).access == Access::malformed);
    folder.write("more.owner_pid", kSelf);
    CHECK(claims_of().size() == 2);
}

TEST_CASE("of a ledger only what names a process that lives is kept, once") {
    const TemporaryFolder home;
    const std::string mine =
        R"({"pid":)" + kSelf + R"(,"create_time":1.5,"spawner_pid":)" + kSelf + "}";
    const std::string other = R"({"pid":)" + kSelf + R"(,"create_time":2.5})";
    home.write("spawn-ledger.json",
               "[" + mine + R"(,{"pid":2147483647},)" + other + "," + mine + "]");
    const auto claims = hermes_claims(home.path());
    REQUIRE(claims.size() == 2);
    CHECK(claims[0].start_epoch == 1.5);
    CHECK(claims[0].named.value.pid == ::getpid());
    CHECK(claims[0].named.value.exe.access == Access::not_read);
    CHECK(claims[0].spawner_row.value.start_ticks == claims[0].named.value.start_ticks);
    CHECK(claims[1].start_epoch == 2.5);
    home.write("spawn-ledger.json", R"([{"pid":2147483647}])");
    CHECK(hermes_claims(home.path()).empty());
}

TEST_CASE("more entries than upstream can produce are not read, and not taken for nonsense") {
    const TemporaryFolder home;
    const auto list_of = [](std::size_t count, const auto& entry) {
        std::string text = "[";
        for (std::size_t at = 0; at < count; ++at) text += (at == 0 ? "" : ",") + entry(at);
        return text + "]";
    };
    const auto gone = [](std::size_t) { return std::string(R"({"pid":2147483647})"); };
    const auto mine = [](std::size_t at) {
        return R"({"pid":)" + kSelf + R"(,"create_time":)" + std::to_string(at) + "}";
    };
    home.write("spawn-ledger.json", list_of(65536, gone));
    CHECK(hermes_claims(home.path()).empty());
    home.write("spawn-ledger.json", list_of(65537, gone));
    check_refused(only(hermes_claims(home.path())), Access::denied);
    home.write("spawn-ledger.json", list_of(4, mine));
    CHECK(hermes_claims(home.path()).size() == 4);
    home.write("spawn-ledger.json", list_of(5, mine));
    check_refused(only(hermes_claims(home.path())), Access::denied);
}

TEST_CASE(
    "a file that did not change is not read again, and what it names is looked up again where it "
    "is asked") {
    const TemporaryFolder home;
    home.write("spawn-ledger.json", R"([{"pid":)" + kSelf + R"(,"spawner_pid":)" + kSelf + "}]");
    home.write("gateway.pid", kSelf);
    const ProcessTable table = ProcessTable::open().value();
    const ClaimPlaces places{::geteuid(), {}, {home.path()}};
    ClaimsRead earlier = read_claims(table, places);
    REQUIRE(earlier.claims.size() == 2);
    REQUIRE(earlier.marks.size() == 2);
    CHECK_FALSE(earlier.marks[0].settled);
    const auto start = earlier.claims[0].named.value.start_ticks;
    const auto again = [&](Pid about) {
        ClaimsRead memory = earlier;
        for (Claim& claim : memory.claims) {
            claim.start_epoch = 7;  // what the files do not say
            claim.named.value.start_ticks = 7;
        }
        return read_claims(table, places, {&memory, {about}}).claims;
    };
    CHECK(again(0) == earlier.claims);  // too young
    while (!earlier.marks[0].settled || !earlier.marks[1].settled) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        earlier = read_claims(table, places);
    }
    for (const Claim& claim : again(0)) {
        CHECK(claim.start_epoch == 7.0);
        CHECK(claim.named.value.start_ticks == 7);
    }
    for (const Claim& claim : again(::getpid())) {
        CHECK(claim.start_epoch == 7.0);
        CHECK(claim.named.value.start_ticks == start);
    }
    home.write("spawn-ledger.json", R"([{"pid":)" + kSelf + R"(,"spawner_pid":1}])");
    CHECK(again(0)[1].spawner == 1);
    CHECK(again(0)[0].start_epoch == 7.0);
}
