#include "policy/rules/parts.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "policy/text/escape.hpp"
#include "policy/text/nearest.hpp"

namespace reaper::policy {

namespace {

// Returns the reader of a member that names a source, and counts the sources.
template <class Source>
RuleValue::Reader source_into(Source& target, typename Source::From from, int& sources) {
    return [&target, &sources, from](const RuleValue& value) {
        ++sources;
        target.from = from;
        read(value, target.name);
    };
}

// Rejects weaker proofs: a process without stdio and host may be a daemon that is meant to be so.
void check_proof(const RuleValue& value, const Proof& proof) {
    constexpr std::string_view kCodes[] = {"stdin.dead", "stdout.dead", "owner.dead"};
    for (const std::string& code : proof) {
        if (std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes)) continue;
        value.complain(fmt::format("\"{}\" is no evidence of an orphan{}", escape(code, 40),
                                   did_you_mean(code, kCodes)));
    }
    const auto has = [&](std::string_view code) {
        return std::find(proof.begin(), proof.end(), code) != proof.end();
    };
    if (!has("owner.dead") && !(has("stdin.dead") && has("stdout.dead"))) {
        value.complain("a proof needs owner.dead, or stdin.dead and stdout.dead");
    }
}

// True if it names a folder: what lies there is told from what merely has that name.
bool is_placed(const std::string& executable) {
    const std::size_t slash = executable.rfind('/');
    return slash != std::string::npos && slash + 1 < executable.size() &&
           std::string_view(executable).substr(0, slash).find_first_not_of("*/.") !=
               std::string_view::npos;
}

// True if more than a name tells the program.
bool tells_program(const Program& program) {
    return !program.titles.empty() || !program.required.empty() || !program.commands.empty() ||
           !program.marked_variables.empty() || std::ranges::all_of(program.executables, is_placed);
}

void check_program(const RuleValue& value, const Program& program) {
    const bool interpreted =
        !program.scripts.empty() || !program.packages.empty() || !program.modules.empty();
    if (interpreted == program.interpreters.empty()) {
        value.complain(interpreted
                           ? "a program with scripts, packages or modules needs interpreters"
                           : "a program with interpreters needs scripts, packages or modules");
    } else if (!interpreted && program.executables.empty()) {
        value.complain("a program needs interpreters, or executables");
    } else if (!tells_program(program)) {
        value.complain(
            "a name alone proves nothing: executables need a folder (\"acme/bin/acmed\"), titles, "
            "required arguments, commands or marked_variables");
    } else if (program.marked_variables.empty() &&
               std::ranges::find(program.executables, kAnyExecutable) !=
                   program.executables.end()) {
        value.complain("where any executable will do, only marked_variables can tell the program");
    }
}

}  // namespace

void read(const RuleValue& value, HomeSource& target) {
    int sources = 0;
    const auto source = [&](HomeSource::From from) { return source_into(target, from, sources); };
    value.members({{"option", source(HomeSource::From::option)},
                   {"variable", source(HomeSource::From::environment)},
                   {"parent_of_variable", source(HomeSource::From::environment_parent)},
                   {"profile_option", source(HomeSource::From::profile)},
                   {"path", source(HomeSource::From::fixed)},
                   {"above", into(target.above)}});
    if (sources != 1)
        value.complain(
            "expected one of option, variable, parent_of_variable, profile_option, path");
    const bool absolute =
        target.name.starts_with('/') || target.name.starts_with("~/") || target.name == "~";
    if (target.from == HomeSource::From::fixed && !absolute)
        value.complain("expected a path that begins with / or ~/");
    if (target.above.empty()) return;
    const bool has_value =
        target.from == HomeSource::From::option || target.from == HomeSource::From::environment;
    if (!has_value) value.complain("only an option or a variable can name a path below the home");
    if (!target.above.starts_with('/') || target.above.ends_with('/'))
        value.complain("above: expected folders, as /cache/scratch");
}

void read(const RuleValue& value, Role& target) {
    value.members({{"name", into(target.name)},
                   {"flags", into(target.flags)},
                   {"outlives_host", into(target.outlives_host)},
                   {"keep_as", into(target.keep_as)}});
    if (target.name.empty()) value.complain("a role needs a name");
}

