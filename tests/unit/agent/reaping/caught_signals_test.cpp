// What a child gets of signals that this program takes from an inbox. Runs inside a pid namespace
// of its own (tests/support/isolated).
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "agent/reaping/child.hpp"
#include "agent/system/signal_inbox.hpp"
#include "tests/support/catch.hpp"

using namespace reaper::agent;

namespace {

int status_of(const std::string& script, const SignalInbox* inbox) {
    Launch command{{"sh", "-c", script}};
    if (inbox != nullptr) command.mask = inbox->mask_before();
    const auto child = start(command);
    REQUIRE(child);
    return child->wait().value_or(-1);
}

}  // namespace

TEST_CASE("A program with the mask from before the inbox ends by its signal") {
    const SignalInbox inbox({SIGTERM});
    CHECK(status_of("kill -TERM $$; exit 3", &inbox) == 128 + SIGTERM);
}

TEST_CASE("A program without a mask keeps back what this one keeps back") {
    const SignalInbox inbox({SIGTERM});
    CHECK(status_of("kill -TERM $$; exit 3", nullptr) == 3);
}

TEST_CASE("A copy of this program takes what comes to it by an inbox of its own") {
    const SignalInbox outer({SIGUSR1});
    const auto copy = branch([] {
        ::kill(::getpid(), SIGUSR1);
        const SignalInbox own({SIGUSR1});
        return own.take() ? 5 : 6;
    });
    REQUIRE(copy);
    CHECK(copy->wait() == 5);
    CHECK(!has_come(SIGUSR1));
}

TEST_CASE("The signals of this program are as they were after it has started another one") {
    const SignalInbox inbox({SIGUSR1});
    sigset_t before;
    sigset_t after;
    ::sigprocmask(SIG_BLOCK, nullptr, &before);
    CHECK(status_of("exit 0", nullptr) == 0);
    ::sigprocmask(SIG_BLOCK, nullptr, &after);
    for (int number = 1; number < 32; ++number)
        CHECK(sigismember(&before, number) == sigismember(&after, number));
    ::kill(::getpid(), SIGUSR1);
    CHECK(inbox.take());
}
