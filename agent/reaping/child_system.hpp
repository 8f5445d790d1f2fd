// What differs between systems where a child is started. Inside of child.cpp only.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <vector>

namespace reaper::agent {

// As fork(2), but the child is born into that cgroup, an open folder.
[[nodiscard]] pid_t fork_into(std::optional<int> cgroup);

// Keeps a signal from reaching a child in the place of the program that it becomes. Made before the
// fork; the parent gets its signals again when this object ends.
class SignalsAtFork {
   public:
    SignalsAtFork();
    ~SignalsAtFork();
    SignalsAtFork(const SignalsAtFork&) = delete;
    SignalsAtFork& operator=(const SignalsAtFork&) = delete;

    // In a child that stays this program.
    void stay() const;
    // In a child that becomes another one, as the last thing before: with `mask` blocked, without
    // one with all that does not end this program now.
    void leave(const std::optional<sigset_t>& mask) const;

   private:
    [[maybe_unused]] sigset_t before_{};
};

// As execvp(3), with this environment.
void become_program(const std::vector<char*>& argv, const std::vector<char*>& environment);

}  // namespace reaper::agent
