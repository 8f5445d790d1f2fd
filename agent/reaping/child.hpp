// A child process of this one. child.cpp is the only file of the product that starts any.
#pragma once

#include <csignal>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scanner/model/result.hpp"
#include "scanner/pid_handle.hpp"

namespace reaper::agent {

// What a child runs, and what differs from this program. It inherits the descriptors that are not
// close-on-exec, the working directory, the environment, and the signals that are ignored.
struct Launch {
    std::vector<std::string> argv;              // argv[0] is looked up in PATH, as env(1) does
    std::vector<std::string> environment = {};  // "NAME=value", in place of what has that name
    std::optional<sigset_t> mask =
        {};  // the signals that it starts with blocked; none: as blocked here
    std::vector<int> ignored = {};     // signals that it ignores besides
    bool leave_session = false;        // it stays in our session and group; before it runs, we have
                                       // founded a session of our own
    bool term_on_parent_exit = false;  // Linux sends it TERM when the thread that started it ends
    std::optional<int> cgroup = {};    // open folder of the cgroup that it is born into
    std::vector<int> standard = {};  // descriptors from 3 up that become its stdin, stdout, stderr
};

class Child {
   public:
    [[nodiscard]] const scanner::PidHandle& handle() const { return handle_; }

    // Blocks until the child has ended, and returns its exit status as a shell tells it: 128 + the
    // signal that ended it. May be called once only.
    [[nodiscard]] Result<int> wait() const;

   private:
    friend Result<Child> start(const Launch& launch);
    friend Result<Child> branch(const std::function<int()>& work);
    explicit Child(scanner::PidHandle handle) : handle_(std::move(handle)) {}

    scanner::PidHandle handle_;
};

// Starts a program. When this fails, nothing runs. A program that is not found (127) or cannot be
// run (126) is no failure here: the child says so on stderr and by its exit status, as env(1) does.
[[nodiscard]] Result<Child> start(const Launch& launch);

// Forks a copy of this program that does `work` and exits with what that returns. Only for a
// program without threads.
[[nodiscard]] Result<Child> branch(const std::function<int()>& work);

// Forks a copy of this program that does `work` in a session of its own, and that nothing waits
// for: a copy in between has ended when this returns. INT, TERM and HUP are blocked in it. Only for
// a program without threads.
[[nodiscard]] Result<void> detach(const std::function<int()>& work);

// In a child: has Linux send it `signal` when `parent`, which started it, has ended. Elsewhere a
// child outlives its parent. False: the parent has ended already.
[[nodiscard]] bool end_with_parent(int signal, scanner::Pid parent);

// Converts a status of waitpid(2) to what a shell tells.
[[nodiscard]] int shell_status(int wait_status);

}  // namespace reaper::agent
