// Where the report goes, and in which form: one write of one whole text.
#pragma once

#include <string>

#include "agent/options.hpp"
#include "agent/report.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

class Output {
   public:
    // Before anything is done: a report that cannot be written is a sweep that must not happen. A file is written beside its
    // place and renamed into it, so that nobody ever reads half of one.
    [[nodiscard]] static Result<Output> open(const Options& options);

    [[nodiscard]] Result<void> write(const Report& report);

   private:
    explicit Output(const Options& options) : options_(&options) {}

    [[nodiscard]] std::string render(const Report& report) const;

    const Options* options_;
};

}  // namespace reaper::agent
