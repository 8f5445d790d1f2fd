#include "policy/vetoes.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "policy/designation.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::Claim;
using scanner::ClaimKind;
using scanner::Facts;
using scanner::ProcessFacts;

// Collects what the vetoes say; keeps the strongest verdict.
class Vetoes {
   public:
    explicit Vetoes(Member& member) : member_(member) {}

    void add(Verdict verdict, std::string code, std::string detail) {
        member_.add(Weight::veto, "veto." + std::move(code), std::move(detail));
        if (!verdict_ || rank(verdict) < rank(*verdict_)) verdict_ = verdict;
    }
    // Forbids for the moment, and says nothing of what the process is.
    void forbid_for_now(std::string code, std::string detail) {
        member_.add(Weight::veto, "veto." + std::move(code), std::move(detail));
    }
    [[nodiscard]] std::optional<Verdict> verdict() const { return verdict_; }

   private:
    static int rank(Verdict verdict) {
        constexpr Verdict kOrder[] = {Verdict::foreign, Verdict::designated, Verdict::supervised, Verdict::attached,
                                      Verdict::unknown};
        return static_cast<int>(std::find(std::begin(kOrder), std::end(kOrder), verdict) - std::begin(kOrder));
    }

    Member& member_;
    std::optional<Verdict> verdict_;
};

double start_epoch(std::uint64_t start_ticks, const scanner::Machine& machine) {
    const double age = (static_cast<double>(machine.now_ticks) - static_cast<double>(start_ticks)) /
                       static_cast<double>(machine.ticks_per_second);
    return machine.now_epoch - age;
}

constexpr double kClockSlack = 2.0;  // seconds: files record wall clock, which is stepped and rounded

bool started_by(std::uint64_t start_ticks, double moment, const scanner::Machine& machine) {
    return start_epoch(start_ticks, machine) <= moment + kClockSlack;
}

bool started_at(std::uint64_t start_ticks, double moment, const scanner::Machine& machine) {
    return std::abs(start_epoch(start_ticks, machine) - moment) <= kClockSlack;
}

void check_self(const Member& member, const Surroundings& around, Vetoes& vetoes) {
    const scanner::Machine& machine = around.facts.machine;
    if (member.pid() <= 1 || member.facts->row.kernel_thread) {
        vetoes.add(Verdict::foreign, "system", "pid 1 or a kernel thread");
    }
    if (member.pid() == machine.self) vetoes.add(Verdict::attached, "self", "it is this program");
    const auto& ancestors = machine.own_ancestors;
    if (std::find(ancestors.begin(), ancestors.end(), member.pid()) != ancestors.end()) {
        vetoes.add(Verdict::attached, "ancestor", "this program runs inside of it");
    }
}

void check_identity(const Member& member, Vetoes& vetoes) {
    const scanner::Identity& identity = member.facts->identity;
    if (identity.boot_id.empty() || identity.pid_namespace == 0 || identity.start_ticks == 0) {
        vetoes.add(Verdict::unknown, "identity", "its identity could not be established");
    }
}

void check_user(const Member& member, const Surroundings& around, Vetoes& vetoes) {
    if (!member.facts->uids.ok()) return;  // check_readings says so
    const scanner::Uids& uids = member.facts->uids.value;
    const auto& scope = around.settings.uids;
    if (uids.real != uids.effective || uids.real != uids.saved || uids.real != uids.filesystem) {
        vetoes.add(Verdict::foreign, "mixed_users",
                   fmt::format("it runs with several user ids ({}, {}, {}, {})", uids.real, uids.effective, uids.saved,
                               uids.filesystem));
    }
    if (!scope.empty() && std::find(scope.begin(), scope.end(), uids.real) == scope.end()) {
        vetoes.add(Verdict::foreign, "other_user", fmt::format("it belongs to user id {}", uids.real));
    }
}

void check_namespace(const Member& member, Vetoes& vetoes) {
    const auto& same = member.facts->same_pid_namespace;
    if (same.ok() && !same.value) vetoes.add(Verdict::foreign, "pid_namespace", "it lives in another pid namespace");
    const auto& pids = member.facts->namespace_pids;
    if (pids.ok() && (pids.value.size() != 1 || pids.value.back() == 1)) {
        vetoes.add(Verdict::foreign, "nested_namespace", "it lives in a pid namespace below this one, or is its init");
    }
}

