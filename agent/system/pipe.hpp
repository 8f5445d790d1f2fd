// Pipes that no program inherits, by calls that every system has. Only for a program without
// threads: it starts nothing between two of those calls.
#pragma once

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

struct Pipe {
    Fd reading;
    Fd writing;
};
[[nodiscard]] Result<Pipe> make_pipe();

// Takes over `raw`, which may be -1, and closes it in every program that is started.
[[nodiscard]] Fd keep_to_self(int raw);

// Lets no call wait for the other side of `fd`.
void never_wait(const Fd& fd);

}  // namespace reaper::agent
