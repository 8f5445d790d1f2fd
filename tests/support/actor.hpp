// A process that looks like a leaked helper, and changes when it is told to. Ends by itself after a
// minute.
#pragma once

#include "scanner/fd.hpp"
#include "scanner/model/identity.hpp"
#include "scanner/pid_handle.hpp"

namespace reaper::test {

enum class OnTerm { ignore, die, record };

struct Part {
    scanner::Pid pid = 0;  // 0: any
    bool leaked = true;    // both stdio ends are dead; otherwise the test holds them
    OnTerm on_term = OnTerm::ignore;
};

class Actor {
   public:
    explicit Actor(Part part);  // ready when it returns
    Actor(const Actor&) = delete;
    Actor& operator=(const Actor&) = delete;
    Actor(Actor&&) noexcept = default;
    Actor& operator=(Actor&&) = delete;
    ~Actor();  // ends and reaps it, whatever it has become

    [[nodiscard]] scanner::Pid pid() const { return pid_; }
    [[nodiscard]] bool alive() const;
    [[nodiscard]] bool was_signalled()
        const;  // only with OnTerm::record: a TERM or CONT arrived, or it is dead

    void become_another_program();
    void attach_stdin();     // its stdin is a pipe into which the test can write
    void start_to_listen();  // on a port of the loopback interface
    void enter_another_root();
    void exit();  // stays a zombie
    void exit_and_be_reaped();

   private:
    void tell(char word);
    void wait_for_exit() const;

    scanner::Pid pid_ = 0;
    bool reaped_ = false;
    Fd line_;          // commands and their echo; a recorded signal arrives as 'S'
    Fd stdin_writer_;  // of the pipe that attach_stdin() uses
    Fd stdout_reader_;
};

}  // namespace reaper::test
