#include "agent/report/text/progress.hpp"

#include <unistd.h>

#include <array>
#include <string>

#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

using namespace std::chrono_literals;

class Pipe {
   public:
    Pipe() {
        std::array<int, 2> ends{};
        REQUIRE(::pipe(ends.data()) == 0);
        read_ = Fd(ends[0]);
        write_ = Fd(ends[1]);
    }
    [[nodiscard]] int writing_end() const { return write_.get(); }
    [[nodiscard]] std::string drain() {
        write_.reset();
        std::array<char, 4096> bytes{};
        const ssize_t count = ::read(read_.get(), bytes.data(), bytes.size());
        REQUIRE(count >= 0);
        return {bytes.data(), static_cast<std::size_t>(count)};
    }

   private:
    Fd read_;
    Fd write_;
};

}  // namespace

TEST_CASE("The line says what is still ending, and for how long at most") {
    CHECK(live_text(3, 0, 30s) == "waiting for 3 helpers to end, at most 30 s");
    CHECK(live_text(1, 1, 500ms) == "waiting for 1 helper to end, 1 has ended, at most 1 s");
    CHECK(live_text(1, 2, 10min) == "waiting for 1 helper to end, 2 have ended, at most 10 min");
}

TEST_CASE("It is rewritten in place, and erased at the end") {
    Pipe pipe;
    {
        LiveLine line(pipe.writing_end());
        line.waiting(2, 0, 30s);
        line.waiting(2, 0, 30s);  // the same text is not written again
        line.waiting(1, 1, 5s);
    }
    const std::string first = live_text(2, 0, 30s);
    const std::string second = live_text(1, 1, 5s);
    CHECK(pipe.drain() ==
          "\r" + first + "\r" + second + "\r" + std::string(second.size(), ' ') + "\r");
}

TEST_CASE("A shorter text leaves nothing of a longer one") {
    Pipe pipe;
    {
        LiveLine line(pipe.writing_end());
        line.waiting(10, 0, 100s);
        line.waiting(1, 0, 1s);
        line.waiting(0, 11, 0s);
    }
    const std::string first = live_text(10, 0, 100s);
    const std::string second = live_text(1, 0, 1s);
    const std::string blanks(first.size() - second.size(), ' ');
    CHECK(pipe.drain() ==
          "\r" + first + "\r" + second + blanks + "\r" + std::string(second.size(), ' ') + "\r");
}

TEST_CASE("Without a terminal nothing is drawn") {
    LiveLine line(-1);
    line.waiting(2, 0, 30s);
    line.erase();
    CHECK(terminal_to_draw_on(true) == -1);
}

}  // namespace reaper::agent
