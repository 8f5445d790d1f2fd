// A folder to lock: made where it can be, and no other user's.
#include "agent/system/lock_file.hpp"

#include <sys/stat.h>

#include <filesystem>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

using test::TemporaryFolder;

TEST_CASE("a folder to lock is made with those above it, and for no other user to open") {
    const TemporaryFolder folder;
    REQUIRE(open_lock_folder(folder / "state/deep", "a"));
    struct stat status{};
    REQUIRE(::stat((folder / "state/deep/a").c_str(), &status) == 0);
    CHECK(S_ISDIR(status.st_mode));
    CHECK((status.st_mode & 0777) == 0700);
    CHECK(open_lock_folder(folder / "state/deep", "a"));
}

TEST_CASE("what another user can have put there is not locked") {
    const TemporaryFolder folder;
    folder.write("file", "x");
    std::filesystem::create_directory(folder / "folder");
    folder.link("a", folder / "folder");
    folder.fifo("b");
    for (const char* name : {"a", "b", "file"}) CHECK_FALSE(open_lock_folder(folder.path(), name));
}

TEST_CASE("the first folder that will do has the one to lock") {
    const TemporaryFolder folder;
    folder.write("file", "x");
    REQUIRE(open_lock_folder({folder / "file", "", folder / "one", folder / "two"}, "a"));
    CHECK(std::filesystem::exists(folder / "one/a"));
    CHECK_FALSE(std::filesystem::exists(folder / "two"));
    CHECK(open_lock_folder(std::vector<std::string>(), "a").error().code ==
          std::errc::no_such_file_or_directory);
}

}  // namespace reaper::agent
