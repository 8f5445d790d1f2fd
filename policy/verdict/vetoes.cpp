#include "policy/verdict/vetoes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "policy/verdict/claim_vetoes.hpp"
#include "policy/verdict/launcher_socket.hpp"
#include "policy/verdict/ownership.hpp"
#include "policy/verdict/protection.hpp"
#include "scanner/parse/interpreter.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::ProcessFacts;

void check_self(const Member& member, const VetoInput& input, VetoList& vetoes) {
    const scanner::Machine& machine = input.facts.machine;
    if (member.pid() <= 1 || member.facts->row.kernel_thread) {
        vetoes.add(Verdict::foreign, "system", "pid 1 or a kernel thread");
    }
    if (member.pid() == machine.self) vetoes.add(Verdict::attached, "self", "it is this program");
    const auto& ancestors = machine.own_ancestors;
    if (std::find(ancestors.begin(), ancestors.end(), member.pid()) != ancestors.end()) {
        vetoes.add(Verdict::attached, "ancestor", "this program runs inside of it");
    }
}

// True if the signal could be sent to exactly this process. On macOS it goes to a program of the
// process, and starts are of the wall clock, so both ids are needed there.
bool is_established(const scanner::Identity& identity, const scanner::Machine& machine) {
    if (identity.boot_id.empty() || identity.pid_namespace == 0 || identity.start_ticks == 0)
        return false;
    return !is_mac(machine) || (identity.pidfs_inode && identity.exec_version);
}

void check_identity(const Member& member, const VetoInput& input, VetoList& vetoes) {
    const scanner::Identity& identity = member.facts->identity;
    const scanner::ProcessRow& row = member.facts->row;
    if (!is_established(identity, input.facts.machine)) {
        vetoes.add(Verdict::unknown, "identity", "which process it is could not be established");
    } else if (identity.pid != row.pid || identity.start_ticks != row.start_ticks) {
        vetoes.add(Verdict::unknown, "identity", "what was read of it is of another process");
    }
}

// A fork without exec has the argv, environment and pipes of its parent. That of an interpreter can
// do anything: a job of the user's that a kernel or worker was told to run.
void check_fork(const Member& member, VetoList& vetoes) {
    const auto& programs = member.rule().programs;
    const bool interpreted = std::ranges::any_of(programs, [&](const Program& program) {
        return scanner::is_one_of(member.facts->row.exe.value, program.interpreters);
    });
    if (!member.facts->row.forked || !interpreted) return;
    vetoes.add(Verdict::unknown, "forked",
               "another process forked it, and it runs no program of its own: its command line is "
               "that one's");
}

void check_user(const Member& member, const VetoInput& input, VetoList& vetoes) {
    if (!member.facts->uids.ok()) return;  // check_readings adds the veto
    const scanner::Uids& uids = member.facts->uids.value;
    const auto& scope = input.settings.uids;
    if (uids.real != uids.effective || uids.real != uids.saved || uids.real != uids.filesystem) {
        vetoes.add(Verdict::foreign, "mixed_users",
                   fmt::format("it runs with several user ids ({}, {}, {}, {})", uids.real,
                               uids.effective, uids.saved, uids.filesystem));
    }
    if (!scope.empty() && std::find(scope.begin(), scope.end(), uids.real) == scope.end()) {
        vetoes.add(Verdict::foreign, "other_user",
                   fmt::format("it belongs to user id {}", uids.real));
    }
}

void check_namespace(const Member& member, VetoList& vetoes) {
    const auto& same = member.facts->same_pid_namespace;
    if (same.ok() && !same.value)
        vetoes.add(Verdict::foreign, "pid_namespace", "it lives in another pid namespace");
    const auto& pids = member.facts->namespace_pids;
    if (pids.ok() && (pids.value.size() != 1 || pids.value.back() == 1)) {
        vetoes.add(Verdict::foreign, "nested_namespace",
                   "it lives in a pid namespace below this one, or is its init");
    }
}