void read(const RuleValue& value, Program& target) {
    value.members({{"interpreters", into(target.interpreters)},
                   {"options_with_value", into(target.options.with_value)},
                   {"options_without_value", into(target.options.without_value)},
                   {"options_without_script", into(target.options.without_script)},
                   {"scripts", into(target.scripts)},
                   {"packages", into(target.packages)},
                   {"launchers", into(target.launchers)},
                   {"modules", into(target.modules)},
                   {"executables", into(target.executables)},
                   {"titles", into(target.titles)},
                   {"called", into(target.called)},
                   {"commands", into(target.commands)},
                   {"command_options_with_value", into(target.command_options_with_value)},
                   {"required", into(target.required)},
                   {"forbidden", into(target.forbidden)},
                   {"marked_variables", into(target.marked_variables)}});
    check_program(value, target);
}

void read(const RuleValue& value, OwnerSource& target) {
    int sources = 0;
    const auto source = [&](OwnerSource::From from) { return source_into(target, from, sources); };
    value.members({{"option", source(OwnerSource::From::option)},
                   {"variable", source(OwnerSource::From::environment)},
                   {"spawn_purpose", source(OwnerSource::From::spawn_marker)},
                   {"time_option", into(target.time_option)}});
    if (sources != 1) value.complain("expected one of option, variable, spawn_purpose");
}

void read(const RuleValue& value, std::optional<Verdict>& target) {
    std::string word;
    read(value, word);
    const auto verdict = verdict_from(word);
    constexpr std::string_view kKept[] = {"designated", "attached", "supervised", "foreign"};
    const bool kept = std::find(std::begin(kKept), std::end(kKept), word) != std::end(kKept);
    if (verdict && kept)
        target = verdict;
    else
        value.complain(fmt::format("expected designated, attached, supervised or foreign{}",
                                   did_you_mean(word, kKept)));
}

void read(const RuleValue& value, Action& target) {
    std::string word;
    read(value, word);
    constexpr std::string_view kWords[] = {"reap", "report", "keep"};
    if (word == "reap")
        target = Action::reap;
    else if (word == "report")
        target = Action::report;
    else if (word == "keep")
        target = Action::keep;
    else
        value.complain(fmt::format("expected reap, report or keep{}", did_you_mean(word, kWords)));
}

void read(const RuleValue& value, AtUpdate& target) {
    std::string word;
    read(value, word);
    if (const auto known = at_update_from(word)) {
        target = *known;
        return;
    }
    constexpr std::string_view kWords[] = {"untouched", "in_the_way", "restarted", "is_update"};
    value.complain(fmt::format("expected untouched, in_the_way, restarted or is_update{}",
                               did_you_mean(word, kWords)));
}

void read(const RuleValue& value, std::map<Verdict, Action>& target) {
    const auto action = [&target](Verdict verdict) {
        return [&target, verdict](const RuleValue& word) {
            Action chosen = Action::report;
            read(word, chosen);
            target[verdict] = chosen;
        };
    };
    RuleValue::Members readers;
    for (const Verdict verdict : kVerdicts) {
        if (is_leak(verdict)) readers.emplace(to_string(verdict), action(verdict));
    }
    value.members(readers);
}

void read(const RuleValue& value, ProtectRule& target) {
    value.members({{"exe", into(target.exe)},
                   {"arguments", into(target.arguments)},
                   {"home", into(target.home)}});
    if (target.exe.empty() && target.arguments.empty() && target.home.empty()) {
        value.complain("expected at least one of exe, arguments, home");
    }
    // Paths are compared letter by letter with what the system reports, so another spelling would
    // protect nothing.
    const auto is_absolute = [](const std::string& path) {
        return path.empty() || path.starts_with('/');
    };
    if (!is_absolute(target.exe))
        value.complain("exe: expected a full path, one that begins with /");
    if (!is_absolute(target.home))
        value.complain("home: expected a full path, one that begins with /");
    while (target.home.size() > 1 && target.home.back() == '/') target.home.pop_back();
}

void read_proofs(const RuleValue& value, std::vector<Proof>& target) {
    target.clear();
    value.each_element([&](const RuleValue& element) {
        Proof proof;
        read(element, proof);
        check_proof(element, proof);
        target.push_back(std::move(proof));
    });
    if (target.empty())
        value.complain("without a proof nothing is ever an orphan; switch the family off instead");
}

}  // namespace reaper::policy
