// Carries notes between the two processes of `run`, over a socket whose end tells that the other
// one has died.
#pragma once

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

struct Note {
    enum class Kind : int {
        started,      // the helper runs; its pid
        pass_on,      // to the guard: send the helper this signal
        stopped,      // the helper has been, by this signal
        ended,        // so has everything that it started; its exit status
        left_others,  // the helper has ended and a process that it started has not; its exit status
        failed,       // it could not be started; the exit status
    };
    Kind kind = Kind::failed;
    int value = 0;
};

enum class Received { note, nothing, other_is_gone };

struct Link {
    Fd ours;
    Fd theirs;
};

[[nodiscard]] Result<Link> make_link();

// True if there is room for a note; else poll(2) tells when there is (POLLOUT).
[[nodiscard]] bool can_send_note(const Fd& link);
// Never blocks: without room the note is lost. receive_note() tells that the other one is gone.
void send_note(const Fd& link, Note note);
// Never blocks. Sets `note` only if it returns Received::note.
[[nodiscard]] Received receive_note(const Fd& link, Note& note);

}  // namespace reaper::agent
