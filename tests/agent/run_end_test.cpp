// Whom `run` ends is proved to be its own while a handle of him is held, before each signal. Runs inside a pid namespace of its own.
#include "agent/run_end.hpp"

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
class Target {
   public:
    explicit Target(bool deaf) : pid_(::fork()) {
        if (pid_ != 0) return;
        std::signal(SIGTERM, deaf ? SIG_IGN : SIG_DFL);
        for (;;) ::pause();
    }
    ~Target() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

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

TEST_CASE("who is no longer of this run gets no TERM") {
    const auto procfs = scanner::Procfs::open().value();
    const Options options = with_grace(milliseconds(100));
    const Target target(false);
    bool ours = false;
    RunEnd ending({procfs, kNoCgroup, options, [&ours](scanner::Pid) { return ours; }}, RunEnd::Clock::now());
    ending.tell({target.pid()});
    CHECK_FALSE(target.ends(milliseconds(200)));
    ours = true;
    ending.tell({target.pid()});
    CHECK(target.ends(milliseconds(5000)));
}

TEST_CASE("who is no longer of this run gets no KILL") {
    const auto procfs = scanner::Procfs::open().value();
    const Options options = with_grace(milliseconds(50));
    const Target target(true);
    bool ours = true;
    RunEnd ending({procfs, kNoCgroup, options, [&ours](scanner::Pid) { return ours; }}, RunEnd::Clock::now());
    const auto go_on = [&](milliseconds time) {
        const auto until = std::chrono::steady_clock::now() + time;
        while (std::chrono::steady_clock::now() < until && !target.ends(milliseconds(10))) {
            ending.tell({target.pid()});
            std::ignore = ending.finish();
        }
    };
    std::this_thread::sleep_for(milliseconds(50));  // until it is deaf
    ending.tell({target.pid()});
    ours = false;
    go_on(milliseconds(400));
    CHECK_FALSE(target.ends(milliseconds(50)));
    ours = true;
    go_on(milliseconds(5000));
    CHECK(target.ends(milliseconds(5000)));
}

}  // namespace reaper::agent
