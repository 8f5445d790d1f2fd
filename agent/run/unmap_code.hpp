// Gives memory back in a process that will do nothing for a long time.
#pragma once

#include <poll.h>

#include <span>

namespace reaper::agent {

// Unmaps the pages of this program and its libraries that are as they are in their files: the
// kernel brings back what is needed again, from its cache of files. Of 5 MB resident memory half a
// MB remains.
void unmap_code();

// Unmaps once, after a second of sleep: starting a helper, or running one that ends at once, is not
// to take longer for it.
class IdleTrim {
   public:
    // Calls poll(2), and returns what it does. Nothing else is done after unmapping, so that little
    // has to be brought back.
    int wait(std::span<pollfd> entries, int timeout = -1);

   private:
    bool done_ = false;
};

}  // namespace reaper::agent
