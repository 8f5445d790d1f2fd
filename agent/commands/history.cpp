#include <chrono>

#include "agent/commands/platform.hpp"
#include "agent/history/file.hpp"
#include "agent/report/history_view.hpp"

namespace reaper::agent {

namespace {

double now_epoch() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace

Result<std::string> run_history(const HistoryOptions& own, Format format,
                                const RenderOptions& render) {
    const std::string folder = history_folder();
    if (folder.empty())
        return failure(std::errc::no_such_file_or_directory, "find",
                       "a folder for the history (neither HOME nor XDG_STATE_HOME is a full path)");
    const auto history = read_history(folder);
    if (!history) return tl::unexpected(history.error());
    HistoryView view = view_of(*history, now_epoch(), own.since, still_runs);
    view.version = REAPER_VERSION;
    view.folder = folder;
    return format == Format::json ? render_history_json(view) : render_history(view, render);
}

}  // namespace reaper::agent
