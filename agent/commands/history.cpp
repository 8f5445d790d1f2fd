#include <chrono>
#include <tuple>

#include "agent/cli/option_table.hpp"
#include "agent/cli/version.hpp"
#include "agent/commands/platform.hpp"
#include "agent/history/file.hpp"
#include "agent/history/runs.hpp"
#include "agent/report/build.hpp"
#include "agent/report/history_view.hpp"
#include "agent/report/prometheus_totals.hpp"

namespace reaper::agent {

namespace {

double now_epoch() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

bool is_written_down(const Options& options) {
    const bool ends = options.command == Command::sweep || options.command == Command::preflight;
    return ends && !options.dry_run && !options.no_history;
}

}  // namespace

void note_and_total(const Options& options, Report& report) {
    if (is_written_down(options)) std::ignore = note_run(history_folder(), run_of(report));
    if (options.format != Format::prometheus || report.replayed) return;
    if (auto totals = read_totals()) report.totals = *std::move(totals);
}

void note_unstarted(const Options& options, int exit_status) {
    if (!is_written_down(options) || exit_status == static_cast<int>(ExitStatus::usage)) return;
    std::ignore = note_run(history_folder(), {std::string(info_of(options.command).name),
                                              now_epoch(),
                                              0,
                                              static_cast<ExitStatus>(exit_status),
                                              {},
                                              options.from});
}

Result<std::string> run_history(const HistoryOptions& own, Format format,
                                const RenderOptions& render) {
    const std::string folder = history_folder();
    if (folder.empty())
        return failure(std::errc::no_such_file_or_directory, "find",
                       "a folder for the history (neither HOME nor XDG_STATE_HOME is a full path)");
    if (format == Format::prometheus)
        return read_totals().map([](const Totals& totals) {
            return render_totals_prometheus(totals, REAPER_VERSION, commit());
        });
    const auto history = read_history(folder);
    if (!history) return tl::unexpected(history.error());
    HistoryView view = view_of(*history, now_epoch(), own.since, still_runs);
    view.version = REAPER_VERSION;
    view.folder = folder;
    if (format == Format::html) return render_history_html(view);
    return format == Format::json ? render_history_json(view) : render_history(view, render);
}

}  // namespace reaper::agent
