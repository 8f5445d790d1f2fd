#include "agent/run/idle_stdio.hpp"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

namespace reaper::agent {

namespace {

constexpr int kSteps = 4;

// All programs read and write /dev/null and its like.
bool tells_of_traffic(int fd) {
    struct stat status{};
    if (::fstat(fd, &status) != 0) return false;
    return !S_ISCHR(status.st_mode) || ::isatty(fd) == 1;
}

// Of the call that failed just now; with what a person can do about it.
tl::unexpected<Error> blindness(std::string what) {
    if (errno == EACCES)
        what += ", as it is not yours to read (run it as its owner, or without --idle)";
    if (errno == EMFILE)
        what +=
            ", as all inotify instances are in use (raise fs.inotify.max_user_instances, or run it "
            "without --idle)";
    if (errno == ENOSPC)
        what +=
            ", as all inotify watches are in use (raise fs.inotify.max_user_watches, or run it "
            "without --idle)";
    return system_failure("see traffic on", what);
}

}  // namespace

Result<StdioWatch> StdioWatch::make(std::chrono::milliseconds idle) {
    Fd events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!events) return blindness("stdin and stdout");
    bool any = false;
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) {
        if (!tells_of_traffic(fd)) continue;
        const std::string path = "/proc/self/fd/" + std::to_string(fd);
        if (::inotify_add_watch(events.get(), path.c_str(), IN_ACCESS | IN_MODIFY) < 0)
            return blindness(fd == STDIN_FILENO ? "stdin" : "stdout");
        any = true;
    }
    if (!any)
        return failure(std::errc::invalid_argument, "see traffic on",
                       "stdin and stdout: they are no pipe, socket, terminal or file");
    return StdioWatch(std::move(events), Clock::duration(idle) / kSteps);
}

int StdioWatch::timeout() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_ - Clock::now());
    return static_cast<int>(
        std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 86'400'000));
}

// Looking only now and then, and not at each event, costs a helper that is in use no more than one
// that is not.
bool StdioWatch::is_idle() {
    if (Clock::now() < next_) return false;
    next_ = Clock::now() + step_;
    alignas(inotify_event) std::array<char, 4096> events{};
    bool traffic = false;
    while (::read(events_.get(), events.data(), events.size()) > 0) traffic = true;
    quiet_steps_ = traffic ? 0 : quiet_steps_ + 1;
    return quiet_steps_ >= kSteps;
}

}  // namespace reaper::agent
