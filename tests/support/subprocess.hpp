// Code in a child of its own, and programs that run until the test is done with them. No signal is
// needed for either.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>
#include <string>

#include "scanner/fd.hpp"

namespace reaper::test {

// Runs `body` in a child and gives back what it returned (0-127), or 128 + the signal that ended
// it.
inline int in_child(const std::function<int()>& body) {
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("fork");
    if (pid == 0) ::_exit(body());
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A child that runs `path`, a copy or link of cat(1): it ends when its input does, with this
// object. `prepare` runs in the child before that. Running means running: exec has happened when
// the constructor returns.
class RunningCat {
   public:
    explicit RunningCat(
        const std::string& path = "/bin/cat", const std::function<void()>& prepare = [] {}) {
        int input[2] = {-1, -1};
        int output[2] = {-1, -1};
        if (::pipe2(input, O_CLOEXEC) != 0 || ::pipe2(output, O_CLOEXEC) != 0)
            throw std::runtime_error("pipe2");
        const Fd theirs[] = {Fd(input[0]), Fd(output[1])};
        const Fd heard(output[0]);
        input_ = Fd(input[1]);
        pid_ = ::fork();
        if (pid_ < 0) throw std::runtime_error("fork");
        if (pid_ == 0) become(path, prepare, input[0], output[1]);
        char byte = 'x';
        if (::write(input[1], &byte, 1) != 1 || ::read(heard.get(), &byte, 1) != 1)
            throw std::runtime_error("no echo");
    }
    RunningCat(const RunningCat&) = delete;
    RunningCat& operator=(const RunningCat&) = delete;
    ~RunningCat() {
        input_.reset();
        ::waitpid(pid_, nullptr, 0);
    }

    [[nodiscard]] pid_t pid() const { return pid_; }

   private:
    [[noreturn]] static void become(const std::string& path, const std::function<void()>& prepare,
                                    int input, int output) {
        ::dup2(input, STDIN_FILENO);
        ::dup2(output, STDOUT_FILENO);
        prepare();
        ::execl(path.c_str(), "cat", nullptr);
        ::_exit(127);
    }

    pid_t pid_ = -1;
    Fd input_;
};

}  // namespace reaper::test
