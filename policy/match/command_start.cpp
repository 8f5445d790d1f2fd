#include "policy/match/command_start.hpp"

#include <algorithm>

#include "policy/match/interpreter_options.hpp"
#include "policy/rules/pattern.hpp"

namespace reaper::policy {

namespace {

using Arguments = std::span<const std::string>;

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_option(std::string_view word) {
    return word.size() > 1 && word.front() == '-';
}

bool is_any_of(const std::vector<std::string>& patterns, std::string_view text) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [text](const std::string& pattern) { return fits(pattern, text); });
}

enum class Sort { alone, with_value, without_script, unknown };

Sort sort_of(const InterpreterOptions& options, std::string_view option) {
    const std::string_view name = option.substr(0, option.find('='));
    if (contains(options.without_script, name)) return Sort::without_script;
    if (name.size() < option.size()) return Sort::alone;
    if (contains(options.with_value, option)) return Sort::with_value;
    if (is_any_of(options.without_value, option)) return Sort::alone;
    // node treats "_" and "-" alike.
    if (!option.starts_with("--") || option.find('_') == std::string_view::npos)
        return Sort::unknown;
    std::string dashed(option);
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    return sort_of(options, dashed);
}

struct OwnOption {
    std::string name;
    std::string_view attached;  // its value, if that is in the same word
};

// Returns the last option of a word. Options of one letter in Python share a word ("-uB", "-um",
// "-Xutf8"), with what follows as the value of the last.
OwnOption last_option(const InterpreterOptions& options, std::string_view word) {
    const auto letter = [word](std::size_t at) { return std::string{'-', word[at]}; };
    const bool listed = sort_of(options, word.substr(0, word.find('='))) != Sort::unknown;
    const bool shared = word[1] != '-' && !listed && sort_of(options, letter(1)) != Sort::unknown;
    if (!shared) return {std::string(word), {}};
    std::size_t at = 1;
    while (at + 1 < word.size() && contains(options.without_value, letter(at))) ++at;
    return {letter(at), word.substr(at + 1)};
}

bool is_script_of(const Program& program, std::string_view word) {
    return std::any_of(program.scripts.begin(), program.scripts.end(),
                       [word](const std::string& pattern) { return fits_path(pattern, word); }) ||
           (!program.packages.empty() && is_any_of(program.packages, package_of(word)));
}

bool is_launcher(const Program& program, std::string_view word) {
    return std::any_of(program.launchers.begin(), program.launchers.end(),
                       [word](const std::string& ending) { return fits_path(ending, word); });
}

// Matches "-m module", in one word or two.
std::optional<Start> module_start(const OwnOption& option, Arguments words) {
    if (!option.attached.empty()) return Start{option.attached, words.subspan(1)};
    return words.size() < 2 ? std::nullopt : std::optional(Start{words[1], words.subspan(2)});
}

// After an unknown option, any later word that names something of the program counts, as the next
// word may be the value of the option. A process that is not recognised at all would never be
// reported.
std::optional<Start> doubtful_start(const Program& program, const InterpreterOptions& options,
                                    Arguments words) {
    const std::string doubt = words.front().substr(0, words.front().find('='));
    for (words = words.subspan(1); !words.empty(); words = words.subspan(1)) {
        if (!is_option(words.front())) {
            if (is_script_of(program, words.front()) || is_launcher(program, words.front()))
                return Start{{}, words, false, doubt};
            continue;
        }
        const OwnOption option = last_option(options, words.front());
        auto start = option.name == "-m" && !program.modules.empty() ? module_start(option, words)
                                                                     : std::nullopt;
        if (start) start->doubt = doubt;
        if (start || sort_of(options, option.name) == Sort::without_script) return start;
    }
    return std::nullopt;
}

// Reads what `-c` is given, in one word or two.
std::optional<Bootstrap> bootstrap_of(const OwnOption& option, Arguments words) {
    if (!option.attached.empty()) return read_bootstrap(option.attached, words.subspan(1));
    return words.size() < 2 ? std::nullopt : read_bootstrap(words[1], words.subspan(2));
}