// If its paths lead elsewhere, all that is known by path (its home, its records, other processes of
// that home) is about other folders.
void check_place(const Member& member, VetoList& vetoes) {
    const ProcessFacts& facts = *member.facts;
    if (facts.same_root.ok() && !facts.same_root.value) {
        vetoes.add(Verdict::foreign, "other_root",
                   "its root directory is another than that of this program");
    } else if (facts.same_home.ok() && !facts.same_home.value) {
        vetoes.add(
            Verdict::foreign, "other_home",
            fmt::format("its home {} is another folder for it than for this program", member.home));
    }
    if (!facts.hidden_records.ok() || facts.hidden_records.value.empty()) return;
    vetoes.add(
        Verdict::unknown, "unreadable.records",
        fmt::format("it has records in {}, which is another folder for it than for this program",
                    facts.hidden_records.value.front()));
}

// Forbids a kill if something that it relies on could not be read: not being able to look is not an
// answer.
void check_readings(const Member& member, VetoList& vetoes) {
    const ProcessFacts& facts = *member.facts;
    const bool has_script = !member.match.invocation.script.empty();
    const bool has_our_root = facts.same_root.ok() && facts.same_root.value;
    const struct {
        const char* code;
        const char* what;
        Access access;
        bool needed;
    } readings[] = {
        {"uids", "its user ids", facts.uids.access, true},
        {"pid_namespace", "its pid namespace", facts.same_pid_namespace.access, true},
        {"namespace_pids", "its pids in nested namespaces", facts.namespace_pids.access, true},
        {"tracer", "whether it is traced", facts.tracer.access, true},
        {"environment", "its environment", facts.environment.access, true},
        {"standard_input", "its stdin", facts.standard_input.access, true},
        {"standard_output", "its stdout", facts.standard_output.access, true},
        {"listeners", "what it listens on", facts.listeners.access, true},
        {"locks", "its locks", facts.held_locks.access, true},
        {"script", "the path of its script", facts.script.access, has_script},
        {"root", "its root directory", facts.same_root.access, true},
        {"home", "which folder its home is", facts.same_home.access,
         has_our_root && !member.home.empty()},
        {"records", "whether it has records elsewhere", facts.hidden_records.access, has_our_root},
    };
    for (const auto& reading : readings) {
        if (!reading.needed || reading.access == Access::ok) continue;
        const std::string_view why =
            reading.access == Access::not_read ? "not looked at" : to_string(reading.access);
        vetoes.add(Verdict::unknown, fmt::format("unreadable.{}", reading.code),
                   fmt::format("{} could not be read ({})", reading.what, why));
    }
    if (facts.row.command_line.value.truncated) {
        vetoes.add(Verdict::unknown, "unreadable.argv",
                   "its command line is too long to be read whole");
    }
    const std::string& doubt = member.match.invocation.doubt;
    if (!doubt.empty()) {
        vetoes.add(
            Verdict::unknown, "unreadable.options",
            fmt::format("what it runs is not certain: {} is no option that is known", doubt));
    }
    if (member.home.empty())
        vetoes.add(Verdict::unknown, "home", "the home that it serves is not known");
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
        vetoes.add(Verdict::foreign, "other_program",
                   fmt::format("{} belongs to another program", script.value));
    } else {
        vetoes.add(Verdict::unknown, "unreadable.package",
                   fmt::format("what {} belongs to could not be read", script.value));
    }
}

std::string_view article_of(std::string_view noun) {
    return noun.find_first_of("aeiou") == 0 ? "an" : "a";
}

// Keeps members that are recognised only to be explained: a gateway, a user's own session.
void check_family(const Member& member, VetoList& vetoes) {
    const Role& role = member.match.role;
    const auto& verdict = role.keep_as ? role.keep_as : member.rule().keep_as;
    if (!verdict) return;
    const bool tells_more = !role.name.empty() && role.name != member.rule().name;
    vetoes.add(*verdict, "never",
               fmt::format("{} {}{}{} is never ended", article_of(member.rule().name),
                           member.rule().name, tells_more ? " " : "", tells_more ? role.name : ""));
}

// Other products use the same program: a process without a record is theirs.
void check_recorded(const Member& member, const VetoInput& input, VetoList& vetoes) {
    if (!member.rule().needs_owner || is_recorded(member, input.facts)) return;
    const auto hides = [&](const scanner::Claim& claim) { return might_protect(claim, member); };
    if (std::ranges::any_of(input.facts.claims, hides)) return;  // check_claims adds the veto
    vetoes.add(Verdict::foreign, "unrecorded",
               "no record says that a host of this family started it");
}

