#include "scanner/activity.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace reaper::scanner;
using reaper::test::Forked;
using reaper::test::TemporaryFolder;

namespace {

Activity activity_of(const Forked& child) {
    return read_activity(ProcessTable::open().value(), child.handle()).value();
}

void lock_or_die(const std::string& path, int command, short type, off_t start, off_t length) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct flock lock{};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = length;
    if (::fcntl(fd, command, &lock) != 0) ::_exit(1);
}

// Does a process that holds this lock count as one with a database in its hands?
bool busy(const std::string& name, short type, off_t start, off_t length, int command = F_SETLK) {
    const TemporaryFolder folder;
    const Forked child([&] { lock_or_die(folder / name, command, type, start, length); });
    return activity_of(child).database_write_lock;
}

}  // namespace

TEST_CASE("what SQLite holds while it writes, recovers and checkpoints") {
    CHECK(busy("memos.db-shm", F_WRLCK, 120, 1));  // write transaction
    CHECK(busy("memos.db-shm", F_WRLCK, 120, 3));  // recovery
    CHECK(busy("memos.db-shm", F_WRLCK, 121, 1));  // checkpoint
    CHECK(busy("memos.db-shm", F_WRLCK, 124, 4));  // truncate
    CHECK(busy("memos.db-shm", F_WRLCK, 127, 1));
    CHECK(busy("memos.db", F_WRLCK, 1073741824, 1));  // checkpoint of the last close
    CHECK(busy("memos.db", F_WRLCK, 1073741826, 510));
    CHECK(busy("anything", F_WRLCK, 1073742335, 1));
    CHECK(busy("memos.db-shm", F_WRLCK, 120, 1, F_OFD_SETLK));
}

TEST_CASE("what it holds while it does nothing, and other people's locks") {
    CHECK_FALSE(busy("memos.db-shm", F_RDLCK, 124, 1));
    CHECK_FALSE(busy("memos.db-shm", F_WRLCK, 128, 1));  // as the first to open it
    CHECK_FALSE(busy("memos.db-shm", F_WRLCK, 119, 1));
    CHECK_FALSE(busy("memos.db", F_RDLCK, 1073741826, 510));
    CHECK_FALSE(busy("memos.db", F_WRLCK, 120, 8));
    CHECK_FALSE(busy("memos.db", F_WRLCK, 1073742336, 1));
    CHECK_FALSE(busy("memos.db", F_WRLCK, 1073741823, 1));
    const TemporaryFolder folder;
    const Forked flocker([&] {
        if (::flock(::open((folder / "x-shm").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600),
                    LOCK_EX) != 0)
            ::_exit(1);
    });
    CHECK_FALSE(activity_of(flocker).database_write_lock);
}

TEST_CASE("a -shm file that was deleted is still one") {
    const TemporaryFolder folder;
    const Forked child([&] { lock_or_die(folder / "memos.db-shm", F_SETLK, F_WRLCK, 120, 1); });
    folder.remove("memos.db-shm");
    CHECK(activity_of(child).database_write_lock);
}

TEST_CASE("writing that stays in the page cache shows") {
    const TemporaryFolder folder;
    Forked child([&] {
        const int fd = ::open((folder / "wal").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        Forked::at_word([fd] { std::ignore = ::write(fd, "some bytes", 10); });
    });
    const Activity before = activity_of(child);
    child.word();
    const Activity after = activity_of(child);
    CHECK(after.io_bytes >= before.io_bytes + 10);
    CHECK(after.cpu_ticks >= before.cpu_ticks);
    CHECK(after.wait_channel.empty());
}

TEST_CASE("an exited process has no activity") {
    Forked child;
    const PidHandle handle = child.handle();
    child.end();
    const auto table = ProcessTable::open().value();
    CHECK(read_activity(table, handle).error().code == std::errc::no_such_process);
    child.reap();
    CHECK(read_activity(table, handle).error().code == std::errc::no_such_process);
}

TEST_CASE("locks that cannot be seen are not taken for none") {
    const reaper::test::MainThreadGone child;
    const auto activity =
        read_activity(ProcessTable::open().value(), PidHandle::open(child.pid()).value());
    REQUIRE_FALSE(activity);
    CHECK(activity.error().code != std::errc::no_such_process);
}
