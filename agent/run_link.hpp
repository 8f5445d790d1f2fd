// What the two processes of `run` say to each other, over a socket whose end tells that the other one has died.
#pragma once

#include "scanner/fd.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

struct Note {
    enum class Kind : int {
        started,       // the helper runs; its pid
        pass_on,       // to the guard: send the helper this signal
        stopped,       // the helper has been, by this signal
        ended,         // so has everything that it started; its exit status
        left_company,  // the helper has ended and somebody that it started has not; its exit status
        failed,        // it could not be started; the exit status
    };
    Kind kind = Kind::failed;
    int value = 0;
};

enum class Heard { note, nothing, other_is_gone };

struct Link {
    Fd ours;
    Fd theirs;
};

[[nodiscard]] Result<Link> make_link();

// There is room for a note; else poll(2) says when (POLLOUT).
[[nodiscard]] bool can_tell(const Fd& link);
// Never blocks: without room it is lost. That the other one is gone shows when it is listened to.
void tell(const Fd& link, Note note);
[[nodiscard]] Heard hear(const Fd& link, Note& note);

}  // namespace reaper::agent
