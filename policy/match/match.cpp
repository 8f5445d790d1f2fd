#include "policy/match/match.hpp"

#include <algorithm>
#include <span>

#include "policy/match/command_start.hpp"
#include "policy/rules/pattern.hpp"
#include "scanner/parse/interpreter.hpp"

namespace reaper::policy {

namespace {

using Arguments = std::span<const std::string>;

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_option(std::string_view word) {
    return word.size() > 1 && word.front() == '-';
}

// True if the path ends in `ending`, at a folder boundary.
bool path_ends_with(std::string_view path, std::string_view ending) {
    if (!path.ends_with(ending)) return false;
    return path.size() == ending.size() || path[path.size() - ending.size() - 1] == '/';
}

bool ends_with_any(std::string_view path, const std::vector<std::string>& endings) {
    return std::any_of(endings.begin(), endings.end(),
                       [&](const std::string& ending) { return path_ends_with(path, ending); });
}

// Returns the words before a "--"; what follows is for another program.
std::vector<std::string> own_arguments(Arguments words) {
    return {words.begin(), std::find(words.begin(), words.end(), "--")};
}

// Looks for an option. "--x=y": it has this value, in one word or two. "--x": it is there, with any
// value or none.
bool has_option(const std::vector<std::string>& arguments, std::string_view wanted) {
    const std::size_t equals = wanted.find('=');
    if (equals != std::string_view::npos) {
        const auto value = option_value(arguments, wanted.substr(0, equals));
        return value && fits(wanted.substr(equals + 1), *value);
    }
    return std::any_of(arguments.begin(), arguments.end(), [&](std::string_view word) {
        return word == wanted ||
               (word.starts_with(wanted) && word.substr(wanted.size()).starts_with('='));
    });
}

bool has_all(const std::vector<std::string>& arguments, const std::vector<std::string>& wanted) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const std::string& option) { return has_option(arguments, option); });
}

bool has_none(const std::vector<std::string>& arguments, const std::vector<std::string>& unwanted) {
    return std::none_of(unwanted.begin(), unwanted.end(),
                        [&](const std::string& option) { return has_option(arguments, option); });
}

// Matches "gateway run" in `hermes -p work gateway run`; a word in any other place is a value or a
// message.
bool runs_command(const Program& program, std::string_view command, Arguments words) {
    while (!command.empty()) {
        while (!words.empty() && is_option(words.front())) {
            const std::size_t taken =
                contains(program.command_options_with_value, words.front()) ? 2 : 1;
            words = words.subspan(std::min(taken, words.size()));
        }
        const std::size_t end = std::min(command.find(' '), command.size());
        if (words.empty() || !fits(command.substr(0, end), words.front())) return false;
        words = words.subspan(1);
        command.remove_prefix(std::min(end + 1, command.size()));
    }
    return true;
}

bool runs_any_command(const Program& program, Arguments words) {
    return program.commands.empty() || std::any_of(program.commands.begin(), program.commands.end(),
                                                   [&](const std::string& command) {
                                                       return runs_command(program, command, words);
                                                   });
}

bool has_arguments_of(const Program& program, const std::vector<std::string>& arguments) {
    return runs_any_command(program, arguments) && has_all(arguments, program.required) &&
           has_none(arguments, program.forbidden);
}

bool runs_on(const std::vector<std::string>& names, const scanner::ProcessRow& row) {
    return scanner::is_one_of(row.exe.value, names);
}

Invocation module_invocation(const Start& start) {
    return Invocation{{}, false, own_arguments(start.left), start.doubt};
}

Invocation script_invocation(const Start& start) {
    return Invocation{start.left.front(), start.in_child, own_arguments(start.left.subspan(1)),
                      start.doubt};
}

std::optional<Invocation> interpreted_invocation(const Program& program, std::string_view exe,
                                                 Arguments arguments) {
    const auto start = find_start(program, exe, arguments);
    if (!start) return std::nullopt;
    Invocation invocation = start->module ? module_invocation(*start) : script_invocation(*start);
    if (start->bootstrap) invocation.default_home = start->bootstrap->home;
    return invocation;
}

Role role_of(const FamilyRule& rule, const std::vector<std::string>& arguments) {
    const auto found = std::find_if(rule.roles.begin(), rule.roles.end(), [&](const Role& role) {
        return has_all(arguments, role.flags);
    });
    return found == rule.roles.end() ? Role{} : *found;
}

// Splits "npm exec @scope/package --stdio", which npm writes over its argv; the other entries are
// empty.
std::vector<std::string> words_of_title(const std::vector<std::string>& argv) {
    const auto is_empty = [](const std::string& word) { return word.empty(); };
    if (!std::all_of(argv.begin() + 1, argv.end(), is_empty)) return {};
    std::vector<std::string> words(1);
    for (const char letter : argv.front()) {
        if (letter == ' ')
            words.emplace_back();
        else
            words.back() += letter;
    }
    std::erase_if(words, is_empty);
    return words;
}