// Only what a kill would have to rely on. Each that is missing forbids it: not being able to look is not an answer.
void check_readings(const Member& member, Vetoes& vetoes) {
    const ProcessFacts& facts = *member.facts;
    const bool has_script = !member.match.invocation.script.empty();
    const struct {
        const char* what;
        Access access;
        bool needed;
    } readings[] = {
        {"uids", facts.uids.access, true},
        {"pid_namespace", facts.same_pid_namespace.access, true},
        {"namespace_pids", facts.namespace_pids.access, true},
        {"tracer", facts.tracer.access, true},
        {"environment", facts.environment.access, true},
        {"standard_input", facts.standard_input.access, true},
        {"standard_output", facts.standard_output.access, true},
        {"listeners", facts.listeners.access, true},
        {"locks", facts.held_locks.access, true},
        {"script", facts.script.access, has_script},
    };
    for (const auto& reading : readings) {
        if (!reading.needed || reading.access == Access::ok) continue;
        vetoes.add(Verdict::unknown, fmt::format("unreadable.{}", reading.what),
                   fmt::format("its {} could not be read ({})", reading.what, to_string(reading.access)));
    }
    if (facts.row.command_line.value.truncated) {
        vetoes.add(Verdict::unknown, "unreadable.argv", "its command line is too long to be read whole");
    }
    if (member.home.empty()) vetoes.add(Verdict::unknown, "home", "the home that it serves could not be told");
}

bool lies_below(std::string_view path, const std::vector<std::string>& folders) {
    return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
        return path.find("/" + folder + "/") != std::string_view::npos;
    });
}

void check_install(const Member& member, Vetoes& vetoes) {
    const FamilyRule& rule = member.rule();
    if (rule.inside_parts.empty() && rule.inside_package.empty()) return;
    const auto& script = member.facts->script;
    if (!script.ok() || lies_below(script.value, rule.inside_parts)) return;
    const auto& package = member.facts->package;
    if (package.ok() && package.value == rule.inside_package) return;
    if (package.ok() || package.access == Access::gone) {
        vetoes.add(Verdict::foreign, "other_program", fmt::format("{} belongs to another program", script.value));
    } else {
        vetoes.add(Verdict::unknown, "unreadable.package",
                   fmt::format("what {} belongs to could not be read", script.value));
    }
}

std::string describe(const scanner::Listener& listener) {
    if (listener.transport == "unix") return fmt::format("unix socket {}", listener.address);
    return fmt::format("{} {}:{}", listener.transport, listener.address, listener.port);
}

void check_listeners(const Member& member, Vetoes& vetoes) {
    if (!member.facts->listeners.ok() || member.facts->listeners.value.empty()) return;
    vetoes.add(Verdict::unknown, "listens",
               fmt::format("it listens on {}", describe(member.facts->listeners.value.front())));
}

// INVOCATION_ID and the cgroup are inherited by whatever a service starts; only the manager's own word for the main process counts.
void check_supervision(const Member& member, Vetoes& vetoes) {
    const ProcessFacts& facts = *member.facts;
    const auto main_by_environment = variable(facts, "SYSTEMD_EXEC_PID");
    if (main_by_environment && *main_by_environment == std::to_string(member.pid())) {
        vetoes.add(Verdict::supervised, "supervised", "it is the main process of a service");
        return;
    }
    if (facts.unit.access == Access::gone) return;
    if (!facts.unit.ok()) {
        vetoes.add(Verdict::unknown, "unreadable.unit", "the service that it belongs to could not be read");
        return;
    }
    const scanner::ServiceUnit& unit = facts.unit.value;
    if (unit.main_pid && *unit.main_pid == member.pid()) {
        vetoes.add(Verdict::supervised, "supervised", fmt::format("it is the main process of {}", unit.name));
    } else if (unit.name.ends_with(".service") && !main_by_environment && !unit.main_pid) {
        vetoes.add(Verdict::unknown, "unreadable.main_pid",
                   fmt::format("whether it is the main process of {} could not be told", unit.name));
    }
}

void check_tracer(const Member& member, Vetoes& vetoes) {
    if (!member.facts->tracer.ok() || member.facts->tracer.value == 0) return;
    vetoes.add(Verdict::attached, "traced", fmt::format("pid {} traces it", member.facts->tracer.value));
}

void check_locks(const Member& member, Vetoes& vetoes) {
    for (const std::string& path : member.facts->held_locks.value) {
        if (path.ends_with("/gateway.lock")) {
            vetoes.add(Verdict::designated, "holds_lock", fmt::format("it holds {}", path));
        }
    }
}

// Is this file about the member's home, or the Hermes home above it?
bool concerns(const Claim& claim, const Member& member) {
    if (claim.home == member.home || member.home.starts_with(claim.home + "/")) return true;
    return variable(*member.facts, "HERMES_HOME") == claim.home;
}

