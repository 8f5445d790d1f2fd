// Both kinds of inbox: of the system that this is built for, and the portable one.
#include "agent/system/signal_inbox.hpp"

#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "agent/system/pipe.hpp"
#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

volatile std::sig_atomic_t handled = 0;

// What a program does with USR1 before it has an inbox.
class Counted {
   public:
    Counted() {
        handled = 0;
        struct sigaction counting{};
        counting.sa_handler = [](int) { handled = handled + 1; };
        ::sigaction(SIGUSR1, &counting, &before_);
    }
    ~Counted() { ::sigaction(SIGUSR1, &before_, nullptr); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    struct sigaction before_{};
};

bool is_readable(const SignalInbox& inbox, int time = 0) {
    struct pollfd entry{inbox.raw(), POLLIN, 0};
    int ready = 0;
    do {
        ready = ::poll(&entry, 1, time);
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

// The wait status of a copy that does `work`.
int in_copy(const std::function<int()>& work) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(work());
    int status = -1;
    ::waitpid(pid, &status, 0);
    return status;
}

}  // namespace

TEST_CASE("A signal waits in the inbox until it is taken, and is taken once") {
    const SignalInbox inbox({SIGTERM, SIGUSR1});
    REQUIRE(inbox.raw() >= 0);
    CHECK(!is_readable(inbox));
    CHECK(!inbox.take());
    ::raise(SIGTERM);
    ::raise(SIGTERM);
    CHECK(is_readable(inbox));
    CHECK(has_come(SIGTERM));
    CHECK(!has_come(SIGUSR1));
    const auto taken = inbox.take();
    REQUIRE(taken);
    CHECK(taken->number == SIGTERM);
    CHECK(!taken->from_kernel);
    CHECK(!has_come(SIGTERM));
    CHECK(!is_readable(inbox));
    ::raise(SIGTERM);
    CHECK(inbox.take());
}

TEST_CASE("What the kernel sends by itself can be told from what a process sends") {
    const SignalInbox inbox({SIGALRM});
    const itimerval soon{{0, 0}, {0, 1000}};
    ::setitimer(ITIMER_REAL, &soon, nullptr);
    REQUIRE(is_readable(inbox, 5000));
    const auto taken = inbox.take();
    REQUIRE(taken);
    CHECK(taken->number == SIGALRM);
    CHECK(taken->from_kernel);
}

TEST_CASE("A signal that was held back comes in when there is an inbox") {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    ::sigprocmask(SIG_BLOCK, &held, nullptr);
    ::raise(SIGUSR1);
    CHECK(has_come(SIGUSR1));
    {
        const SignalInbox inbox({SIGUSR1});
        CHECK(sigismember(&inbox.mask_before(), SIGUSR1) == 1);
        CHECK(is_readable(inbox));
        CHECK(inbox.take());
    }
    sigset_t now;
    ::sigprocmask(SIG_UNBLOCK, &held, &now);
    CHECK(sigismember(&now, SIGUSR1) == 1);
}

TEST_CASE("After the inbox its signals do what they did before, and what it had is dropped") {
    const Counted counted;
    {
        const SignalInbox inbox({SIGUSR1});
        ::raise(SIGUSR1);
    }
    CHECK(handled == 0);
    CHECK(!has_come(SIGUSR1));
    ::raise(SIGUSR1);
    CHECK(handled == 1);
}

TEST_CASE("Of two inboxes the inner one gets the signals, also those that had come") {
    const SignalInbox outer({SIGUSR1});
    ::raise(SIGUSR1);
    {
        const SignalInbox inner({SIGUSR1});
        CHECK(is_readable(inner));
        CHECK(inner.take());
        CHECK(!outer.take());
        ::raise(SIGUSR1);
        CHECK(inner.take());
    }
    CHECK(!outer.take());
    ::raise(SIGUSR1);
    CHECK(outer.take());
}

TEST_CASE("A signal to a copy waits there, and does not reach the process that made the copy") {
    const SignalInbox outer({SIGUSR1});
    const int status = in_copy([] {
        ::raise(SIGUSR1);
        if (!has_come(SIGUSR1)) return 1;
        const SignalInbox own({SIGUSR1});
        return is_readable(own) && own.take() ? 0 : 2;
    });
    CHECK(status == 0);
    CHECK(!is_readable(outer));
    CHECK(!has_come(SIGUSR1));
}

TEST_CASE("What came to a process has not come to its copy") {
    const SignalInbox inbox({SIGUSR1});
    ::raise(SIGUSR1);
    const int status = in_copy([] {
        const bool has = has_come(SIGUSR1);
        const SignalInbox own({SIGUSR1});
        return has || own.take() ? 1 : 0;
    });
    CHECK(status == 0);
    CHECK(inbox.take());
}

TEST_CASE("In a copy that steps aside a signal does what it did before") {
    const SignalInbox inbox({SIGUSR2});
    const int status = in_copy([&] {
        inbox.step_aside();
        ::raise(SIGUSR2);
        return 0;
    });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGUSR2);
}

TEST_CASE("A signal does not interrupt a read that waits") {
    const SignalInbox inbox({SIGUSR1});
    const auto pipe = make_pipe();
    REQUIRE(pipe);
    const pid_t reader = ::getpid();
    const pid_t sender = ::fork();
    if (sender == 0) {
        // Signals come first, for so long that one of them meets the read; then what it waits for.
        bool sent = true;
        for (int times = 0; times < 100; ++times) {
            sent = sent && ::kill(reader, SIGUSR1) == 0;
            ::usleep(1000);
        }
        ::_exit(sent && ::write(pipe->writing.get(), "x", 1) == 1 ? 0 : 1);
    }
    char byte = 0;
    CHECK(::read(pipe->reading.get(), &byte, 1) == 1);
    CHECK(is_readable(inbox, 5000));
    int status = -1;
    CHECK(::waitpid(sender, &status, 0) == sender);
    CHECK(status == 0);
}

TEST_CASE("Without room for a descriptor the signals are left as they were") {
    const Counted counted;
    std::vector<Fd> all;
    for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) all.emplace_back(fd);
    const SignalInbox inbox({SIGUSR1});
    CHECK(inbox.raw() == -1);
    CHECK(errno == EMFILE);
    ::raise(SIGUSR1);
    CHECK(handled == 1);
    CHECK(!inbox.take());
}

}  // namespace reaper::agent
