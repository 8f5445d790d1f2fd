// What `run` ends is proved to be its own while a handle of it is held, before each signal. Runs
// inside a pid namespace of its own.
#include "agent/run/termination.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <tuple>

#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

using std::chrono::milliseconds;

// A child that does not mind TERM, or does; it ends with the test, whatever becomes of that.
class Helper {
   public:
    explicit Helper(bool deaf) : pid_(::fork()) {
        if (pid_ != 0) return;
        std::signal(SIGTERM, deaf ? SIG_IGN : SIG_DFL);
        for (;;) ::pause();
    }
    ~Helper() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

    [[nodiscard]] scanner::Pid pid() const { return pid_; }
    // Within so much time; it stays to be waited for.
    [[nodiscard]] bool ends(milliseconds within) const {
        const auto until = std::chrono::steady_clock::now() + within;
        while (std::chrono::steady_clock::now() < until) {
            siginfo_t info{};
            if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                info.si_pid == pid_)
                return true;
            std::this_thread::sleep_for(milliseconds(5));
        }
        return false;
    }

   private:
    pid_t pid_;
};

Options with_grace(milliseconds grace) {
    Options options;
    options.grace = options.grace_cap = grace;
    return options;
}

const std::optional<OwnCgroup> kNoCgroup;

}  // namespace

TEST_CASE("a process that is no longer of this run gets no TERM") {
    const auto table = scanner::ProcessTable::open().value();
    const Options options = with_grace(milliseconds(100));
    const Helper helper(false);
    bool ours = false;
    RunEnd ending({table, kNoCgroup, options, [&ours](scanner::Pid) { return ours; }},
                  RunEnd::Clock::now());
    ending.begin_new({helper.pid()});
    CHECK_FALSE(helper.ends(milliseconds(200)));
    ours = true;
    ending.begin_new({helper.pid()});
    CHECK(helper.ends(milliseconds(5000)));
}

TEST_CASE("a process that is no longer of this run gets no KILL") {
    const auto table = scanner::ProcessTable::open().value();
    const Options options = with_grace(milliseconds(50));
    const Helper helper(true);
    bool ours = true;
    RunEnd ending({table, kNoCgroup, options, [&ours](scanner::Pid) { return ours; }},
                  RunEnd::Clock::now());
    const auto go_on = [&](milliseconds time) {
        const auto until = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < until && !helper.ends(milliseconds(10))) {
            ending.begin_new({helper.pid()});
            std::ignore = ending.advance();
        }
    };
    std::this_thread::sleep_for(milliseconds(50));  // until it is deaf
    ending.begin_new({helper.pid()});
    ours = false;
    go_on(milliseconds(400));
    CHECK_FALSE(helper.ends(milliseconds(50)));
    ours = true;
    go_on(milliseconds(5000));
    CHECK(helper.ends(milliseconds(5000)));
}

TEST_CASE("members that could not be read are not taken for none") {
    const auto table = scanner::ProcessTable::open().value();
    const Options options = with_grace(milliseconds(0));
    RunEnd ending({table, kNoCgroup, options, [](scanner::Pid) { return true; }},
                  RunEnd::Clock::now());
    const auto goes_on = [&](std::errc code) {
        ending.begin_new({});
        ending.note_unread(failure(code, "read", "the table").value());
        return ending.advance();
    };
    while (goes_on(std::errc::permission_denied)) std::this_thread::sleep_for(milliseconds(20));
    CHECK(goes_on(std::errc::too_many_files_open));
}

}  // namespace reaper::agent
