#include "tests/support/forked.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>

#include "scanner/process_table.hpp"

namespace reaper::test {

namespace {

std::function<void()>& action_at_word() {
    static std::function<void()> action;
    return action;
}

void wait_for_word(int control) {
    char byte = 0;
    if (::recv(control, &byte, 1, 0) < 0) ::_exit(1);
}

[[noreturn]] void be_child(const std::function<void()>& prepare, int control) {
    // The test framework catches signals; in here they must do what they do in any process.
    for (const int caught : {SIGTERM, SIGINT, SIGABRT, SIGSEGV}) std::signal(caught, SIG_DFL);
    ::alarm(60);
    prepare();
    std::ignore = ::send(control, "r", 1, MSG_NOSIGNAL);
    wait_for_word(control);
    if (auto action = std::exchange(action_at_word(), nullptr)) {
        action();
        std::ignore = ::send(control, "r", 1, MSG_NOSIGNAL);
        wait_for_word(control);
    }
    ::_exit(0);
}

void await_answer(int control) {
    char byte = 0;
    if (::recv(control, &byte, 1, 0) != 1)
        throw std::runtime_error("the child has ended too early");
}

}  // namespace

Forked::Forked(const std::function<void()>& prepare) {
    auto [theirs, ours] = make_socketpair();
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ == 0) {
        ours.reset();
        be_child(prepare, theirs.get());
    }
    theirs.reset();
    tell_ = std::move(ours);
    await_answer(tell_.get());
}

Forked::~Forked() {
    reap();
}

scanner::PidHandle Forked::handle() const {
    return scanner::PidHandle::open(pid_).value();
}

void Forked::end() {
    if (tell_) {
        ::shutdown(tell_.get(), SHUT_RD);
        std::ignore =
            ::send(tell_.get(), "ee", 2, MSG_NOSIGNAL);  // two: one may be spent on its action
    }
    siginfo_t ignored{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &ignored, WEXITED | WNOWAIT);
}

void Forked::reap() {
    if (pid_ == 0) return;
    end();
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
}

void Forked::at_word(std::function<void()> action) {
    action_at_word() = std::move(action);
}

void Forked::word() {
    char byte = 'w';
    std::ignore = ::send(tell_.get(), &byte, 1, MSG_NOSIGNAL);
    std::ignore = ::recv(tell_.get(), &byte, 1, 0);  // nothing comes when exec has closed its end
}

MainThreadGone::MainThreadGone() {
    auto [theirs, ours] = make_pipe();
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ == 0) {
        ours.reset();
        ::alarm(60);
        std::thread([go = theirs.get()] {
            char byte = 0;
            std::ignore = ::read(go, &byte, 1);
            ::_exit(0);
        }).detach();
        ::syscall(SYS_exit, 0);  // this thread only
    }
    keeps_alive_ = std::move(ours);
    const auto table = scanner::ProcessTable::open().value();
    while (scanner::read_row(table, pid_).value().state != 'Z') std::this_thread::yield();
}

MainThreadGone::~MainThreadGone() {
    keeps_alive_.reset();
    ::waitpid(pid_, nullptr, 0);
}

Ends make_pipe() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    return {Fd(ends[0]), Fd(ends[1])};
}

Ends make_socketpair() {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw std::runtime_error("socketpair");
    return {Fd(ends[0]), Fd(ends[1])};
}

void put(const Fd& fd, int number) {
    if (::dup2(fd.get(), number) < 0) ::_exit(1);
}

}  // namespace reaper::test
