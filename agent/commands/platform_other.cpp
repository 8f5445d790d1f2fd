#include <fmt/format.h>

#include "agent/commands/platform.hpp"
#include "agent/system/exit_status.hpp"

namespace reaper::agent {

namespace {

constexpr const char* kInstead =
    "on this system (judge what 'report --facts FILE' wrote on Linux: '--from-facts FILE')";

}  // namespace

Result<Report> run_on_this_machine(const Options&, const Setup&) {
    return failure(std::errc::function_not_supported, "see processes", kInstead);
}

// That a rule file is good, and what it changes, is an answer without any process.
Result<Report> find_matching(const SweepOptions&, const Setup&) {
    Report report;
    report.version = REAPER_VERSION;
    report.complete = false;
    report.remarks = {
        "this program cannot see processes on this system, so it cannot say which match"};
    return report;
}

Result<int> run_preflight(const SweepOptions&, const PreflightOptions&, const Setup&,
                          const ShowReport&) {
    return failure(std::errc::function_not_supported, "see processes", kInstead);
}

void note_and_total(const Options&, Report&) {}

void note_unstarted(const Options&, int) {}

Result<std::string> run_history(const HistoryOptions&, Format, const RenderOptions&) {
    return failure(std::errc::function_not_supported, "see a history", kInstead);
}

tl::expected<DoctorReport, Message> run_doctor(const ScopeOptions&, const DoctorOptions&, Format,
                                               const RenderOptions&) {
    return tl::unexpected(Message{fmt::format("orphan-reaper: cannot see processes {}\n", kInstead),
                                  static_cast<int>(ExitStatus::incomplete)});
}

tl::expected<int, Message> run_detached(const Options&, const std::function<int(const Options&)>&) {
    return tl::unexpected(Message{fmt::format("orphan-reaper: cannot see processes {}\n", kInstead),
                                  static_cast<int>(ExitStatus::incomplete)});
}

tl::expected<int, Message> run_helper(const ScopeOptions&, const RunOptions&, bool) {
    return tl::unexpected(Message{"orphan-reaper: cannot tie a helper to its host on this system\n",
                                  static_cast<int>(ExitStatus::incomplete)});
}

tl::expected<int, Message> run_watch(const WatchOptions&, Setup) {
    return tl::unexpected(Message{fmt::format("orphan-reaper: cannot see processes {}\n", kInstead),
                                  static_cast<int>(ExitStatus::incomplete)});
}

tl::expected<int, Message> run_mcp(const Options&) {
    return tl::unexpected(Message{fmt::format("orphan-reaper: cannot see processes {}\n", kInstead),
                                  static_cast<int>(ExitStatus::incomplete)});
}

tl::expected<ScheduleAnswer, Message> run_schedule(const Options&) {
    return tl::unexpected(Message{"orphan-reaper: cannot schedule sweeps on this system\n",
                                  static_cast<int>(ExitStatus::incomplete)});
}

tl::expected<HooksAnswer, Message> run_hooks(const Options&, const AskPerson&) {
    return tl::unexpected(Message{"orphan-reaper: cannot install hooks on this system\n",
                                  static_cast<int>(ExitStatus::incomplete)});
}

void let_journal_read() {}

}  // namespace reaper::agent
