#include "scanner/claims.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/support/subprocess.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace reaper::scanner;
using reaper::test::TemporaryFolder;

namespace {

const std::string kSelf = std::to_string(::getpid());

std::vector<Claim> data_claims(const std::string& home, Uid uid = ::geteuid()) {
    return read_claims(Procfs::open().value(), {uid, {home}, {}});
}

std::vector<Claim> hermes_claims(const std::string& home) {
    return read_claims(Procfs::open().value(), {::geteuid(), {}, {home}});
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

TEST_CASE("a pid that nobody has is gone") {
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
               R"([{"pid":2147483647,"create_time":2.5,"spawner_pid":)" + kSelf + R"(,"spawner_create":1.5}, 7])");
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
    CHECK(claims[4].named.access == Access::gone);
    CHECK(claims[4].spawner == ::getpid());
    CHECK(claims[4].spawner_start_epoch == 1.5);
    CHECK(claims[4].spawner_row.value.pid == ::getpid());
    CHECK(claims[3].access == Access::malformed);
}

TEST_CASE("the registry of headless bridges, in a plugin's root") {
    const TemporaryFolder root;
    root.write("daemon/headless-bridges.json", R"({"bridges":[{"pid":2147483647,"parentPid":)" + kSelf +
                                                   R"(,"startedAt":2.5,"agent":"hermes"},{"pid":0}]})");
    CHECK(data_claims(root.path()).empty());
    const auto claims = read_claims(Procfs::open().value(), {::geteuid(), {}, {}, {root.path()}});
    REQUIRE(claims.size() == 2);
    CHECK(claims[0].kind == ClaimKind::headless_registry);
    CHECK(claims[0].access == Access::malformed);
    CHECK(claims[0].named.access == Access::not_read);
    CHECK(claims[1].home == root.path());
    CHECK(claims[1].path == root / "daemon/headless-bridges.json");
    CHECK(claims[1].start_epoch == 2.5);
    CHECK(claims[1].named.access == Access::gone);
    CHECK(claims[1].spawner == ::getpid());
    CHECK(claims[1].spawner_row.value.pid == ::getpid());
}

TEST_CASE("the registry of processes, in a Hermes home") {
    const TemporaryFolder home;
    home.write("processes.json", R"([{"pid":)" + kSelf + R"(,"pid_scope":"host","host_start_time":77,"owner_pid":)" +
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
    SECTION("a FIFO that nobody writes to") {
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
    home.write("daemon/bridge.pid", kSelf + std::string(257 * 1024, ' '));
    check_refused(only(data_claims(home.path())), Access::denied);
    const std::string ledger = R"([{"pid": )" + kSelf + "}]";
    home.write("spawn-ledger.json", ledger + std::string(15 * 1024 * 1024, ' '));
    CHECK(only(hermes_claims(home.path())).pid == ::getpid());
    home.write("spawn-ledger.json", ledger + std::string(16 * 1024 * 1024, ' '));
    check_refused(only(hermes_claims(home.path())), Access::denied);
}

TEST_CASE("files that say nothing sensible") {
    const TemporaryFolder home;
    for (const std::string& text : {std::string(), std::string("garbage"), std::string("0"), std::string("\xff\xfe"),
                                    std::string(256 * 1024, '7')}) {
        home.write("daemon/bridge.pid", text);
        check_refused(only(data_claims(home.path())), Access::malformed);
    }
    home.write("gateway.pid", "{\"pid\":");
    check_refused(only(hermes_claims(home.path())), Access::malformed);
}

TEST_CASE("files of somebody else do not count, root's do") {
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
              return data.size() == 2 && hermes.size() == 5 ? 0 : 4;
          }) == 0);
}

TEST_CASE("who owns a browser is written into the folder of its sockets") {
    const TemporaryFolder folder;
    const auto claims_of = [&] {
        return read_claims(Procfs::open().value(), {::geteuid(), {}, {}, {}, {folder.path()}});
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