std::string describe(const scanner::Listener& listener) {
    if (listener.transport == "unix") return fmt::format("unix socket {}", listener.address);
    return fmt::format("{} {}:{}", listener.transport, listener.address, listener.port);
}

void check_listeners(Member& member, VetoList& vetoes) {
    const scanner::Listener* service = find_service(member);
    if (service == nullptr && member.facts->listeners.ok() &&
        !member.facts->listeners.value.empty()) {
        member.add(Weight::note, "listens.launcher",
                   fmt::format("it listens on {} for what it runs",
                               describe(member.facts->listeners.value.front())));
    }
    if (service == nullptr) return;
    std::string detail = fmt::format("it listens on {}", describe(*service));
    if (member.rule().listens)
        vetoes.forbid("listens", std::move(detail));
    else
        vetoes.add(Verdict::unknown, "listens", std::move(detail));
}

// Everything that a service starts inherits INVOCATION_ID, the cgroup and SYSTEMD_EXEC_PID, so the
// latter proves something only about the process that it names. The main process of a Type=forking
// service has the value of its dead starter.
void check_supervision(const Member& member, VetoList& vetoes) {
    const ProcessFacts& facts = *member.facts;
    if (member.parentage.nature == Parentage::Nature::launchd) return;  // assess() adds the veto
    if (variable(facts, "SYSTEMD_EXEC_PID") == std::to_string(member.pid())) {
        vetoes.add(Verdict::supervised, "supervised", "it is the main process of a service");
        return;
    }
    if (facts.unit.access == Access::gone) return;
    if (!facts.unit.ok()) {
        vetoes.add(Verdict::unknown, "unreadable.unit",
                   "the service that it belongs to could not be read");
        return;
    }
    const scanner::ServiceUnit& unit = facts.unit.value;
    if (unit.main_pid == member.pid()) {
        vetoes.add(Verdict::supervised, "supervised",
                   fmt::format("it is the main process of {}", unit.name));
    } else if (unit.control_pid == member.pid()) {
        vetoes.add(Verdict::supervised, "supervised",
                   fmt::format("it starts, stops or reloads {}", unit.name));
    } else if (unit.name.ends_with(".service") && unit.asked && !unit.main_pid) {
        vetoes.add(Verdict::unknown, "unreadable.main_pid",
                   fmt::format("whether it is the main process of {} is not known", unit.name));
    }
}

void check_tracer(const Member& member, VetoList& vetoes) {
    if (!member.facts->tracer.ok() || member.facts->tracer.value == 0) return;
    vetoes.add(Verdict::attached, "traced", tracer_text(member.facts->tracer.value));
}

void check_machine(const VetoInput& input, VetoList& vetoes) {
    if (!input.facts.machine.has_handles) {
        vetoes.add(Verdict::unknown, "no_handles",
                   is_mac(input.facts.machine)
                       ? "this version of macOS cannot signal exactly one process (14.2 can)"
                       : "this kernel has no handles for processes (pidfd_open)");
    }
    if (!input.facts.machine.knows_ancestors) {
        vetoes.add(Verdict::unknown, "unreadable.ancestors",
                   "this program might run inside of it: its own ancestors are hidden");
    }
}

}  // namespace

std::optional<Verdict> apply_vetoes(Member& member, const VetoInput& input) {
    VetoList vetoes(member);
    check_machine(input, vetoes);
    check_family(member, vetoes);
    check_recorded(member, input, vetoes);
    check_self(member, input, vetoes);
    check_identity(member, input, vetoes);
    check_fork(member, vetoes);
    check_user(member, input, vetoes);
    check_namespace(member, vetoes);
    check_place(member, vetoes);
    check_readings(member, vetoes);
    check_install(member, vetoes);
    check_listeners(member, vetoes);
    check_supervision(member, vetoes);
    check_tracer(member, vetoes);
    check_claims(member, input, vetoes);
    check_protection(member, input, vetoes);
    return vetoes.verdict();
}

}  // namespace reaper::policy
