#include "scanner/regular_file.hpp"

#include <fcntl.h>
#include <sys/syscall.h>

#include <cerrno>

#include "scanner/linux/rooted_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failing_call.hpp"
#include "tests/support/subprocess.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace reaper::scanner;
using reaper::Fd;
using reaper::test::in_child;
using reaper::test::make_call_fail;
using reaper::test::TemporaryFolder;

namespace {

Fd open_folder(const TemporaryFolder& folder) {
    return Fd(::open(folder.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

std::error_code failure_below(const TemporaryFolder& folder, const char* path) {
    const Fd directory = open_folder(folder);
    const auto text = find_below(directory.get(), path).and_then([](const FoundFile& file) {
        return read_found(file, 100);
    });
    return text ? std::error_code() : text.error().code;
}

// 0: every path is taken or refused as it should be.
int check_paths(const TemporaryFolder& folder) {
    if (failure_below(folder, "a/b/file")) return 1;
    if (failure_below(folder, "a/b/nothing") != std::errc::no_such_file_or_directory) return 2;
    if (failure_below(folder, "a/b/file/x") != std::errc::not_a_directory) return 3;
    if (failure_below(folder, "a/linked/file") != std::errc::too_many_symbolic_link_levels)
        return 4;
    if (failure_below(folder, "a/b/link") != std::errc::not_supported) return 5;
    if (failure_below(folder, "a/b/fifo") != std::errc::not_supported) return 6;
    if (failure_below(folder, "a/b") != std::errc::not_supported) return 7;
    if (failure_below(folder, "a/b/large") != std::errc::file_too_large) return 8;
    return 0;
}

}  // namespace

TEST_CASE("files below a folder, with openat2 and without") {
    const TemporaryFolder folder;
    folder.write("a/b/file", "text");
    folder.write("a/b/large", std::string(101, 'x'));
    folder.link("a/linked", "b");
    folder.link("a/b/link", "file");
    folder.fifo("a/b/fifo");
    CHECK(check_paths(folder) == 0);
    for (const unsigned error : {unsigned{ENOSYS}, unsigned{EPERM}}) {
        CHECK(in_child([&] {
                  make_call_fail(SYS_openat2, error);
                  return check_paths(folder);
              }) == 0);
    }
}

TEST_CASE("links stay inside the root of a process") {
    const TemporaryFolder root;
    root.write("etc/shadow", "theirs");
    root.link("package.json", "/etc/shadow");
    root.link("up", "../../../../../../etc/shadow");
    const Fd directory = open_folder(root);
    for (const char* path : {"/package.json", "/up", "/../../../../package.json"}) {
        const auto file = find_in_root(directory.get(), path);
        REQUIRE(file);
        CHECK(read_found(*file, 100).value() == "theirs");
    }
    CHECK(in_child([&] {
              make_call_fail(SYS_openat2, ENOSYS);
              const auto file = find_in_root(directory.get(), "/package.json");
              return !file && file.error().code == std::errc::function_not_supported ? 0 : 1;
          }) == 0);
}
