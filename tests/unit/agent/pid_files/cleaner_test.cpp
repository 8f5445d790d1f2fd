#include "agent/pid_files/cleaner.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

using policy::FileJudgement;
using scanner::ClaimFile;
using test::TemporaryFolder;

const std::string kNobody = "2147483647";  // larger than any pid

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::size_t names_in(const TemporaryFolder& home) {
    std::size_t names = 0;
    for (const auto& entry : std::filesystem::directory_iterator(home.path()))
        names += entry.path().empty() ? 0U : 1U;
    return names;
}

// A home with one stale gateway.pid, and something that happens at one point of its removal.
class Scene {
   public:
    Scene() {
        home_.write("gateway.pid", kNobody);
        home_.write("gateway.lock", "");
    }

    [[nodiscard]] const TemporaryFolder& home() const { return home_; }
    [[nodiscard]] std::string pid_file() const { return home_ / "gateway.pid"; }

    void at(RemovalPoint point, std::function<void()> action) {
        actions_.emplace_back(point, std::move(action));
    }

    Removal put_back(const std::string& name) {
        for (const ClaimFile& file : files()) {
            if (file.name == name) return agent::put_back(table_, file, parts());
        }
        return {RemovalResult::failed, "there is no " + name};
    }

    Removal remove() { return remove("gateway.pid"); }
    Removal remove(const std::string& name) {
        for (const ClaimFile& file : files()) {
            if (file.name == name) return remove_stale(table_, file, parts());
        }
        return {RemovalResult::failed, "there is no " + name};
    }
    [[nodiscard]] std::vector<ClaimFile> files() const {
        scanner::ClaimPlaces places{::geteuid(), {}, {home_.path()}};
        places.lock_folders = {home_.path()};
        return scanner::read_claim_files(table_, places);
    }

    bool is_stale = true;
    bool sees_all_locks = false;
    bool announce_fails = false;
    int announced = 0;

   private:
    [[nodiscard]] CleanerParts parts() {
        return {[this](const ClaimFile& one) {
                    const bool held = one.lock.state == scanner::LockState::held ||
                                      one.lock.state == scanner::LockState::unknown;
                    FileJudgement judgement;
                    judgement.reason = "somebody has it";
                    judgement.put_back = !is_stale;
                    judgement.remove = is_stale && !held && !one.claims.empty() &&
                                       one.claims.front().named.access == scanner::Access::gone;
                    return judgement;
                },
                [this](const ClaimFile&, const FileJudgement&) -> Result<void> {
                    ++announced;
                    if (announce_fails) return failure(std::errc::io_error, "write down", "it");
                    return {};
                },
                [this](RemovalPoint point) {
                    for (const auto& [when, action] : actions_) {
                        if (when == point) action();
                    }
                },
                sees_all_locks};
    }

    TemporaryFolder home_;
    scanner::ProcessTable table_ = scanner::ProcessTable::open().value();
    std::vector<std::pair<RemovalPoint, std::function<void()>>> actions_;
};

}  // namespace

TEST_CASE("a stale file is removed, and nothing is left of it") {
    Scene scene;
    CHECK(scene.remove().result == RemovalResult::removed);
    CHECK(scene.announced == 1);
    CHECK(names_in(scene.home()) == 1);
    CHECK(::access((scene.home() / "gateway.lock").c_str(), F_OK) == 0);
}

TEST_CASE("what killed runs of the same pid have left is no obstacle, and stays as it is") {
    Scene scene;
    const std::string left = "gateway.pid.taken-aside." + std::to_string(::getpid());
    for (const std::string& name : {left, left + ".1", left + ".2"})
        scene.home().write(name, "left");
    CHECK(scene.remove().result == RemovalResult::removed);
    CHECK(names_in(scene.home()) == 4);
    CHECK(text_of(scene.home() / left) == "left");
    scene.home().write("gateway.pid", kNobody);
    scene.at(RemovalPoint::aside, [&] { scene.is_stale = false; });
    CHECK(scene.remove().result == RemovalResult::changed);
    CHECK(text_of(scene.pid_file()) == kNobody);
    CHECK(names_in(scene.home()) == 5);
}

