#include "agent/last_resort.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "agent/exit_status.hpp"

namespace reaper::agent {

namespace {

// True: it is to stand down.
bool waits_for(int stop, int interrupt, int milliseconds) {
    std::array<pollfd, 2> waiting{pollfd{stop, POLLIN, 0}, pollfd{interrupt, POLLIN, 0}};
    std::ignore = ::poll(waiting.data(), waiting.size(), milliseconds);
    return waiting[0].revents != 0;
}

// Nothing of the program is put in order: another thread of it hangs in the kernel. What was done is in the history.
[[noreturn]] void leave(bool timed_out) {
    constexpr std::string_view kWords = "orphan-reaper: something does not answer (a file system?): given up\n";
    std::ignore = ::write(STDERR_FILENO, kWords.data(), kWords.size());
    ::_exit(static_cast<int>(timed_out ? ExitStatus::blocked : ExitStatus::interrupted));
}

void watch(int stop, const Interrupt& interrupt, std::chrono::milliseconds patience) {
    if (waits_for(stop, interrupt.raw(), -1)) return;
    if (!waits_for(stop, -1, static_cast<int>(patience.count()))) leave(interrupt.timed_out());
}

}  // namespace

LastResort::LastResort(const Interrupt& interrupt, std::chrono::milliseconds patience)
    : stop_(::eventfd(0, EFD_CLOEXEC)) {
    if (stop_) thread_ = std::thread([stop = stop_.get(), &interrupt, patience] { watch(stop, interrupt, patience); });
}

LastResort::~LastResort() {
    if (!thread_.joinable()) return;
    constexpr std::uint64_t kOne = 1;
    std::ignore = ::write(stop_.get(), &kOne, sizeof kOne);
    thread_.join();
}

}  // namespace reaper::agent
