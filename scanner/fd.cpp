#include "scanner/fd.hpp"

#include <unistd.h>

#include <cerrno>

namespace reaper {

// Closes once, even after EINTR: the number may be free by then (on Linux it is) and already in use
// by another thread. Preserves errno, so that a failure that is being returned keeps its reason.
void Fd::reset() {
    if (raw_ < 0) return;
    const int saved = errno;
    ::close(std::exchange(raw_, -1));
    errno = saved;
}

}  // namespace reaper
