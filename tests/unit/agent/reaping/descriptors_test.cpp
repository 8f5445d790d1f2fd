// What a process keeps open that only watches others, and how many files it may open. Each case is
// a copy of the test, which tells by its status which promise it broke.
#include "agent/reaping/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <string>

#include "agent/reaping/child.hpp"
#include "agent/reaping/close_descriptors.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using reaper::agent::branch;
using reaper::agent::close_descriptors_except;
using reaper::agent::close_descriptors_keeping_directory;
using reaper::scanner::ProcessTable;

namespace {

int status_of(const std::function<int()>& work) {
    const auto child = branch(work);
    REQUIRE(child);
    return child->wait().value_or(-1);
}

bool is_open(int fd) {
    return ::fcntl(fd, F_GETFD) >= 0;
}

bool is_null(int fd) {
    struct stat status{};
    return ::fstat(fd, &status) == 0 && status.st_rdev == makedev(1, 3);
}

std::string current_folder() {
    char path[4096] = {};
    return ::getcwd(path, sizeof path) == nullptr ? "" : path;
}

rlimit limit() {
    rlimit now{};
    ::getrlimit(RLIMIT_NOFILE, &now);
    return now;
}

void set_limit(rlim_t soft) {
    const rlimit changed{soft, limit().rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &changed);
}

}  // namespace

TEST_CASE("What only watches others keeps what it was told to, and nothing else") {
    CHECK(status_of([] {
              const auto table = ProcessTable::open();
              const int kept = ::open("/proc/self/status", O_RDONLY);
              const int other = ::open("/proc/self/status", O_RDONLY);
              if (!table || kept < 3 || other < 3) return 1;
              close_descriptors_except(*table, {kept, table->descriptors().front()});
              if (!is_open(kept) || !is_open(table->descriptors().front())) return 2;
              if (is_open(other)) return 3;
              for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
                  if (!is_null(fd)) return 4;
              }
              return current_folder() == "/" ? 0 : 5;
          }) == 0);
}

TEST_CASE("What goes on with the work of its parent keeps the working directory") {
    const reaper::test::TemporaryFolder folder;
    CHECK(status_of([&folder] {
              const auto table = ProcessTable::open();
              if (!table || ::chdir(folder.path().c_str()) != 0) return 1;
              const std::string before = current_folder();
              close_descriptors_keeping_directory(*table, {table->descriptors()});
              return current_folder() == before ? 0 : 2;
          }) == 0);
}

TEST_CASE("Where there is no null device, stdio is closed rather than kept") {
    const reaper::test::TemporaryFolder folder;
    CHECK(status_of([&folder] {
              const auto table = ProcessTable::open();
              if (!table || ::chroot(folder.path().c_str()) != 0) return 1;
              close_descriptors_except(*table, {table->descriptors()});
              for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
                  if (is_open(fd)) return 2;
              }
              return 0;
          }) == 0);
}

TEST_CASE("The limit of open files is raised to what is allowed, and set back to what it was") {
    CHECK(status_of([] {
              set_limit(100);
              reaper::agent::raise_descriptor_limit();
              if (limit().rlim_cur != limit().rlim_max) return 1;
              reaper::agent::raise_descriptor_limit();  // has nothing to raise any more
              reaper::agent::restore_descriptor_limit();
              return limit().rlim_cur == 100 ? 0 : 2;
          }) == 0);
}

TEST_CASE("A limit that was never raised is not set back") {
    CHECK(status_of([] {
              set_limit(100);
              reaper::agent::restore_descriptor_limit();
              return limit().rlim_cur == 100 ? 0 : 1;
          }) == 0);
}

TEST_CASE("There is room for as many handles as files may be opened besides those of one look") {
    CHECK(status_of([] {
              set_limit(100);
              const std::size_t room = reaper::agent::room_for_handles();
              if (room < 50 || room > 97) return 1;
              const int more = ::open("/dev/null", O_RDONLY);
              if (more < 0 || reaper::agent::room_for_handles() != room - 1) return 2;
              set_limit(8);
              if (reaper::agent::room_for_handles() != 0) return 3;
              const std::string said = reaper::agent::describe_descriptor_limit();
              return said == "only 8 files may be open (RLIMIT_NOFILE)" ? 0 : 4;
          }) == 0);
}
