// A file to lock: made where it can be, and nobody else's.
#include "agent/lock_file.hpp"

#include <sys/stat.h>

#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

using test::TemporaryFolder;

TEST_CASE("a lock file is made with its folder, and for nobody else to read") {
    const TemporaryFolder folder;
    REQUIRE(open_lock_file(folder / "state/deep", "a.lock"));
    struct stat status{};
    REQUIRE(::stat((folder / "state/deep/a.lock").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    CHECK(open_lock_file(folder / "state/deep", "a.lock"));
}

TEST_CASE("what somebody else can have put there is no lock file") {
    const TemporaryFolder folder;
    folder.write("file", "x");
    folder.link("a.lock", folder / "file");
    folder.fifo("b.lock");
    folder.write("c.lock", "");
    std::filesystem::create_hard_link(folder / "c.lock", folder / "d.lock");
    for (const char* name : {"a.lock", "b.lock", "c.lock", "d.lock"}) CHECK_FALSE(open_lock_file(folder.path(), name));
}

TEST_CASE("the first folder that will do has the lock file") {
    const TemporaryFolder folder;
    folder.write("file", "x");
    REQUIRE(open_lock_file({folder / "file", "", folder / "one", folder / "two"}, "a.lock"));
    CHECK(std::filesystem::exists(folder / "one/a.lock"));
    CHECK_FALSE(std::filesystem::exists(folder / "two"));
    CHECK(open_lock_file(std::vector<std::string>(), "a.lock").error().code == std::errc::no_such_file_or_directory);
}

}  // namespace reaper::agent
