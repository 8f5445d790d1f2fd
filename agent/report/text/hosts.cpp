// The answer to "what eats my machine": a few lines below the list of helpers.
#include <algorithm>

#include <fmt/format.h>

#include "agent/redaction/argv.hpp"
#include "agent/report/hosts.hpp"
#include "agent/report/text/layout.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kMostRows = 10;
constexpr std::size_t kLongestCommand = 160;

std::string leaked_text(const HostTally& host) {
    return host.leaked == 0 ? "none" : fmt::format("{} of {}", host.leaked, host.helpers);
}

std::string columns(const HostTally& host, const RenderOptions& options) {
    const std::string pid = host.pid == 0 ? "-" : fmt::format("{}", host.pid);
    const std::string size = size_text(memory_bytes(host));
    if (has_columns(options)) {
        return fmt::format("{:>7}  {:<22} {:>8} {:>9}  {}\n", pid, host_name(host),
                           leaked_text(host), size, families_text(host));
    }
    return fmt::format("{} {}\n", pid, host_name(host)) +
           paragraph(fmt::format("leaked: {}; {}", leaked_text(host), size), options) +
           paragraph(families_text(host), options);
}

std::string entry(const HostTally& host, const RenderOptions& options) {
    const std::string command = shown_line(redact(host.argv), kLongestCommand);
    return columns(host, options) + (command.empty() ? "" : paragraph(command, options));
}

}  // namespace

std::string hosts_section(const Report& report, const RenderOptions& options) {
    if (report.hosts.empty()) return {};
    const std::size_t shown =
        options.verbose ? report.hosts.size() : std::min(report.hosts.size(), kMostRows);
    const std::string heading =
        has_columns(options)
            ? fmt::format("{:<31} {:>8} {:>9}  {}", "BY HOST", "LEAKED", "MEMORY", "HELPERS")
            : std::string("BY HOST");
    std::string text = "\n" + top_line(heading, Style::strong, options);
    for (std::size_t i = 0; i < shown; ++i) text += entry(report.hosts[i], options);
    if (shown < report.hosts.size())
        text += fmt::format("         ... and {} more: --verbose lists all\n",
                            report.hosts.size() - shown);
    return text;
}

}  // namespace reaper::agent