std::optional<Start> after_options(const Program& program, const InterpreterOptions& options,
                                   Arguments words);

// Takes a script of Hermes for what it runs.
std::optional<Start> bootstrapped_start(const Program& program, const InterpreterOptions& options,
                                        const OwnOption& option, Arguments words) {
    auto found = bootstrap_of(option, words);
    if (!found) return std::nullopt;
    const auto bootstrap = std::make_shared<const Bootstrap>(*std::move(found));
    auto start = after_options(program, options, bootstrap->words);
    if (start) start->bootstrap = bootstrap;
    return start;
}

// Parses options up to the first other word.
std::optional<Start> after_options(const Program& program, const InterpreterOptions& options,
                                   Arguments words) {
    bool in_child = false;
    while (!words.empty() && is_option(words.front())) {
        if (words.front() == "--") return Start{{}, words.subspan(1), in_child};
        const OwnOption option = last_option(options, words.front());
        if (option.name == "-c" && contains(program.interpreters, "python"))
            return bootstrapped_start(program, options, option, words);
        if (option.name == "-m" && !program.modules.empty()) return module_start(option, words);
        const Sort sort = sort_of(options, option.name);
        if (sort == Sort::without_script) return std::nullopt;
        if (sort == Sort::unknown) return doubtful_start(program, options, words);
        const std::size_t taken = sort == Sort::with_value && option.attached.empty() ? 2 : 1;
        if (words.size() < taken) return std::nullopt;
        in_child =
            in_child || contains(options.in_child, option.name.substr(0, option.name.find('=')));
        words = words.subspan(taken);
    }
    return Start{{}, words, in_child};
}

// Parses "bun run --smol SCRIPT": options come before and after a verb.
std::optional<Start> after_options_and_verb(const Program& program,
                                            const InterpreterOptions& options, Arguments words) {
    auto start = after_options(program, options, words);
    const bool has_verb = start && !start->module && start->doubt.empty() && !start->left.empty() &&
                          contains(options.verbs, start->left.front());
    return has_verb ? after_options(program, options, start->left.subspan(1)) : start;
}

// After the path of a launcher come its own options, perhaps another launcher ("npx --yes tsx"),
// then the script.
std::optional<Start> after_launchers(const Program& program, Start start) {
    while (!start.left.empty() && is_launcher(program, start.left.front())) {
        const InterpreterOptions& options = launcher_options_of(program, start.left.front());
        auto next = after_options_and_verb(program, options, start.left.subspan(1));
        if (!next || next->module) return std::nullopt;
        next->in_child = true;
        if (!start.doubt.empty()) next->doubt = start.doubt;
        if (start.bootstrap) next->bootstrap = start.bootstrap;
        start = std::move(*next);
    }
    return start;
}

}  // namespace

std::optional<Start> find_start(const Program& program, std::string_view exe,
                                std::span<const std::string> words) {
    auto start = after_options_and_verb(program, options_of(program, exe), words);
    if (start && start->module)
        return contains(program.modules, *start->module) ? start : std::nullopt;
    if (start) start = after_launchers(program, std::move(*start));
    const bool known = start && !start->left.empty() && is_script_of(program, start->left.front());
    return known ? start : std::nullopt;
}

std::optional<FoundBootstrap> find_bootstrap(std::span<const std::string> argv) {
    const InterpreterOptions& options = python_options();
    for (std::size_t at = 1; at < argv.size() && is_option(argv[at]);) {
        const OwnOption option = last_option(options, argv[at]);
        const Sort sort = sort_of(options, option.name);
        if (option.name == "-c") {
            auto found = bootstrap_of(option, argv.subspan(at));
            if (!found) return std::nullopt;
            const bool attached = !option.attached.empty();
            return FoundBootstrap{attached ? at : at + 1, attached, *std::move(found)};
        }
        if (sort == Sort::without_script || sort == Sort::unknown) return std::nullopt;
        at += sort == Sort::with_value && option.attached.empty() ? 2U : 1U;
    }
    return std::nullopt;
}

}  // namespace reaper::policy
