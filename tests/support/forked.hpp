// A child that first does what the test tells it, and then stays until the test ends it. Nothing
// signals: it ends when told over a socket of its own, and by itself after a minute.
#pragma once

#include <functional>

#include "scanner/fd.hpp"
#include "scanner/model/identity.hpp"
#include "scanner/pid_handle.hpp"

namespace reaper::test {

class Forked {
   public:
    // Returns once `prepare` has returned in the child; throws when the child ended before.
    explicit Forked(const std::function<void()>& prepare = [] {});
    Forked(const Forked&) = delete;
    Forked& operator=(const Forked&) = delete;
    ~Forked();  // ends and reaps it

    [[nodiscard]] scanner::Pid pid() const { return pid_; }
    [[nodiscard]] scanner::PidHandle handle() const;
    void end();   // it exits and stays a zombie
    void reap();  // it exits, and its pid is free

    // For `prepare`: the next word of the test runs `action` instead of ending the child.
    static void at_word(std::function<void()> action);
    // Returns when the action has been done: it returned, or became another program.
    void word();

   private:
    scanner::Pid pid_ = 0;
    Fd tell_;
};

// A process whose main thread has ended, while another one lives on until the object is gone.
class MainThreadGone {
   public:
    MainThreadGone();
    MainThreadGone(const MainThreadGone&) = delete;
    MainThreadGone& operator=(const MainThreadGone&) = delete;
    ~MainThreadGone();

    [[nodiscard]] scanner::Pid pid() const { return pid_; }

   private:
    scanner::Pid pid_ = 0;
    Fd keeps_alive_;
};

// A pipe or socketpair; first is read from, or belongs to the child.
struct Ends {
    Fd first;
    Fd second;
};
[[nodiscard]] Ends make_pipe();
[[nodiscard]] Ends make_socketpair();

// dup2, for `prepare`.
void put(const Fd& fd, int number);

}  // namespace reaper::test
