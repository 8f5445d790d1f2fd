#include "policy/vetoes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "policy/claim_vetoes.hpp"
#include "policy/ownership.hpp"
#include "scanner/interpreter.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::ProcessFacts;

void check_self(const Member& member, const Surroundings& around, VetoList& vetoes) {
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

void check_identity(const Member& member, VetoList& vetoes) {
    const scanner::Identity& identity = member.facts->identity;
    if (identity.boot_id.empty() || identity.pid_namespace == 0 || identity.start_ticks == 0) {
        vetoes.add(Verdict::unknown, "identity", "its identity could not be established");
    }
}

void check_user(const Member& member, const Surroundings& around, VetoList& vetoes) {
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

void check_namespace(const Member& member, VetoList& vetoes) {
    const auto& same = member.facts->same_pid_namespace;
    if (same.ok() && !same.value) vetoes.add(Verdict::foreign, "pid_namespace", "it lives in another pid namespace");
    const auto& pids = member.facts->namespace_pids;
    if (pids.ok() && (pids.value.size() != 1 || pids.value.back() == 1)) {
        vetoes.add(Verdict::foreign, "nested_namespace", "it lives in a pid namespace below this one, or is its init");
    }
}

// Only what a kill would have to rely on. Each that is missing forbids it: not being able to look is not an answer.
void check_readings(const Member& member, VetoList& vetoes) {
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

void check_install(const Member& member, VetoList& vetoes) {
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

std::string_view article_of(std::string_view noun) {
    return noun.find_first_of("aeiou") == 0 ? "an" : "a";
}

// Recognised to be explained: a gateway, a user's own session.
void check_family(const Member& member, VetoList& vetoes) {
    const Role& role = member.match.role;
    const auto& verdict = role.keep_as ? role.keep_as : member.rule().keep_as;
    if (!verdict) return;
    const bool tells_more = !role.name.empty() && role.name != member.rule().name;
    vetoes.add(*verdict, "never",
               fmt::format("{} {}{}{} is never ended", article_of(member.rule().name), member.rule().name,
                           tells_more ? " " : "", tells_more ? role.name : ""));
}

// Other hosts use the same program: whose nobody has recorded is theirs.
void check_recorded(const Member& member, const Surroundings& around, VetoList& vetoes) {
    if (!member.rule().needs_owner || is_recorded(member, around.facts)) return;
    vetoes.add(Verdict::foreign, "unrecorded", "no record says that a host of this family started it");
}

std::string describe(const scanner::Listener& listener) {
    if (listener.transport == "unix") return fmt::format("unix socket {}", listener.address);
    return fmt::format("{} {}:{}", listener.transport, listener.address, listener.port);
}

void check_listeners(const Member& member, VetoList& vetoes) {
    if (!member.facts->listeners.ok() || member.facts->listeners.value.empty()) return;
    std::string detail = fmt::format("it listens on {}", describe(member.facts->listeners.value.front()));
    if (member.rule().listens)
        vetoes.forbid("listens", std::move(detail));
    else
        vetoes.add(Verdict::unknown, "listens", std::move(detail));
}

// INVOCATION_ID and the cgroup are inherited by whatever a service starts; only the manager's own word for the main
// process counts.
void check_supervision(const Member& member, VetoList& vetoes) {
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

void check_tracer(const Member& member, VetoList& vetoes) {
    if (!member.facts->tracer.ok() || member.facts->tracer.value == 0) return;
    vetoes.add(Verdict::attached, "traced", fmt::format("pid {} traces it", member.facts->tracer.value));
}

// `named` in a rule, which may be a link to it.
bool is_path(const std::string& named, std::string_view seen, const scanner::Facts& facts) {
    const auto real = facts.real_paths.find(named);
    return named == seen || (real != facts.real_paths.end() && real->second == seen);
}

bool is_protected(const ProtectRule& rule, const Member& member, const scanner::Facts& facts) {
    const scanner::ProcessRow& row = member.facts->row;
    if (rule.uid && *rule.uid != row.uid) return false;
    if (!rule.exe.empty() && !is_path(rule.exe, scanner::without_deleted_mark(row.exe.value), facts)) return false;
    if (!rule.home.empty() && !is_path(rule.home, member.home, facts)) return false;
    const auto& argv = row.command_line.value.argv;
    return std::all_of(rule.arguments.begin(), rule.arguments.end(), [&](const std::string& argument) {
        return std::find(argv.begin(), argv.end(), argument) != argv.end();
    });
}

void check_protection(const Member& member, const Surroundings& around, VetoList& vetoes) {
    for (const ProtectRule& rule : around.rules.protect) {
        if (is_protected(rule, member, around.facts)) {
            vetoes.add(Verdict::supervised, "protected", fmt::format("a rule of {} protects it", rule.origin));
        }
    }
    const auto untold = around.rules.untold.find(member.facts->row.uid);
    if (untold == around.rules.untold.end()) return;
    vetoes.add(Verdict::unknown, "unreadable.rules",
               fmt::format("what its user protects is not known: {}", untold->second));
}

void check_machine(const Surroundings& around, VetoList& vetoes) {
    if (!around.facts.machine.has_handles) {
        vetoes.add(Verdict::unknown, "no_handles", "this kernel has no handles for processes (pidfd_open)");
    }
    if (!around.facts.machine.knows_ancestors) {
        vetoes.add(Verdict::unknown, "unreadable.ancestors",
                   "this program might run inside of it: its own ancestors are hidden");
    }
}

}  // namespace

std::optional<Verdict> apply_vetoes(Member& member, const Surroundings& around) {
    VetoList vetoes(member);
    check_machine(around, vetoes);
    check_family(member, vetoes);
    check_recorded(member, around, vetoes);
    check_self(member, around, vetoes);
    check_identity(member, vetoes);
    check_user(member, around, vetoes);
    check_namespace(member, vetoes);
    check_readings(member, vetoes);
    check_install(member, vetoes);
    check_listeners(member, vetoes);
    check_supervision(member, vetoes);
    check_tracer(member, vetoes);
    check_claims(member, around, vetoes);
    check_protection(member, around, vetoes);
    return vetoes.verdict();
}

}  // namespace reaper::policy