std::optional<Invocation> titled_invocation(const Program& program,
                                            const std::vector<std::string>& argv) {
    const auto words = words_of_title(argv);
    if (words.empty() || !contains(program.titles, words.front())) return std::nullopt;
    const bool is_whole = program.commands.empty() && program.required.empty();
    if (is_whole && words.size() > 1) return std::nullopt;
    return Invocation{{}, false, own_arguments(Arguments(words).subspan(1))};
}

std::optional<Invocation> invocation_of(const Program& program, const scanner::ProcessRow& row) {
    const auto& argv = row.command_line.value.argv;
    const Arguments words = Arguments(argv).subspan(1);
    if (!program.called.empty() && !ends_with_any(argv.front(), program.called))
        return std::nullopt;
    if (contains(program.executables, kAnyExecutable) || runs_on(program.executables, row)) {
        if (!program.titles.empty()) return titled_invocation(program, argv);
        return Invocation{{}, false, own_arguments(words)};
    }
    return runs_on(program.interpreters, row)
               ? interpreted_invocation(program, row.exe.value, words)
               : std::nullopt;
}

// Tests one variable. "X": it is set. "X=y": with a value that fits.
bool is_mark(std::string_view mark, const std::map<std::string, std::string>& environment) {
    const std::size_t equals = std::min(mark.find('='), mark.size());
    const auto found = environment.find(std::string(mark.substr(0, equals)));
    return found != environment.end() &&
           (equals == mark.size() || fits(mark.substr(equals + 1), found->second));
}

// Without an environment every program counts as marked, unless it may be any executable.
bool has_marks_of(const Program& program, const scanner::ProcessRow& row,
                  const Environment* environment) {
    const bool is_any =
        contains(program.executables, kAnyExecutable) && !runs_on(program.executables, row);
    if (environment == nullptr) return !is_any;
    return program.marked_variables.empty() || is_marked(program.marked_variables, *environment);
}

bool has_program(const scanner::ProcessRow& row) {
    return row.exe.ok() && row.command_line.ok() && !row.command_line.value.argv.empty();
}

// A family that its user has switched off is not to be looked at, under no other name either.
bool is_switched_off(const Rules& rules, const scanner::ProcessRow& row) {
    return std::ranges::any_of(rules.families, [&](const FamilyRule& rule) {
        return !rule.enabled && std::ranges::any_of(rule.programs, [&](const Program& program) {
            return match_program(program, row).has_value();
        });
    });
}

// Prefers a certain match over a doubtful one, whatever the order of the rules.
std::optional<Match> find_match(const Rules& rules, const scanner::ProcessRow& row,
                                const Environment* environment) {
    std::optional<Match> doubtful;
    for (const FamilyRule& rule : rules.families) {
        if (!rule.enabled) continue;
        if (!rule.under.empty() && has_program(row) && !is_switched_off(rules, row)) {
            const std::string& exe = row.exe.value;
            return Match{&rule, Role{exe.substr(exe.rfind('/') + 1), {}}, {}};
        }
        for (const Program& program : rule.programs) {
            auto invocation = match_program(program, row);
            if (!invocation || !has_marks_of(program, row, environment)) continue;
            const bool certain = invocation->doubt.empty();
            if (!certain && doubtful) continue;
            Role role = role_of(rule, invocation->arguments);
            Match match{&rule, std::move(role), std::move(*invocation),
                        !program.marked_variables.empty()};
            if (certain) return match;
            doubtful = std::move(match);
        }
    }
    return doubtful;
}

}  // namespace

std::optional<Invocation> match_program(const Program& program, const scanner::ProcessRow& row) {
    if (!has_program(row)) return std::nullopt;
    auto invocation = invocation_of(program, row);
    if (!invocation || !has_arguments_of(program, invocation->arguments)) return std::nullopt;
    return invocation;
}

std::optional<Match> match(const Rules& rules, const scanner::ProcessRow& row,
                           const Environment& environment) {
    return find_match(rules, row, &environment);
}

std::optional<Match> match(const Rules& rules, const scanner::ProcessRow& row) {
    return find_match(rules, row, nullptr);
}

bool is_marked(const std::vector<std::string>& marks, const Environment& environment) {
    return environment.ok() &&
           std::any_of(marks.begin(), marks.end(),
                       [&](const std::string& mark) { return is_mark(mark, environment.value); });
}

bool is_host(const FamilyRule& rule, const scanner::ProcessRow& row) {
    return std::any_of(rule.hosts.begin(), rule.hosts.end(),
                       [&](const Program& host) { return match_program(host, row).has_value(); });
}

std::optional<std::string> option_value(const std::vector<std::string>& arguments,
                                        std::string_view name) {
    std::optional<std::string> value;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        const std::string_view word = arguments[at];
        if (word == name && at + 1 < arguments.size()) {
            value = arguments[at + 1];
        } else if (word.starts_with(name) && word.substr(name.size()).starts_with('=')) {
            value = word.substr(name.size() + 1);
        }
    }
    return value;
}

}  // namespace reaper::policy
