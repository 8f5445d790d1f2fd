// Where the report goes, and in which form: one write of one whole text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/options.hpp"
#include "agent/report.hpp"
#include "agent/text_file.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// As the terminal, the environment and the options want it.
[[nodiscard]] RenderOptions render_options(const Options& options);

class Output {
   public:
    // Before anything is done: a report that cannot be written is a sweep that must not happen.
    [[nodiscard]] static Result<Output> open(const Options& options);

    [[nodiscard]] Result<void> write(const Report& report);
    [[nodiscard]] Result<void> write(std::string_view text);

   private:
    Output(const Options& options, std::optional<TextFile> file) : options_(&options), file_(std::move(file)) {}

    [[nodiscard]] std::string render(const Report& report) const;

    const Options* options_;
    std::optional<TextFile> file_;  // none: stdout
};

}  // namespace reaper::agent
