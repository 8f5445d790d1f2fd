#include "agent/reaping/child.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <tuple>

#include "agent/reaping/child_system.hpp"
#include "agent/reaping/descriptors.hpp"
#include "agent/system/pipe.hpp"

// No header of macOS declares it.
extern char** environ;

namespace reaper::agent {

namespace {

constexpr int kNeverStarted = 125;
constexpr int kCannotRun = 126;
constexpr int kNotFound = 127;

std::string_view name_of(std::string_view variable) {
    return variable.substr(0, variable.find('='));
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const std::string& word : words)
        pointers.push_back(const_cast<char*>(word.c_str()));  // execve(2) writes nothing
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& additions) {
    std::vector<std::string> all = additions;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        bool replaced = false;
        for (const std::string& added : additions)
            replaced = replaced || name_of(added) == name_of(*variable);
        if (!replaced) all.emplace_back(*variable);
    }
    return all;
}

// Waits for the parent's word. False: the parent has exited, or could not open a handle of this
// child.
bool may_start(int gate) {
    char word = 0;
    ssize_t size = 0;
    do {
        size = ::read(gate, &word, 1);
    } while (size < 0 && errno == EINTR);
    return size == 1;
}

// Runs in the child. No signal tells of a parent that exited before it was asked for, so nothing
// starts then.
[[noreturn]] void become(const Launch& launch, int gate, pid_t parent,
                         const SignalsAtFork& signals) {
    if (launch.term_on_parent_exit && !end_with_parent(SIGTERM, parent)) ::_exit(kNeverStarted);
    if (!may_start(gate) || ::getppid() != parent) ::_exit(kNeverStarted);
    for (const int ignored : launch.ignored) std::signal(ignored, SIG_IGN);
    for (std::size_t place = 0; place < launch.standard.size(); ++place)
        ::dup2(launch.standard[place], static_cast<int>(place));
    restore_descriptor_limit();
    const auto environment = environment_with(launch.environment);
    signals.leave(launch.mask);
    become_program(pointers_to(launch.argv), pointers_to(environment));
    const int error = errno;
    std::fprintf(stderr, "orphan-reaper: cannot run '%s': %s\n", launch.argv.front().c_str(),
                 std::strerror(error));
    ::_exit(error == ENOENT ? kNotFound : kCannotRun);
}

// Forks a process that waits until the parent has a handle of it, and has founded a session of its
// own where `leave_session` says so. Then the child does `part`, which does not return.
Result<scanner::PidHandle> split(const std::string& what, std::optional<int> cgroup,
                                 bool leave_session,
                                 const std::function<void(int gate, const SignalsAtFork&)>& part) {
    auto pipe = make_pipe();
    if (!pipe) return tl::unexpected(pipe.error());
    auto& [gate, key] = *pipe;
    const SignalsAtFork signals;
    const pid_t pid = fork_into(cgroup);
    if (pid < 0) return system_failure("start", what);
    if (pid == 0) {
        key.reset();  // with a copy of its own it would wait at the gate for ever
        part(gate.get(), signals);
    }
    // Its pid cannot be re-used before it is waited for here.
    auto handle = scanner::PidHandle::open(pid);
    const bool ready = handle && (!leave_session || ::setsid() > 0);
    if (ready && ::write(key.get(), "", 1) == 1) return handle;
    const auto error = handle ? system_failure("start", what) : tl::unexpected(handle.error());
    key.reset();
    ::waitpid(pid, nullptr, 0);
    return error;
}

// Blocks what asks a program to end. Returns the mask before.
sigset_t hold_requests_to_end() {
    sigset_t held;
    sigset_t before;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
    ::sigprocmask(SIG_BLOCK, &held, &before);
    return before;
}

}  // namespace

Result<int> Child::wait() const {
    int status = 0;
    pid_t ended = 0;
    do {
        ended = ::waitpid(handle_.pid(), &status, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended < 0) return system_failure("wait for", "pid " + std::to_string(handle_.pid()));
    return shell_status(status);
}

int shell_status(int wait_status) {
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

Result<Child> start(const Launch& launch) {
    if (launch.argv.empty()) return failure(std::errc::invalid_argument, "run", "nothing");
    const pid_t self = ::getpid();
    auto handle =
        split(launch.argv.front(), launch.cgroup, launch.leave_session,
              [&](int gate, const SignalsAtFork& signals) { become(launch, gate, self, signals); });
    if (!handle) return tl::unexpected(handle.error());
    return Child(std::move(*handle));
}

Result<Child> branch(const std::function<int()>& work) {
    const auto copy = [&](int gate, const SignalsAtFork& signals) noexcept {
        signals.stay();
        ::_exit(may_start(gate) ? work() : kNeverStarted);  // runs no exit handlers of the parent
    };
    auto handle = split("a copy of this program", std::nullopt, false, copy);
    if (!handle) return tl::unexpected(handle.error());
    return Child(std::move(*handle));
}

// The signals are blocked before there is a copy that they could end. In a session that it has not
// founded, it can never get a terminal.
Result<void> detach(const std::function<int()>& work) {
    const auto copy = [&]() noexcept { ::_exit(work()); };
    const sigset_t before = hold_requests_to_end();
    const pid_t between = ::fork();
    if (between == 0) {
        ::setsid();
        const pid_t pid = ::fork();
        if (pid == 0) copy();
        ::_exit(pid < 0 ? kNeverStarted : 0);
    }
    const auto failed = system_failure("start", "a copy of this program");
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (between < 0) return failed;
    int status = 0;
    while (::waitpid(between, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0 ? Result<void>() : failed;
}

}  // namespace reaper::agent