TEST_CASE("what was left aside is removed, or put back where its place is free") {
    const std::string aside = "gateway.pid.taken-aside.7";
    Scene scene;
    scene.home().write(aside, kNobody);
    CHECK(scene.remove(aside).result == RemovalResult::removed);
    scene.home().write(aside, "1");
    scene.is_stale = false;
    const Removal left = scene.put_back(aside);
    CHECK((left.result == RemovalResult::changed && left.detail == "there is a newer gateway.pid"));
    CHECK(text_of(scene.pid_file()) == kNobody);
    CHECK(names_in(scene.home()) == 3);
    scene.home().remove("gateway.pid");
    CHECK(scene.put_back(aside).result == RemovalResult::put_back);
    CHECK(text_of(scene.pid_file()) == "1");
    CHECK(names_in(scene.home()) == 2);
    scene.home().write(aside, "1");
    scene.home().remove("gateway.pid");
    scene.is_stale = true;
    CHECK(scene.put_back(aside).result == RemovalResult::changed);
    CHECK(text_of(scene.home() / aside) == "1");
}

TEST_CASE("what another run has aside is left to it") {
    Scene scene;
    const std::string aside = "gateway.pid.taken-aside." + std::to_string(::getpid());
    scene.at(RemovalPoint::aside, [&] {
        CHECK(scene.remove(aside).result == RemovalResult::locked);
        scene.is_stale = false;
        CHECK(scene.put_back(aside).result == RemovalResult::locked);
        CHECK(::access(scene.pid_file().c_str(), F_OK) != 0);
        scene.is_stale = true;
    });
    CHECK(scene.remove().result == RemovalResult::removed);
    CHECK(names_in(scene.home()) == 1);
}

TEST_CASE("what another run has put back meanwhile is no failure") {
    Scene scene;
    scene.at(RemovalPoint::aside, [&] {
        std::filesystem::rename(
            scene.home() / ("gateway.pid.taken-aside." + std::to_string(::getpid())),
            scene.pid_file());
        scene.is_stale = false;
    });
    CHECK(scene.remove().result == RemovalResult::changed);
    CHECK(text_of(scene.pid_file()) == kNobody);
}

TEST_CASE("what cannot be announced is not done") {
    Scene scene;
    scene.announce_fails = true;
    CHECK(scene.remove().result == RemovalResult::refused);
    CHECK(text_of(scene.pid_file()) == kNobody);
}

TEST_CASE("a file that is written again before it is taken aside is put back") {
    for (const RemovalPoint point : {RemovalPoint::proven, RemovalPoint::locked}) {
        Scene scene;
        const std::string live = std::to_string(::getpid());
        scene.at(point, [&] { scene.home().write("gateway.pid", live); });
        const Removal removal = scene.remove();
        CHECK(removal.result == RemovalResult::changed);
        CHECK(text_of(scene.pid_file()) == live);
        CHECK(names_in(scene.home()) == 2);
    }
}

TEST_CASE("a file that is written again with the same text is another one") {
    Scene scene;
    scene.at(RemovalPoint::proven, [&] {
        scene.home().remove("gateway.pid");
        scene.home().write("other", "x");  // so that it gets an inode of its own
        scene.home().write("gateway.pid", kNobody);
    });
    CHECK(scene.remove().result == RemovalResult::changed);
    CHECK(text_of(scene.pid_file()) == kNobody);
    Scene touched;
    touched.at(RemovalPoint::proven, [&] {
        const timespec times[] = {{1, 0}, {1, 0}};
        REQUIRE(::utimensat(AT_FDCWD, touched.pid_file().c_str(), times, 0) == 0);
    });
    CHECK(touched.remove().result == RemovalResult::changed);
    CHECK(text_of(touched.pid_file()) == kNobody);
}

