#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "agent/reaping/command.hpp"
#include "agent/schedule/carry_out.hpp"
#include "agent/schedule/manager.hpp"
#include "agent/system/text_file.hpp"

namespace reaper::agent {

namespace {

constexpr std::chrono::milliseconds kPause{200};

Result<void> write_file(const ScheduleStep& step) {
    const std::string folder = step.path.substr(0, step.path.rfind('/'));
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return tl::unexpected(Error{error, "make", folder});
    if (auto written = replace_file(step.path, step.text, 0644); !written) return written;
    // Whatever the umask is: a manager, or cron, has to read it.
    return ::chmod(step.path.c_str(), 0644) == 0 ? Result<void>{}
                                                 : system_failure("write", step.path);
}

Result<void> remove_file(const ScheduleStep& step, const std::string& kept) {
    if (::unlink(step.path.c_str()) != 0 && errno != ENOENT)
        return system_failure("remove", step.path);
    std::string folder = step.path.substr(0, step.path.rfind('/'));
    while (folder.starts_with(kept + "/") && ::rmdir(folder.c_str()) == 0)
        folder.resize(folder.rfind('/'));
    return {};
}

Result<void> try_command(const ScheduleStep& step) {
    const auto answer =
        ask({.argv = step.argv, .input = step.text, .environment = manager_environment()});
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status == 0 || step.may_fail) return {};
    return failure(std::errc::operation_canceled, "run",
                   fmt::format("'{}': {}", typed(step.argv), complaint(*answer)));
}

Result<void> run_command(const ScheduleStep& step) {
    const auto last_moment = std::chrono::steady_clock::now() + step.patience;
    auto done = try_command(step);
    while (!done && std::chrono::steady_clock::now() < last_moment) {
        std::this_thread::sleep_for(kPause);
        done = try_command(step);
    }
    return done;
}

Result<void> carry_out(const ScheduleStep& step, const std::string& kept) {
    switch (step.kind) {
        case ScheduleStep::Kind::write_file: return write_file(step);
        case ScheduleStep::Kind::remove_file: return remove_file(step, kept);
        case ScheduleStep::Kind::run: break;
    }
    return run_command(step);
}

}  // namespace

Result<void> carry_out(const std::vector<ScheduleStep>& steps, const std::string& kept) {
    for (const ScheduleStep& step : steps) {
        if (auto done = carry_out(step, kept); !done) return done;
    }
    return {};
}

}  // namespace reaper::agent
