#include "agent/cli/exit_status_text.hpp"

namespace reaper::agent {

namespace {

constexpr std::string_view kExitStatus = R"(Exit status:
  0    nothing leaked is left
  1    leaks, or stale files, were found and left (report, dry run);
       a check failed (doctor)
  2    wrong usage
  3    configuration or rules are invalid; nothing was done
  4    the scan was incomplete: not enough could be read to be sure;
       or the report could not be written
  5    something that should have ended or been removed was not
  6    something is in the way of an update (preflight), or an update is
       running, so stale files were left (pidfiles)
  130  interrupted
)";

constexpr std::string_view kRun =
    R"(Exit status: that of the helper, 128 plus the number of the signal that ended
it; 127 where there is no such program, 126 where it cannot be run. Before it
is started:
  2    wrong usage, or a host that is refused
  4    it could not be started, or what --idle asks for cannot be seen
)";

constexpr std::string_view kDoctor = R"(Exit status:
  0    nothing fails; with --strict, nothing warns either
  1    something fails, or, with --strict, warns
  2    wrong usage
  4    the processes could not be looked at, or the text not be written
)";

constexpr std::string_view kSchedule = R"(Exit status:
  0    all is well, also with warnings
  1    something is to be done: nothing is scheduled, it is not active, or the
       last run failed
  2    wrong usage, or a period that cron cannot express
  3    refused; nothing was done
  4    something could not be looked at, or a command failed
)";

constexpr std::string_view kMerge = R"(Exit status: the worst of all machines, in this order:
  4    a report could not be read or understood, or its machine was not seen
       completely
  5    something that should have ended did not
  6    a machine is not ready for an update
  1    leaks are left
  0    none of that
or 2, wrong usage
)";

constexpr std::string_view kHooks = R"(Exit status:
  0    it is as asked; of status: every host that is there, or was named, has
       its hook
  1    of status: a hook is missing, or not as it should be; else: you did not
       say yes
  2    wrong usage, or there is no terminal to ask on
  3    something was refused, or is by hand and so not removed; what else was
       asked for is done
  4    a file could not be read, understood or written
)";

constexpr std::string_view kMcp = R"(Exit status:
  0    the host has gone, or asked for the end
  2    wrong usage; also --allow-sweep as root without --as-root
  4    it could not begin
)";

}  // namespace

std::string_view exit_status_text(std::optional<Command> command) {
    switch (command.value_or(Command::report)) {
        case Command::run: return kRun;
        case Command::doctor: return kDoctor;
        case Command::schedule: return kSchedule;
        case Command::merge: return kMerge;
        case Command::hooks: return kHooks;
        case Command::mcp: return kMcp;
        default: return kExitStatus;
    }
}

}  // namespace reaper::agent
