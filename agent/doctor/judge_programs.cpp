// Other programs of this name, and the watches that run.
#include <fmt/format.h>

#include "agent/cli/cli.hpp"
#include "agent/doctor/judge.hpp"

namespace reaper::agent {

namespace {

using enum FindingStatus;

Finding other_finding(const Observations& seen, const OtherProgram& other) {
    const bool same = other.version == seen.version;
    Finding finding{.id = "program",
                    .status = same ? ok : warn,
                    .facts = {{"path", other.path}, {"version", other.version}}};
    if (!other.trusted)
        finding.message = other.path + " is in PATH, and others can change it: it was not asked";
    else if (other.version.empty())
        finding.message = other.path + " is in PATH, and does not say which version it is";
    else
        finding.message = fmt::format("{} is in PATH too, version {}; this is {}, version {}",
                                      other.path, other.version, seen.program, seen.version);
    return finding;
}

// Whatever else runs in a unit would end with it: only the unit of the watch itself is restarted.
std::string watch_fix(const Observations& seen, const RunningWatch& watch) {
    if (watch.unit.empty()) return fmt::format("kill {}; orphan-reaper watch", watch.pid);
    const bool is_its_unit = watch.unit == kWatchUnit && seen.whose.uid == seen.own_uid;
    return is_its_unit ? fmt::format("systemctl --user restart {}", kWatchUnit) : std::string();
}

Finding watch_finding(const Observations& seen, const RunningWatch& watch) {
    Finding finding{.id = "watch",
                    .status = watch.deleted ? warn : ok,
                    .facts = {{"pid", std::int64_t{watch.pid}}, {"deleted", watch.deleted}}};
    finding.message = fmt::format("the watch with pid {} runs {}", watch.pid,
                                  watch.deleted ? "a program that was replaced since it started"
                                                : "the program that is installed");
    if (!watch.deleted) return finding;
    if (!watch.unit.empty()) finding.message += ", in " + watch.unit;
    finding.fix = watch_fix(seen, watch);
    return finding;
}

}  // namespace

void add_programs(const Observations& seen, Findings& findings) {
    if (seen.others.empty())
        findings.push_back(
            {.id = "program",
             .message = fmt::format("version {}; PATH has no other one", seen.version),
             .facts = {{"path", seen.program}, {"version", seen.version}}});
    for (const OtherProgram& other : seen.others) findings.push_back(other_finding(seen, other));
    if (seen.watches.empty())
        findings.push_back({.id = "watch", .status = skip, .message = "no watch runs"});
    for (const RunningWatch& watch : seen.watches) findings.push_back(watch_finding(seen, watch));
}

}  // namespace reaper::agent
