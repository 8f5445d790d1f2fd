#include "scanner/fd.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "tests/support/catch.hpp"

using reaper::Fd;

namespace {

bool is_open(int fd) {
    return ::fcntl(fd, F_GETFD) >= 0;
}

int open_null() {
    return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

}  // namespace

TEST_CASE("a descriptor is closed when its owner goes away") {
    int raw = -1;
    {
        const Fd fd(open_null());
        raw = fd.get();
        CHECK(fd);
        CHECK(is_open(raw));
    }
    CHECK_FALSE(is_open(raw));
    CHECK_FALSE(Fd());
}

TEST_CASE("moving hands the descriptor over, and closes the one that was held") {
    Fd from(open_null());
    const int raw = from.get();
    Fd to(open_null());
    const int replaced = to.get();
    to = std::move(from);
    CHECK(to.get() == raw);
    CHECK_FALSE(is_open(replaced));
    const Fd last(std::move(to));
    CHECK(last.get() == raw);
    CHECK(is_open(raw));
}

TEST_CASE("a released descriptor stays open, a reset one does not") {
    Fd fd(open_null());
    const int raw = fd.release();
    CHECK_FALSE(fd);
    CHECK(is_open(raw));
    Fd again(raw);
    again.reset();
    CHECK_FALSE(is_open(raw));
    again.reset();
}

TEST_CASE("closing keeps the reason of the failure that is being returned") {
    Fd bad(1'000'000);
    errno = EACCES;
    bad.reset();
    CHECK(errno == EACCES);
}
