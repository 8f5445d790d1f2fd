// What a schedule is made of, as plain values: what was asked for, what was found, and what is to
// be done about it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/model/identity.hpp"

namespace reaper::agent {

enum class ScheduleKind {
    user_timer,     // orphan-reaper.timer of the user's manager
    user_watch,     // orphan-reaper-watch.service, of the same
    system_timer,   // orphan-reaper@USER.timer of the system's manager
    user_cron,      // a line in the user's crontab
    system_cron,    // a line in /etc/cron.d/orphan-reaper
    launch_agent,   // orphan-reaper.sweep of launchd, macOS's manager, in the user's domain
    launch_watch,   // orphan-reaper.watch, of the same
    launch_daemon,  // orphan-reaper.sweep.USER of the system's domain
    brew_service,   // what `brew services start` has made: shown, and left to that
};

// "user timer", "system crontab"; JSON has the same words.
[[nodiscard]] std::string_view to_string(ScheduleKind kind);

struct ScheduleWish {
    std::string task = {};  // install, remove or status
    std::chrono::seconds every{300};
    std::string user = {};  // empty: not said
    bool watch = false;
    bool system = false;
    bool cron = false;
    bool linger = false;
    bool report_only = false;
};

// One unit, as its manager has it loaded. All empty: the manager does not know it.
struct UnitState {
    std::string name = {};
    std::string path = {};     // FragmentPath
    std::string load = {};     // loaded, not-found, masked, ...
    std::string enabled = {};  // UnitFileState
    std::string active = {};   // ActiveState
    std::string result = {};   // success, exit-code, ...
    std::string command = {};  // the arguments of ExecStart, with blanks between
    bool runs_this = false;    // that is this very program
    bool must_reload = false;  // its file is newer than what is loaded
    std::optional<int> exit_status = {};
    std::optional<double> ended = {};       // epoch
    std::optional<double> last = {};        // of a timer: when it elapsed
    std::optional<double> next = {};        // of a timer: when it will; epoch
    std::optional<double> next_after = {};  // the same in seconds since the boot
};

// One job, as launchd has it loaded.
struct JobState {
    std::string label = {};
    std::string domain = {};  // gui/501, user/501 or system
    bool loaded = false;
    bool disabled = false;  // switched off, so that it is not loaded
    bool running = false;
    std::string path = {};     // of the file that it was loaded from
    std::string command = {};  // with blanks between the words
    std::optional<int> exit_status = {};
};

// What was found before anything is decided. What stands in `files` is every file that a plan might
// write to or remove, where it exists.
struct Situation {
    std::string program = {};  // absolute, without links
    std::string refusal = {};  // why this program is not to be scheduled; empty: it may
    std::string account = {};  // whose processes are swept
    scanner::Uid uid = 0;
    std::uint32_t group = 0;       // its id
    std::string home = {};         // of the account
    std::string unit_folder = {};  // of the user's own units
    bool of_system = false;        // asked about with --system
    bool is_root = false;
    bool launchd = false;     // the manager is that of macOS, and what follows of systemd's empty
    std::string domain = {};  // of launchd, in which install loads a job
    std::map<std::string, JobState> jobs = {};  // of launchd, by label
    bool user_manager = false;                  // it answers
    bool system_manager = false;
    bool can_confine = false;                     // there is the bus that systemd-run(1) waits by
    std::string user_trouble = {};                // why it is not known what the user's manager has
    std::string system_trouble = {};              // the same of the system's
    std::string cron_trouble = {};                // why the user's crontab cannot be read
    std::map<std::string, UnitState> units = {};  // by name
    std::map<std::string, std::string> files = {};
    std::optional<std::string> crontab = {};  // its text; none: there is no crontab(1)
    std::set<std::string> missing_programs;   // that a crontab names, and that cannot be run
    // Programs that are scheduled, and why another user could change them.
    std::map<std::string, std::string> unsafe_programs = {};
    bool other_instances = false;  // other users have a timer of the system's
    bool lingers = false;
    bool cron_runs = false;
};

// One thing to do. A dry run prints what install carries out.
struct ScheduleStep {
    enum class Kind { write_file, remove_file, run };
    Kind kind = Kind::run;
    std::string path = {};
    std::string text = {};               // of the file, or what the command reads
    std::vector<std::string> argv = {};  // of the command
    bool may_fail = false;
    std::chrono::seconds patience{0};  // it is tried again for so long while it fails

    bool operator==(const ScheduleStep&) const = default;
};

inline constexpr std::string_view kWrittenByInstall = "# Written by orphan-reaper schedule install";

// True if the text begins with that line.
[[nodiscard]] bool is_written_by_install(std::string_view text);

}  // namespace reaper::agent
