// Another program, started by this one. child_linux.cpp is the only file of the product that starts any.
#pragma once

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scanner/pid_handle.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// What it runs, and what differs from this program: it gets descriptors (those that are not close-on-exec), working directory and
// environment as they are, and ignores the signals that are ignored here.
struct Launch {
    std::vector<std::string> argv;              // argv[0] is looked up in PATH, as env(1) does
    std::vector<std::string> environment = {};  // "NAME=value", in place of what has that name
    std::optional<sigset_t> mask = {};          // the signals that it starts with blocked; none: as blocked here
    std::vector<int> ignored = {};              // signals that it ignores besides
    bool we_leave = false;  // it stays in our session and group; before it runs, we have founded a session of our own
    bool told_when_we_die = false;   // the kernel sends it TERM when the thread that started it ends
    std::optional<int> cgroup = {};  // open folder of the cgroup that it is born into
};

class Child {
   public:
    [[nodiscard]] const scanner::PidHandle& handle() const { return handle_; }

    // Blocks until it has ended, and gives back its exit status as a shell tells it: 128 + the signal that ended it. Once only.
    [[nodiscard]] Result<int> wait() const;

   private:
    friend Result<Child> start(const Launch& launch);
    friend Result<Child> branch(const std::function<int()>& work);
    explicit Child(scanner::PidHandle handle) : handle_(std::move(handle)) {}

    scanner::PidHandle handle_;
};

// All or nothing: nobody runs anything when this fails. That a program is not there (127) or cannot be run (126) is for the child to
// say, on stderr and by its exit status, as env(1) does.
[[nodiscard]] Result<Child> start(const Launch& launch);

// A copy of this program that does `work` and ends with what that gives back. Only for a program without threads.
[[nodiscard]] Result<Child> branch(const std::function<int()>& work);

// What waitpid(2) told, as a shell tells it.
[[nodiscard]] int shell_status(int wait_status);

}  // namespace reaper::agent
