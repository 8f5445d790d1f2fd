#include <sys/file.h>

#include <cerrno>
#include <thread>

#include <fmt/format.h>

#include "agent/schedule/manager.hpp"
#include "agent/schedule/turn.hpp"
#include "agent/system/lock_file.hpp"

namespace reaper::agent {

namespace {

// Only root can enter it: no user can hold that lock.
constexpr const char* kName = "orphan-reaper-schedule";
constexpr std::chrono::milliseconds kPause{50};

}  // namespace

Result<Fd> take_turn(std::chrono::milliseconds limit) {
    const auto last_moment = std::chrono::steady_clock::now() + limit;
    auto lock = open_lock_folder(folder_of_turns(), kName);
    while (lock && ::flock(lock->get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return system_failure("lock", fmt::format("{}/{}", folder_of_turns(), kName));
        if (std::chrono::steady_clock::now() >= last_moment)
            return failure(std::errc::timed_out, "wait for",
                           "another 'orphan-reaper schedule --system' that is at work");
        std::this_thread::sleep_for(kPause);
    }
    return lock;
}

}  // namespace reaper::agent
