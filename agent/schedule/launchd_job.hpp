// Jobs of launchd, the manager of macOS: what they are called, what install writes, and what
// launchctl(1) says of them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "agent/schedule/parts.hpp"

namespace reaper::agent {

// What `brew services` calls the job that Homebrew's formula describes.
inline constexpr std::string_view kBrewLabel = "homebrew.mxcl.orphan-reaper";

[[nodiscard]] bool is_launchd(ScheduleKind kind);

// The label of a job: "orphan-reaper.sweep", of a daemon "orphan-reaper.sweep.alice".
[[nodiscard]] std::string job_label(ScheduleKind kind, std::string_view account);

// The file that describes it, which is named by the label. Agents are the user's, daemons the
// system's. Of Homebrew that of the user.
[[nodiscard]] std::string job_file(ScheduleKind kind, const Situation& found);

// The text of that file, which is for macOS alone: what is run how often, or stays.
[[nodiscard]] std::string job_text(ScheduleKind kind, const Situation& found,
                                   const ScheduleWish& wish);

// True if job_text() made it.
[[nodiscard]] bool is_job_by_install(std::string_view text);

// What such a file runs, with blanks between the words; empty: it does not say.
[[nodiscard]] std::string command_of_job(std::string_view text);

// Understands what `launchctl print DOMAIN/LABEL` says. It promises no form: what is not understood
// is not known. `label` and `domain` stay empty.
[[nodiscard]] JobState parse_job(std::string_view text);

// True if `launchctl print-disabled DOMAIN` says that this job is switched off.
[[nodiscard]] bool is_disabled(std::string_view text, std::string_view label);

}  // namespace reaper::agent
