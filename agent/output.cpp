#include "agent/output.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "scanner/fd.hpp"

namespace reaper::agent {

namespace {

bool wants_color(const Options& options, bool terminal) {
    switch (options.color) {
        case Color::always: return true;
        case Color::never: return false;
        case Color::automatic: break;
    }
    const char* refused = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): there is one thread
    const char* kind = std::getenv("TERM");         // NOLINT(concurrency-mt-unsafe)
    const bool dumb = kind == nullptr || std::string_view(kind) == "dumb";
    return terminal && !dumb && (refused == nullptr || *refused == '\0');
}

RenderOptions render_options(const Options& options) {
    RenderOptions render;
    const bool terminal = options.output.empty() && ::isatty(STDOUT_FILENO) == 1;
    render.color = wants_color(options, terminal);
    render.quiet = options.quiet;
    render.verbose = options.verbose;
    struct winsize size{};
    if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) render.width = size.ws_col;
    return render;
}

Result<void> write_all(int fd, std::string_view text, std::string_view subject) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return system_failure("write", subject);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

// Devices, pipes and the like are written to as they are.
bool is_replaceable(const std::string& path) {
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0) return errno == ENOENT;
    return S_ISREG(status.st_mode);
}

Result<void> replace_file(const std::string& path, std::string_view text) {
    std::string beside = path + ".XXXXXX";
    const Fd file(::mkostemp(beside.data(), O_CLOEXEC));
    if (!file) return system_failure("write", path);
    auto written = write_all(file.get(), text, path);
    if (written && ::fchmod(file.get(), 0644) != 0) written = system_failure("write", path);
    if (written && ::rename(beside.c_str(), path.c_str()) != 0) written = system_failure("write", path);
    if (!written) ::unlink(beside.c_str());
    return written;
}

Result<void> write_through(const std::string& path, std::string_view text) {
    const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!file) return system_failure("open", path);
    return write_all(file.get(), text, path);
}

}  // namespace

Result<Output> Output::open(const Options& options) {
    const std::string& path = options.output;
    if (path.empty()) return Output(options);
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    const bool writable = ::access((is_replaceable(path) ? folder : path).c_str(), W_OK) == 0;
    if (!writable) return system_failure("write", path);
    return Output(options);
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
    return options_->command == Command::explain ? render_explanation(report, render) : render_text(report, render);
}

Result<void> Output::write(const Report& report) {
    const std::string text = render(report);
    if (options_->output.empty()) return write_all(STDOUT_FILENO, text, "the report");
    return is_replaceable(options_->output) ? replace_file(options_->output, text)
                                            : write_through(options_->output, text);
}

}  // namespace reaper::agent
