#include "agent/report/output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/reading/bounded_reader.hpp"
#include "scanner/access_guard.hpp"

namespace reaper::agent {

namespace {

constexpr unsigned kNarrowest = 20;  // a terminal that says less does not know

bool wants_color(const OutputOptions& options, bool terminal) {
    switch (options.color) {
        case Color::always: return true;
        case Color::never: return false;
        case Color::automatic: break;
    }
    const char* refused = std::getenv("NO_COLOR");
    const char* kind = std::getenv("TERM");
    const bool dumb = kind == nullptr || std::string_view(kind) == "dumb";
    return terminal && !dumb && (refused == nullptr || *refused == '\0');
}

}  // namespace

RenderOptions render_options(const OutputOptions& options) {
    RenderOptions render;
    const bool terminal = options.output.empty() && ::isatty(STDOUT_FILENO) == 1;
    render.terminal = terminal;
    render.color = wants_color(options, terminal);
    render.quiet = options.quiet;
    render.verbose = options.verbose;
    struct winsize size{};
    if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kNarrowest)
        render.width = size.ws_col;
    return render;
}

Result<Output> Output::open(const OutputOptions& options) {
    if (options.output.empty()) return Output(options, std::nullopt);
    if (auto answers = expect_answer(options.output); !answers)
        return tl::unexpected(std::move(answers.error()));
    return TextFile::open(options.output, 0666).map([&](TextFile file) {
        return Output(options, std::move(file));
    });
}

std::string Output::render(const Report& report) const {
    switch (options_->format) {
        case Format::json: return render_json(report);
        case Format::jsonl: return render_jsonl(report);
        case Format::prometheus: return render_prometheus(report);
        case Format::html: return render_html(report);
        case Format::text: break;
    }
    const RenderOptions render = render_options(*options_);
    if (options_->command == Command::preflight) return render_preflight(report, render);
    if (options_->command == Command::pid_files) return render_pid_files(report, render);
    return options_->command == Command::explain ? render_explanation(report, render)
                                                 : render_text(report, render);
}

Result<void> Output::write(const Report& report) {
    return write(render(report));
}

// The file system of a file may have stopped to answer since a sweep began. A disk that is merely
// busy has more time than what is read: the words are no path (bounded_reader_linux.cpp).
Result<void> Output::write(std::string_view text) {
    if (!file_) return write_all(STDOUT_FILENO, text, "the report");
    if (!file_->is_replaced()) return file_->write(text);
    BoundedReader::of_program().begin_last_task();
    return read_bounded<void>([&]() -> Result<void> {
        const std::string& path = options_->output;
        if (!scanner::may_read(::geteuid(), "the report in " + path))
            return failure(std::errc::timed_out, "write", path);
        return file_->write(text);
    });
}

}  // namespace reaper::agent