void check_ledger(const Claim& claim, const Member& member, const Surroundings& around, Vetoes& vetoes) {
    const scanner::Machine& machine = around.facts.machine;
    const bool same_process =
        claim.pid == member.pid() &&
        (!claim.start_epoch || started_at(member.facts->row.start_ticks, *claim.start_epoch, machine));
    if (!same_process || claim.spawner_row.access == Access::gone) return;
    const bool reused = claim.spawner_row.ok() && claim.spawner_start_epoch &&
                        !started_at(claim.spawner_row.value.start_ticks, *claim.spawner_start_epoch, machine);
    if (reused) return;
    vetoes.add(Verdict::attached, "ledger",
               fmt::format("{} records it, and who started it (pid {}) is alive", claim.path, claim.spawner));
}

// An updater that is alive, or may be. A marker that says nothing is an updater that is just writing it, for 20 minutes.
bool is_update_running(const Claim& marker, const scanner::Machine& machine) {
    constexpr double kFresh = 20 * 60.0;
    if (marker.access == Access::denied) return true;
    if (marker.access != Access::ok) return machine.now_epoch - marker.written_epoch < kFresh;
    if (marker.named.access == Access::gone) return false;
    return !marker.named.ok() || started_by(marker.named.value.start_ticks, marker.written_epoch, machine);
}

void check_claim(const Claim& claim, const Member& member, const Surroundings& around, Vetoes& vetoes) {
    const bool ours = claim.owner == member.facts->row.uid || claim.owner == 0;
    switch (claim.kind) {
        case ClaimKind::bridge_pid:        // designate() weighs it
        case ClaimKind::bridge_stdio_pid:  // every headless bridge writes one: it protects nobody
            return;
        case ClaimKind::update_marker:
            if (ours && concerns(claim, member) && is_update_running(claim, around.facts.machine)) {
                vetoes.forbid_for_now("update", fmt::format("an update is running ({})", claim.path));
            }
            return;
        default: break;
    }
    if (claim.access == Access::denied && concerns(claim, member)) {
        vetoes.add(Verdict::unknown, "unreadable.claim", fmt::format("{} could not be read", claim.path));
    }
    if (claim.access != Access::ok || !ours) return;
    if (claim.kind == ClaimKind::ledger) return check_ledger(claim, member, around, vetoes);
    if (claim.pid == member.pid() && is_valid_claim(claim, *member.facts, around.facts.machine)) {
        vetoes.add(Verdict::designated, "claimed", fmt::format("{} names it", claim.path));
    }
}

bool is_protected(const ProtectRule& rule, const Member& member) {
    const scanner::ProcessRow& row = member.facts->row;
    if (!rule.exe.empty() && row.exe.value != rule.exe) return false;
    if (!rule.home.empty() && member.home != rule.home) return false;
    const auto& argv = row.command_line.value.argv;
    return std::all_of(rule.arguments.begin(), rule.arguments.end(), [&](const std::string& argument) {
        return std::find(argv.begin(), argv.end(), argument) != argv.end();
    });
}

void check_protection(const Member& member, const Surroundings& around, Vetoes& vetoes) {
    for (const ProtectRule& rule : around.rules.protect) {
        if (is_protected(rule, member)) {
            vetoes.add(Verdict::supervised, "protected", fmt::format("a rule of {} protects it", rule.origin));
        }
    }
}

void check_machine(const Surroundings& around, Vetoes& vetoes) {
    if (!around.facts.machine.has_handles) {
        vetoes.add(Verdict::unknown, "no_handles", "this kernel has no handles for processes (pidfd_open)");
    }
}

}  // namespace

bool is_valid_claim(const Claim& claim, const ProcessFacts& process, const scanner::Machine& machine) {
    if (claim.access != Access::ok || claim.pid != process.identity.pid) return false;
    if (claim.owner != process.row.uid && claim.owner != 0) return false;
    if (claim.start_ticks && *claim.start_ticks != process.row.start_ticks) return false;
    return started_by(process.row.start_ticks, claim.written_epoch, machine);
}

std::optional<Verdict> apply_vetoes(Member& member, const Surroundings& around) {
    Vetoes vetoes(member);
    check_machine(around, vetoes);
    check_self(member, around, vetoes);
    check_identity(member, vetoes);
    check_user(member, around, vetoes);
    check_namespace(member, vetoes);
    check_readings(member, vetoes);
    check_install(member, vetoes);
    check_listeners(member, vetoes);
    check_supervision(member, vetoes);
    check_tracer(member, vetoes);
    check_locks(member, vetoes);
    for (const Claim& claim : around.facts.claims) check_claim(claim, member, around, vetoes);
    check_protection(member, around, vetoes);
    return vetoes.verdict();
}

}  // namespace reaper::policy
