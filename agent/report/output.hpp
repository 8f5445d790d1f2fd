// Writes the report to its destination in its format, by one write of one whole text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/cli/options.hpp"
#include "agent/report/report.hpp"
#include "agent/system/text_file.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// Chooses colour, width and detail by the terminal, the environment and the options.
[[nodiscard]] RenderOptions render_options(const OutputOptions& options);

// Where a report goes: a file, which is opened early and replaced as a whole, or stdout.
class Output {
   public:
    // Before anything is done: a report that cannot be written is a sweep that must not happen.
    [[nodiscard]] static Result<Output> open(const OutputOptions& options);

    // Fail when not all of it could be written; a file that is replaced keeps its old text then.
    // timed_out: its file system does not answer.
    [[nodiscard]] Result<void> write(const Report& report);
    [[nodiscard]] Result<void> write(std::string_view text);

   private:
    Output(const OutputOptions& options, std::optional<TextFile> file)
        : options_(&options), file_(std::move(file)) {}

    [[nodiscard]] std::string render(const Report& report) const;

    const OutputOptions* options_;
    std::optional<TextFile> file_;  // none: stdout
};

}  // namespace reaper::agent
