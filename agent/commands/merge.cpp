#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/commands/commands.hpp"
#include "agent/fleet/fleet.hpp"
#include "agent/report/text/progress.hpp"
#include "agent/system/text_file.hpp"
#include "policy/text/escape.hpp"
#include "scanner/fd.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kMost = 64UL << 20U;  // of one report: twenty times the largest that was seen

Result<std::string> read_to_end(int fd, const std::string& file) {
    std::string text;
    std::array<char, 65536> buffer;
    while (true) {
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return system_failure("read", file);
        if (got == 0) return text;
        text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > kMost) return failure(std::errc::file_too_large, "read", file);
    }
}

// Says on a terminal what it waits for, as ssh may be asking for a password elsewhere.
void tell_of_waiting(int fd, const std::string& file, int terminal) {
    struct pollfd input{fd, POLLIN, 0};
    if (terminal < 0 || ::poll(&input, 1, 2000) != 0) return;
    std::ignore = write_all(terminal, fmt::format("waiting for {}\n", policy::escape(file, 200)),
                            "the terminal");
}

// A pipe as well: of a shell's <(ssh HOST orphan-reaper --json).
Result<std::string> read_input(const std::string& file, int terminal) {
    if (file == "-") {
        tell_of_waiting(STDIN_FILENO, "the standard input", terminal);
        return read_to_end(STDIN_FILENO, "the standard input");
    }
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd) return system_failure("read", file);
    tell_of_waiting(fd.get(), file, terminal);
    return read_to_end(fd.get(), file);
}

}  // namespace

MergedReports run_merge(const MergeOptions& own, Format format, const RenderOptions& render) {
    std::vector<FleetMachine> machines;
    machines.reserve(own.reports.size());
    const int terminal = terminal_to_draw_on(render.quiet);
    for (const std::string& file : own.reports)
        machines.push_back(read_report(file, read_input(file, terminal)));
    Fleet fleet = merge(std::move(machines));
    fleet.version = REAPER_VERSION;
    if (format == Format::json) return {render_fleet_json(fleet), fleet.exit_status};
    if (format == Format::html) return {render_fleet_html(fleet), fleet.exit_status};
    return {render_fleet(fleet, render), fleet.exit_status};
}

}  // namespace reaper::agent
