#include "agent/doctor/command_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <tuple>
#include <utility>

#include "agent/reaping/child.hpp"
#include "agent/reaping/process_control.hpp"
#include "scanner/fd.hpp"

namespace reaper::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostText = std::size_t{256} * 1024;
constexpr std::chrono::milliseconds kEndTime{1000};  // for what was sent KILL

// Reads to the end. `what`: the program, for the error.
Result<std::string> read_to_end(const Fd& pipe, const std::string& what, Clock::time_point last) {
    std::string text;
    std::array<char, 16384> piece;
    while (text.size() <= kMostText) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(last - Clock::now());
        pollfd entry{pipe.get(), POLLIN, 0};
        const int ready = left.count() > 0 ? ::poll(&entry, 1, static_cast<int>(left.count())) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return failure(std::errc::timed_out, "wait for", what);
        const ssize_t size = ::read(pipe.get(), piece.data(), piece.size());
        if (size == 0) return text;
        if (size > 0) text.append(piece.data(), static_cast<std::size_t>(size));
        if (size < 0 && errno != EINTR) return system_failure("read from", what);
    }
    return failure(std::errc::file_too_large, "read from", what);
}

Result<int> end_of(const Child& child, const std::string& what, Clock::time_point last) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(last - Clock::now());
    if (child.handle().exits_within(std::max(left, std::chrono::milliseconds(0))))
        return child.wait();
    return failure(std::errc::timed_out, "wait for", what);
}

// What sleeps in the kernel does not end by KILL: it is not waited for any longer.
void put_an_end_to(const Child& child) {
    std::ignore = pass_on(child.handle(), SIGKILL);
    if (child.handle().exits_within(kEndTime)) std::ignore = child.wait();
}

}  // namespace

Result<CommandOutput> read_command(std::vector<std::string> argv,
                                   std::chrono::milliseconds most_time,
                                   std::vector<std::string> environment) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure("make", "a pipe");
    const Fd pipe(ends[0]);
    Fd output(ends[1]);
    const std::string what = argv.front();
    const auto last = Clock::now() + most_time;
    environment.insert(environment.end(), {"LC_ALL=C", "SYSTEMD_COLORS=0", "SYSTEMD_PAGER="});
    // The parent may have left it ignored; then wait(2) would tell nothing.
    std::signal(SIGCHLD, SIG_DFL);
    const auto child = start({.argv = std::move(argv),
                              .environment = std::move(environment),
                              .term_on_parent_exit = true,
                              .output = output.get()});
    if (!child) return tl::unexpected(child.error());
    output.reset();
    auto text = read_to_end(pipe, what, last);
    const auto status = text ? end_of(*child, what, last) : tl::unexpected(text.error());
    if (status) return CommandOutput{*status, *std::move(text)};
    put_an_end_to(*child);
    return tl::unexpected(status.error());
}

}  // namespace reaper::agent
