#include "policy/match/member.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "scanner/parse/interpreter.hpp"

namespace reaper::policy {

namespace {

using scanner::Facts;
using scanner::ProcessFacts;
using scanner::ProcessRow;

std::string parent_folder(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::string without_trailing_slash(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

std::optional<std::string> fixed_home(const ProcessFacts& process, const std::string& path) {
    if (!path.starts_with('~')) return path;
    const auto user_home = variable(process, "HOME");
    if (!user_home || user_home->empty()) return std::nullopt;
    return *user_home + path.substr(1);
}

// Returns the home of a profile. Profiles lie below the root, even if the environment names one of
// them; the root itself is called "default".
std::string home_of_profile(const std::string& name, const std::string& home) {
    if (name.empty() || name.find('/') != std::string::npos || home.empty()) return home;
    const std::string folder = parent_folder(home);
    const std::string root = folder.ends_with("/profiles") ? parent_folder(folder) : home;
    return name == "default" ? root : root + "/profiles/" + name;
}

// Returns what stands before `folders` in a path, the last time that they stand there. None: they
// do not.
std::optional<std::string> part_above(std::string_view folders, const std::string& path) {
    const auto ends_folder = [&](std::size_t at) {
        const std::size_t end = at + folders.size();
        return end == path.size() || path[end] == '/';
    };
    for (std::size_t at = path.rfind(folders); at != std::string::npos && at > 0;
         at = path.rfind(folders, at - 1)) {
        if (ends_folder(at)) return path.substr(0, at);
    }
    return std::nullopt;
}

std::optional<std::string> home_in(const HomeSource& source,
                                   const std::optional<std::string>& value) {
    return value && !source.above.empty() ? part_above(source.above, *value) : value;
}

std::optional<std::string> value_of(const HomeSource& source, const ProcessFacts& process,
                                    const Match& match) {
    switch (source.from) {
        case HomeSource::From::option:
            return home_in(source, option_value(match.invocation.arguments, source.name));
        case HomeSource::From::environment: return home_in(source, variable(process, source.name));
        case HomeSource::From::environment_parent:
            if (const auto file = variable(process, source.name); file && !file->empty())
                return parent_folder(*file);
            return std::nullopt;
        // a part of the home that other sources name
        case HomeSource::From::profile: return std::nullopt;
        case HomeSource::From::fixed:
            if (!match.invocation.default_home.empty()) return match.invocation.default_home;
            return fixed_home(process, source.name);
    }
    return std::nullopt;
}

// Reads the home. If a source needs the environment that must be readable, as a variable that
// cannot be seen may be set.
std::string stated_home(const ProcessFacts& process, const Match& match) {
    for (const HomeSource& source : match.rule->home) {
        if (source.from != HomeSource::From::option && !process.environment.ok()) return {};
        const auto value = value_of(source, process, match);
        if (!value || value->empty()) continue;
        // A relative home depends on a working directory that is not known. To skip it would be to
        // guess another home.
        return value->starts_with('/') ? without_trailing_slash(*value) : std::string();
    }
    return {};
}

bool is_called(const std::string& comm, const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return scanner::is_interpreter(comm, name);
    });
}

// Matches a zombie. It has lost exe and argv: only its name and its parent are left.
std::optional<Match> match_zombie(const Facts& facts, const Rules& rules,
                                  const scanner::ProcessRow& row) {
    const scanner::ProcessRow* parent = find_row(facts, row.ppid);
    if (parent == nullptr) return std::nullopt;
    for (const FamilyRule& rule : rules.families) {
        const bool named =
            std::any_of(rule.programs.begin(), rule.programs.end(), [&](const Program& program) {
                return is_called(row.comm, program.interpreters) ||
                       is_called(row.comm, program.executables);
            });
        if (rule.enabled && named && is_host(rule, *parent)) return Match{&rule, {}, {}};
    }
    return std::nullopt;
}

MatchMemory::Known match_alone(const Rules& rules, const ProcessFacts& process) {
    MatchMemory::Known known{match(rules, process.row, process.environment), {}};
    if (known.match) known.home = named_home(process, *known.match);
    return known;
}

MatchMemory::Known match_candidate(const Facts& facts, const Rules& rules, MatchMemory* memory,
                                   const ProcessFacts& process) {
    if (process.row.state != 'Z')
        return memory != nullptr ? memory->find(process) : match_alone(rules, process);
    auto match = match_zombie(facts, rules, process.row);
    std::string home = match ? named_home(process, *match) : std::string();
    return {std::move(match), std::move(home)};
}

// `members` are by pid.
Member* launcher_of(std::vector<Member>& members, const Member& member) {
    if (member.match.invocation.launcher) return nullptr;
    const auto parent = std::ranges::lower_bound(members, member.facts->row.ppid, {}, &Member::pid);
    const bool launches = parent != members.end() && parent->pid() == member.facts->row.ppid &&
                          parent->match.invocation.launcher &&
                          parent->match.rule == member.match.rule;
    return launches ? &*parent : nullptr;
}

std::vector<Member> match_all(const Facts& facts, const Rules& rules, MatchMemory* memory) {
    std::vector<Member> members;
    for (const ProcessFacts& process : facts.candidates) {
        auto known = match_candidate(facts, rules, memory, process);
        if (!known.match) continue;
        Member member;
        member.facts = &process;
        member.home = std::move(known.home);
        // Two spellings of one folder are one home.
        const auto real = facts.real_paths.find(member.home);
        if (real != facts.real_paths.end()) member.home = real->second;
        member.match = *std::move(known.match);
        members.push_back(std::move(member));
    }
    return members;
}

bool is_candidate(const Facts& facts, scanner::Pid pid) {
    const auto at = std::ranges::lower_bound(
        facts.candidates, pid, {}, [](const ProcessFacts& process) { return process.row.pid; });
    return at != facts.candidates.end() && at->row.pid == pid;
}

// The shell between npm and a server, a `timeout`: if it has lost its own parent, what it runs has
// lost its host. Only for what nothing can talk to, as otherwise the wrapper may still be in use;
// and only through what ends with it, as otherwise something would go on. A member is judged
// itself, and `run` ends what it started.
Parentage look_through_wrappers(const Facts& facts, const Member& member) {
    Parentage parentage = member.parentage;
    const auto& wrappers = facts.plain_wrappers;
    for (std::size_t step = 0; step < wrappers.size(); ++step) {
        const bool wraps = std::ranges::find(wrappers, parentage.pid) != wrappers.end() &&
                           !is_candidate(facts, parentage.pid);
        if (parentage.nature != Parentage::Nature::live || !wraps) break;
        const ProcessRow* wrapper = find_row(facts, parentage.pid);
        if (wrapper == nullptr || wrapper->comm == "orphan-reaper") break;
        parentage = parentage_of(facts, member.rule(), *wrapper);
        parentage.detail =
            fmt::format("pid {} only runs it, and its {}", wrapper->pid, parentage.detail);
    }
    return parentage.adopted() ? parentage : member.parentage;
}

// Adds what follows from other processes.
std::vector<Member> link(const Facts& facts, std::vector<Member> members) {
    for (Member& member : members) {
        Member* launcher = launcher_of(members, member);
        if (launcher != nullptr) {
            member.launcher = launcher->pid();
            launcher->runs.push_back(member.facts);
        }
        member.eldest = launcher == nullptr ? &member.facts->row : &launcher->facts->row;
        member.parentage = parentage_of(facts, member.rule(), *member.eldest);
        if (is_cut_off(*member.facts)) member.parentage = look_through_wrappers(facts, member);
    }
    return members;
}

}  // namespace

Place place_of(const ProcessFacts& process) {
    if (!process.same_root.ok()) return Place::unknown;
    if (!process.same_root.value) return Place::elsewhere;
    if (!process.same_home.ok()) return Place::unknown;
    return process.same_home.value ? Place::ours : Place::elsewhere;
}

std::string named_home(const ProcessFacts& process, const Match& match) {
    std::string home = stated_home(process, match);
    for (const HomeSource& source : match.rule->home) {
        if (source.from != HomeSource::From::profile) continue;
        if (const auto name = option_value(match.invocation.arguments, source.name))
            return home_of_profile(*name, home);
    }
    return home;
}

bool is_outdated(const scanner::Lease& lease) {
    return lease.selected.ok() && lease.selected.value != lease.generation;
}

std::optional<std::string> variable(const ProcessFacts& process, const std::string& name) {
    if (!process.environment.ok()) return std::nullopt;
    const auto found = process.environment.value.find(name);
    if (found == process.environment.value.end()) return std::nullopt;
    return found->second;
}

std::string tracer_text(scanner::Pid tracer) {
    return tracer < 0 ? "another process traces it" : fmt::format("pid {} traces it", tracer);
}

bool is_never_ended(const Member& member) {
    return member.match.role.keep_as || member.rule().keep_as;
}

bool is_at_work(const ProcessFacts& process) {
    const bool runs =
        process.row.state == 'R' || process.row.state == 'S' || process.row.state == 'I';
    return runs && !process.frozen && process.tracer.ok() && process.tracer.value == 0;
}

bool has_lost_terminal(const ProcessFacts& process) {
    const auto is_lost = [](const scanner::Reading<scanner::StdioEnd>& end) {
        return end.ok() && end.value.kind == scanner::EndKind::terminal &&
               end.value.peer == scanner::PeerState::dead;
    };
    return is_lost(process.standard_input) || is_lost(process.standard_output);
}

bool is_cut_off(const ProcessFacts& process) {
    const auto is_dead = [](const scanner::Reading<scanner::StdioEnd>& end) {
        return end.ok() && end.value.peer == scanner::PeerState::dead;
    };
    return is_dead(process.standard_input) && is_dead(process.standard_output);
}

std::chrono::milliseconds age_of(const ProcessRow& row, const scanner::Machine& machine) {
    if (machine.ticks_per_second == 0 || machine.now_ticks < row.start_ticks) return {};
    const std::uint64_t ticks = machine.now_ticks - row.start_ticks;
    return std::chrono::milliseconds(ticks * 1000 / machine.ticks_per_second);
}

const MatchMemory::Known& MatchMemory::find(const ProcessFacts& process) {
    const auto known = entries_.find(process.row.pid);
    if (known != entries_.end() && known->second.row == process.row &&
        known->second.environment == process.environment)
        return known->second.known;
    Entry entry{process.row, process.environment, match_alone(rules_, process)};
    return entries_.insert_or_assign(process.row.pid, std::move(entry)).first->second.known;
}

std::vector<Member> find_members(const Facts& facts, const Rules& rules) {
    return link(facts, match_all(facts, rules, nullptr));
}

std::vector<Member> find_members(const Facts& facts, MatchMemory& memory) {
    return link(facts, match_all(facts, memory.rules(), &memory));
}

}  // namespace reaper::policy
