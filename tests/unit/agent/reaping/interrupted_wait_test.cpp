// The wait for targets, while signals arrive that are not meant as an interrupt.
#include <sys/time.h>

#include <cerrno>
#include <csignal>

#include "agent/reaping/reaper.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/agent/reaping/consenting_parts.hpp"

namespace reaper::agent {

namespace {

using namespace std::chrono_literals;
using test::Consent;
using test::ObedientControl;
using test::QuietChild;

// Lets ALRM interrupt system calls every few milliseconds.
class Alarms {
   public:
    Alarms() {
        struct sigaction interrupting{};
        interrupting.sa_handler = [](int) {};
        ::sigaction(SIGALRM, &interrupting, &before_);
        const itimerval often{{0, 5000}, {0, 5000}};
        ::setitimer(ITIMER_REAL, &often, nullptr);
    }
    ~Alarms() {
        const itimerval never{};
        ::setitimer(ITIMER_REAL, &never, nullptr);
        ::sigaction(SIGALRM, &before_, nullptr);
        errno = 0;  // a later test would take its own timeouts for interruptions
    }
    Alarms(const Alarms&) = delete;
    Alarms& operator=(const Alarms&) = delete;

   private:
    struct sigaction before_{};
};

}  // namespace

TEST_CASE("A signal that is no interrupt does not end the wait") {
    QuietChild child;
    ObedientControl control(child);
    Consent consent;
    std::vector<Target> targets;
    targets.push_back({policy::Judgement{}, child.handle()});
    targets.back().step.grace = targets.back().step.grace_cap = 100ms;
    const Alarms alarms;
    const auto outcomes =
        reap(std::move(targets), {control, consent, consent, consent, test::idle}, ReaperTimes{});
    REQUIRE(outcomes.size() == 1);
    CHECK(outcomes.front().result == OutcomeResult::ended_on_kill);
}

}  // namespace reaper::agent