TEST_CASE("a file that stops being stale while it is aside is put back") {
    Scene judged;
    judged.at(RemovalPoint::aside, [&] { judged.is_stale = false; });
    CHECK(judged.remove().result == RemovalResult::changed);
    CHECK(text_of(judged.pid_file()) == kNobody);
    CHECK(names_in(judged.home()) == 2);
    Scene written;
    const Fd writer(::open(written.pid_file().c_str(), O_WRONLY | O_CLOEXEC));
    written.at(RemovalPoint::aside, [&] { REQUIRE(::pwrite(writer.get(), "1", 1, 0) == 1); });
    CHECK(written.remove().result == RemovalResult::changed);
    CHECK(text_of(written.pid_file()).front() == '1');
}

TEST_CASE("a gateway that starts while the old file is aside finds its place free") {
    Scene scene;
    std::optional<Fd> gateway;
    scene.at(RemovalPoint::aside, [&] {
        gateway = Fd(::open((scene.home() / "gateway.lock").c_str(), O_RDWR | O_CLOEXEC));
        REQUIRE(::flock(gateway->get(), LOCK_EX | LOCK_NB) ==
                0);  // the next thing that it does is to make its file
    });
    CHECK(scene.remove().result == RemovalResult::removed);
    CHECK(names_in(scene.home()) == 1);
}

TEST_CASE("a home without a lock has its stale file removed by what it names") {
    Scene scene;
    scene.home().remove("gateway.lock");
    CHECK(scene.remove().result == RemovalResult::removed);
    CHECK(names_in(scene.home()) == 0);
}

TEST_CASE("where a new file is made meanwhile, the old one goes and the new one stays") {
    Scene scene;
    scene.at(RemovalPoint::aside, [&] { scene.home().write("gateway.pid", "new"); });
    CHECK(scene.remove().result == RemovalResult::removed);
    CHECK(text_of(scene.pid_file()) == "new");
    CHECK(names_in(scene.home()) == 2);
    Scene contended;
    contended.at(RemovalPoint::locked, [&] { contended.home().write("gateway.pid", "changed"); });
    contended.at(RemovalPoint::aside, [&] { contended.home().write("gateway.pid", "new"); });
    CHECK(contended.remove().result == RemovalResult::changed);
    CHECK(text_of(contended.pid_file()) == "new");
    CHECK(names_in(contended.home()) == 2);
}

TEST_CASE("a gateway that has just taken its lock keeps the file where it is") {
    Scene scene;
    std::optional<Fd> gateway;
    scene.at(RemovalPoint::proven, [&] {
        gateway = Fd(::open((scene.home() / "gateway.lock").c_str(), O_RDWR | O_CLOEXEC));
        REQUIRE(::flock(gateway->get(), LOCK_EX | LOCK_NB) == 0);
    });
    bool taken = false;
    scene.at(RemovalPoint::locked, [&] { taken = true; });
    CHECK(scene.remove().result == RemovalResult::locked);
    CHECK_FALSE(taken);
    CHECK(text_of(scene.pid_file()) == kNobody);
}

TEST_CASE("no gateway can start while the file is being taken away") {
    Scene scene;
    const auto can_start = [&] {
        const Fd gateway(::open((scene.home() / "gateway.lock").c_str(), O_RDWR | O_CLOEXEC));
        return ::flock(gateway.get(), LOCK_EX | LOCK_NB) == 0;
    };
    bool during = true;
    bool after = false;
    scene.at(RemovalPoint::locked, [&] { during = can_start(); });
    scene.at(RemovalPoint::aside, [&] { after = can_start(); });
    CHECK(scene.remove().result == RemovalResult::removed);
    CHECK_FALSE(during);
    CHECK(after);  // its place is free by then
}

TEST_CASE("a file that is removed first is not in the way") {
    Scene scene;
    scene.at(RemovalPoint::locked, [&] { scene.home().remove("gateway.pid"); });
    CHECK(scene.remove().result == RemovalResult::gone);
    CHECK(names_in(scene.home()) == 1);
}

