// Whether the processes can be seen, and what this program may do.
#include <cstdint>

#include <fmt/format.h>

#include "agent/cli/cli.hpp"
#include "agent/doctor/judge.hpp"

namespace reaper::agent {

namespace {

using enum FindingStatus;

// linux/capability.h, which other systems do not have.
constexpr std::uint64_t kMayKill = 1ULL << 5;
constexpr std::uint64_t kMayTrace = 1ULL << 19;

std::int64_t number(std::size_t value) {
    return static_cast<std::int64_t>(value);
}

Finding hidden(const Observations& seen) {
    Finding finding{.id = "proc", .status = fail};
    const std::string effect =
        "/proc hides the processes of other users, process 1 among them, so that nothing can be "
        "proven to be leaked";
    if (seen.standing.in_service) {
        finding.message = effect + ": set ProtectProc=default in the unit that this runs in";
        return finding;
    }
    finding.message = effect +
                      " (it is mounted with hidepid; without that, every user sees the "
                      "processes of all users)";
    finding.fix = as_root(seen, "mount -o remount,hidepid=0 /proc");
    return finding;
}

Finding proc_finding(const Observations& seen) {
    const Sight& sight = seen.sight;
    Finding finding{.id = "proc"};
    if (!sight.trouble.empty()) {
        finding.status = fail;
        finding.message = "the processes could not be looked at: " + sight.trouble;
        return finding;
    }
    finding = sight.machine.hides_processes ? hidden(seen) : finding;
    if (finding.message.empty())
        finding.message = fmt::format("{} processes are seen, of all users", sight.count.seen);
    finding.facts = {{"hides_processes", sight.machine.hides_processes},
                     {"seen", number(sight.count.seen)}};
    return finding;
}

// A process of this user that may not be read shields itself, as ssh-agent does.
Finding readable_finding(const Observations& seen) {
    const Sight& sight = seen.sight;
    Finding finding{.id = "readable"};
    finding.facts = {{"denied", number(sight.count.denied)}, {"unanswered", sight.unanswered}};
    if (!sight.trouble.empty()) {
        finding.status = skip;
        finding.message = "what can be read of them is not known";
    } else if (!sight.unanswered.empty()) {
        finding.status = warn;
        finding.message = fmt::format("{} did not answer in time; what depends on it is kept",
                                      fmt::join(sight.unanswered, ", "));
    } else if (sight.count.denied > 0) {
        finding.status = warn;
        finding.message = fmt::format("{} of the processes cannot be read, and so never ended",
                                      sight.count.denied);
        finding.fix = "orphan-reaper report --verbose";
    } else {
        finding.message = "all that is needed of them can be read";
    }
    return finding;
}

Finding rights_of_root(const Observations& seen) {
    const bool traces = (seen.standing.capabilities & kMayTrace) != 0;
    const bool kills = (seen.standing.capabilities & kMayKill) != 0;
    const bool complete = traces && kills;
    return {.id = "rights",
            .status = complete ? ok : warn,
            .message = complete ? "root, with the right to read and to end every process"
                                : fmt::format("root, but without {}{}{}: processes of other users "
                                              "cannot be {}",
                                              traces ? "" : "CAP_SYS_PTRACE",
                                              traces || kills ? "" : " and ",
                                              kills ? "" : "CAP_KILL", traces ? "ended" : "read")};
}

Finding rights_finding(const Observations& seen) {
    if (seen.own_uid == 0 && !seen.standing.first_user_namespace)
        return {.id = "rights",
                .message = "root of a user namespace, which has rights over what runs in it"};
    if (seen.own_uid == 0) return rights_of_root(seen);
    if (seen.whose.uid == seen.own_uid)
        return {.id = "rights", .message = "an ordinary user, for this user's own processes"};
    return {.id = "rights",
            .status = fail,
            .message = fmt::format("the processes of {} can only be read and ended by that user, "
                                   "or by root",
                                   name_of(seen.whose)),
            .fix = fmt::format("sudo orphan-reaper doctor --user {}",
                               seen.whose.user.empty() ? fmt::format("{}", seen.whose.uid)
                                                       : shell_word(seen.whose.user))};
}

// Yama limits who may attach to a process. Reading its exe, descriptors and environment is not
// that (security/yama/yama_lsm.c asks for PTRACE_MODE_ATTACH).
Finding yama_finding(const Observations& seen) {
    const auto& scope = seen.standing.ptrace_scope;
    Finding finding{.id = "yama"};
    finding.status = scope ? ok : skip;
    finding.message = scope ? fmt::format("ptrace_scope is {}, which does not matter here", *scope)
                            : "this kernel has no Yama";
    if (scope) finding.facts = {{"ptrace_scope", std::int64_t{*scope}}};
    return finding;
}

std::string place_text(const Observations& seen) {
    const Standing& standing = seen.standing;
    const bool is_wsl = seen.sight.machine.kernel.find("icrosoft") != std::string::npos;
    std::string text = standing.first_pid_namespace ? "a whole machine" : "a pid namespace";
    if (is_wsl) text = "WSL";
    if (!standing.container.empty()) text = fmt::format("a container ({})", standing.container);
    if (!standing.first_user_namespace) text += ", in a user namespace";
    return text;
}

Finding place_finding(const Observations& seen) {
    const Standing& standing = seen.standing;
    Finding finding{.id = "place"};
    finding.facts = {{"container", standing.container},
                     {"first_pid_namespace", standing.first_pid_namespace},
                     {"first_user_namespace", standing.first_user_namespace}};
    if (standing.other_root) finding.facts.emplace_back("other_root", *standing.other_root);
    if (standing.other_root.value_or(false)) {
        finding.status = warn;
        finding.message =
            "process 1 has another root directory than this program: what runs outside of this one "
            "is kept, so run this there";
        return finding;
    }
    finding.message = fmt::format("this is {}{}", place_text(seen),
                                  standing.first_pid_namespace
                                      ? std::string()
                                      : "; what runs outside of it is neither seen nor ended");
    return finding;
}

}  // namespace

void add_sight(const Observations& seen, Findings& findings) {
    findings.push_back(proc_finding(seen));
    findings.push_back(readable_finding(seen));
}

void add_standing(const Observations& seen, Findings& findings) {
    findings.push_back(rights_finding(seen));
    findings.push_back(yama_finding(seen));
    findings.push_back(place_finding(seen));
}

}  // namespace reaper::agent
