#include "agent/run/launchers.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/match/match.hpp"
#include "policy/verdict/runner.hpp"

namespace reaper::agent {

namespace {

using policy::Program;
using scanner::Pid;
using scanner::ProcessRow;
using Words = std::vector<std::string>;

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_path_of(std::string_view path, std::string_view launcher) {
    return path == launcher || (path.ends_with(launcher) &&
                                path.substr(0, path.size() - launcher.size()).back() == '/');
}

// Takes also a launcher of what is of no family: it, too, has a grace.
bool runs_launcher(const Program& program, const ProcessRow& row) {
    const Words& argv = row.command_line.value.argv;
    const auto script = std::find_if(argv.begin() + 1, argv.end(),
                                     [](std::string_view word) { return !word.starts_with('-'); });
    return script != argv.end() &&
           std::ranges::find(program.interpreters, file_name(row.exe.value)) !=
               program.interpreters.end() &&
           std::ranges::any_of(program.launchers, [&script](const std::string& launcher) {
               return is_path_of(*script, launcher);
           });
}

bool is_launcher(const policy::Rules& rules, const ProcessRow& row) {
    if (!row.exe.ok() || row.command_line.value.argv.empty()) return false;
    const auto launches = [&row](const Program& program) {
        if (program.launchers.empty()) return false;
        const auto invocation = policy::match_program(program, row);
        return (invocation && invocation->launcher) || runs_launcher(program, row);
    };
    return std::ranges::any_of(rules.families, [&](const policy::FamilyRule& family) {
        return std::ranges::any_of(family.programs, launches);
    });
}

// Calls `take` with each process above `pid`, nearest first, as long as it returns true.
template <class Take>
void climb(const ProcessSet& processes, Pid pid, Take take) {
    auto at = processes.find(pid);
    // A parent that was replaced while this looked can close a ring.
    for (std::size_t steps = 0; at != processes.end() && steps < processes.size(); ++steps) {
        const Pid above = at->second.stat.ppid;
        at = processes.find(above);
        if (at != processes.end() && !take(above)) return;
    }
}

// Told to end, a runner would tell the launcher.
std::set<Pid> launchers_with_runners(const ProcessSet& processes,
                                     const std::vector<ProcessRow>& rows,
                                     const policy::Rules& rules) {
    std::set<Pid> found, runners;
    for (const ProcessRow& row : rows) {
        if (is_launcher(rules, row)) found.insert(row.pid);
        if (policy::is_runner(row)) runners.insert(row.pid);
    }
    const std::set<Pid> launchers = found;
    for (const Pid launcher : launchers) {
        climb(processes, launcher,
              [&](Pid above) { return runners.contains(above) && found.insert(above).second; });
    }
    return found;
}

bool is_of_another_run(const ProcessSet& processes, Pid pid) {
    return ownership_of(processes, pid) == Ownership::of_another_run;
}

ProcessRow make_row(Pid pid, Words argv) {
    ProcessRow row;
    row.pid = pid;
    row.exe = scanner::Reading<std::string>::of(argv.empty() ? std::string() : argv.front());
    row.command_line = scanner::Reading<scanner::CommandLine>::of({std::move(argv)});
    return row;
}

}  // namespace

policy::Rules launcher_rules() {
    policy::Rules rules = policy::built_in_rules();
    std::erase_if(rules.families, [](const policy::FamilyRule& family) {
        return std::ranges::all_of(
            family.programs, [](const Program& program) { return program.launchers.empty(); });
    });
    return rules;
}

ProcessRow started_row(Pid pid, const Words& argv, const policy::Rules& rules) {
    ProcessRow row = make_row(pid, argv);
    if (is_launcher(rules, row)) return row;
    Words words{"node"};
    words.insert(words.end(), argv.begin(), argv.end());
    ProcessRow script = make_row(pid, std::move(words));
    return is_launcher(rules, script) ? script : row;
}

std::vector<Pid> find_parents(const ProcessSet& processes) {
    std::set<Pid> parents;
    for (const auto& [pid, view] : processes) {
        if (!view.run && processes.contains(view.stat.ppid)) parents.insert(view.stat.ppid);
    }
    return {parents.begin(), parents.end()};
}

Descendants find_launchers(const ProcessSet& processes, const std::vector<ProcessRow>& rows,
                           const policy::Rules& rules) {
    Descendants found;
    for (const Pid pid : launchers_with_runners(processes, rows, rules)) found.try_emplace(pid);
    if (found.empty()) return found;
    for (const auto& [pid, view] : processes) {
        if (is_of_another_run(processes, pid)) continue;
        climb(processes, pid, [&, below = pid](Pid above) {
            if (const auto it = found.find(above); it != found.end()) it->second.push_back(below);
            return true;
        });
    }
    return found;
}

}  // namespace reaper::agent