TEST_CASE("a link or a second name that takes its place is not removed") {
    Scene scene;
    scene.home().write("precious", kNobody);
    scene.at(RemovalPoint::locked, [&] {
        scene.home().remove("gateway.pid");
        scene.home().link("gateway.pid", "precious");
    });
    CHECK(scene.remove().result == RemovalResult::changed);
    CHECK(std::filesystem::is_symlink(scene.pid_file()));
    Scene linked;
    linked.at(RemovalPoint::locked, [&] {
        REQUIRE(::link(linked.pid_file().c_str(), (linked.home() / "second").c_str()) == 0);
    });
    CHECK(linked.remove().result == RemovalResult::changed);
    CHECK(text_of(linked.pid_file()) == kNobody);
}

namespace {

const std::string kRecord = "host-gateway.json";

std::string record_of(const std::string& pid) {
    return R"({"role":"gateway","pid":)" + pid + R"(,"createTime":1.5,"protocolVersion":1})";
}

// As a gateway publishes its record: it holds the lock, and renames a complete file over the old.
Fd publish(const TemporaryFolder& home) {
    Fd gateway(::open((home / "host-gateway.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (::flock(gateway.get(), LOCK_EX | LOCK_NB) != 0) return {};
    home.write("host-gateway.json.tmp", record_of(std::to_string(::getpid())));
    std::filesystem::rename(home / "host-gateway.json.tmp", home / kRecord);
    return gateway;
}

}  // namespace

TEST_CASE("the lock of a stale host record is tried only where its holder may not be seen") {
    for (const bool sees_all_locks : {false, true}) {
        Scene scene;
        scene.sees_all_locks = sees_all_locks;
        scene.home().write(kRecord, record_of(kNobody));
        bool could_start = false;
        scene.at(RemovalPoint::locked, [&] {
            const Fd gateway(::open((scene.home() / "host-gateway.lock").c_str(),
                                    O_RDWR | O_CREAT | O_CLOEXEC, 0600));
            could_start = ::flock(gateway.get(), LOCK_EX | LOCK_NB) == 0;
        });
        scene.home().write("host-gateway.lock", "");
        CHECK(scene.remove(kRecord).result == RemovalResult::removed);
        CHECK(could_start == sees_all_locks);
        CHECK(::access((scene.home() / "host-gateway.lock").c_str(), F_OK) == 0);
    }
}

TEST_CASE("a gateway that publishes its record meanwhile has it in its place afterwards") {
    for (const bool sees_all_locks : {false, true}) {
        for (const RemovalPoint point :
             {RemovalPoint::proven, RemovalPoint::locked, RemovalPoint::aside}) {
            Scene scene;
            scene.sees_all_locks = sees_all_locks;
            scene.home().write("host-gateway.lock", "");
            scene.home().write(kRecord, record_of(kNobody));
            Fd gateway;
            scene.at(point, [&] { gateway = publish(scene.home()); });
            const Removal removal = scene.remove(kRecord);
            INFO(removal.detail);
            const bool kept_out = point == RemovalPoint::locked && !sees_all_locks;
            CHECK(static_cast<bool>(gateway) != kept_out);
            if (kept_out)
                CHECK(removal.result == RemovalResult::removed);
            else
                CHECK(text_of(scene.home() / kRecord) == record_of(std::to_string(::getpid())));
            CHECK(names_in(scene.home()) == (kept_out ? 3 : 4));
        }
    }
}

TEST_CASE("a lock that is replaced meanwhile is not trusted") {
    Scene scene;
    scene.at(RemovalPoint::proven, [&] {
        scene.home().remove("gateway.lock");
        scene.home().link("gateway.lock", "elsewhere");
    });
    CHECK(scene.remove().result == RemovalResult::failed);
    CHECK(text_of(scene.pid_file()) == kNobody);
}

}  // namespace reaper::agent
