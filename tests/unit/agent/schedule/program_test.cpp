#include "agent/schedule/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace reaper::agent;

TEST_CASE("A path that will be gone, or be misread, is refused") {
    for (const char* path :
         {"/tmp/orphan-reaper", "/var/tmp/x/orphan-reaper", "/dev/shm/orphan-reaper",
          "/run/user/1000/orphan-reaper", "/home/u/.npm/_npx/ab12/node_modules/.bin/orphan-reaper",
          "/home/u/bunx-1000-orphan-reaper@latest/orphan-reaper",
          "/home/u/.bun/install/cache/orphan-reaper",
          "/home/u/.local/share/pnpm/dlx-1/orphan-reaper", "/home/u/.cache/pnpm/orphan-reaper",
          "/usr/bin/orphan-reaper (deleted)", "/opt/a b/orphan-reaper", "/opt/50%/orphan-reaper",
          "/opt/$x/orphan-reaper", "/opt/\xc2\x9b/orphan-reaper", "/opt/\x1b[31m/orphan-reaper",
          "/opt/it's/orphan-reaper", "/opt/\n/orphan-reaper"}) {
        CAPTURE(path);
        CHECK(!refuse_path(path).empty());
    }
    for (const char* path :
         {"/usr/bin/orphan-reaper", "/usr/local/bin/orphan-reaper",
          "/home/u/.local/bin/orphan-reaper", "/home/\xc3\xbc/orphan-reaper",
          "/home/linuxbrew/.linuxbrew/Cellar/orphan-reaper/0.1.0/bin/orphan-reaper",
          "/opt/tmp/orphan-reaper"}) {
        CAPTURE(path);
        CHECK(refuse_path(path).empty());
    }
}

TEST_CASE("A program that others could change is refused") {
    const reaper::test::TemporaryFolder made;
    const std::string folder = made.path() + "/bin";
    const std::string path = folder + "/orphan-reaper";
    REQUIRE(::mkdir(folder.c_str(), 0755) == 0);
    std::ofstream(path) << "x";
    REQUIRE(::chmod(path.c_str(), 0755) == 0);
    CHECK(refuse_place(path, ::geteuid()).empty());
    SECTION("the file can be written by its group") {
        REQUIRE(::chmod(path.c_str(), 0775) == 0);
        CHECK(refuse_place(path, ::geteuid()).find("can be written by others") !=
              std::string::npos);
    }
    SECTION("its folder can be written by others") {
        REQUIRE(::chmod(folder.c_str(), 0777) == 0);
        CHECK(refuse_place(path, ::geteuid()).find("can be written by others") !=
              std::string::npos);
    }
    SECTION("its folder can be written by a group of several users") {
        REQUIRE(::chmod(folder.c_str(), 0775) == 0);
        if (::chown(folder.c_str(), ::geteuid(), 65534) != 0) return;  // only root can
        CHECK(refuse_place(path, ::geteuid()).find("can be written by its group") !=
              std::string::npos);
        REQUIRE(::chown(folder.c_str(), ::geteuid(), ::geteuid()) == 0);
        CHECK(refuse_place(path, ::geteuid()).empty());
    }
    SECTION("it is in a build folder") {
        std::ofstream(made.path() + "/CMakeCache.txt") << "x";
        CHECK(refuse_place(path, ::geteuid()).find("build folder " + made.path()) !=
              std::string::npos);
    }
    SECTION("it is not there") {
        REQUIRE(::unlink(path.c_str()) == 0);
        CHECK(!refuse_place(path, ::geteuid()).empty());
    }
    SECTION("it belongs to another user") {
        if (::chown(path.c_str(), 65534, 65534) != 0) return;  // only root can
        CHECK(refuse_place(path, ::geteuid()).find("belongs to user id 65534") !=
              std::string::npos);
    }
}
