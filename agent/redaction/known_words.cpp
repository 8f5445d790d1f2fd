#include "agent/redaction/known_words.hpp"

#include <algorithm>

#include "policy/match/interpreter_options.hpp"
#include "policy/rules/pattern.hpp"

namespace reaper::agent {

namespace {

void add_all(WordSet& words, const std::vector<std::string>& more) {
    words.insert(more.begin(), more.end());
}

void add_command(KnownWords& known, const std::string& command) {
    for (const std::string& word : split(command)) {
        if (word.find('*') != std::string::npos)
            known.patterns.push_back({word});
        else
            known.words.insert(word);
    }
}

// "--x=y" asks for a value that fits, "--x" only whether it is there.
void add_options(KnownWords& known, const std::vector<std::string>& wanted) {
    for (const std::string& option : wanted) {
        const std::string_view name = name_of(option);
        known.words.emplace(name);
        if (name.size() < option.size())
            known.option_values[std::string(name)].push_back({option.substr(name.size() + 1)});
    }
}

void add_program(KnownWords& known, const policy::Program& program) {
    for (const auto* words : {&program.modules, &program.command_options_with_value})
        add_all(known.words, *words);
    for (const std::string& command : program.commands) add_command(known, command);
    add_all(known.titles, program.titles);
    add_options(known, program.required);
    add_options(known, program.forbidden);
    for (const auto* scripts : {&program.scripts, &program.launchers}) {
        for (const std::string& script : *scripts) known.patterns.push_back({script, true});
    }
    for (const std::string& package : program.packages)
        known.patterns.push_back({package, false, true});
}

void add_interpreter(KnownWords& known, const policy::InterpreterOptions& options) {
    for (const auto* words :
         {&options.with_value, &options.without_value, &options.without_script, &options.verbs})
        add_all(known.words, *words);
    for (const std::string& flag : options.without_value) {
        if (flag.find('*') == std::string::npos)
            known.flags.insert(flag);
        else
            known.flag_kinds.push_back({flag});
    }
}

void add_options_of(KnownWords& known, const policy::Program& program) {
    for (const auto* options : policy::all_options_of(program)) {
        if (options == &program.options)
            add_interpreter(known, *options);
        else
            known.interpreters.insert(options);
    }
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

bool lists_word(const policy::InterpreterOptions& options, std::string_view word) {
    return contains(options.with_value, word) || contains(options.without_value, word) ||
           contains(options.without_script, word) || contains(options.verbs, word);
}

bool lists_kind_of(const policy::InterpreterOptions& options, std::string_view option) {
    return std::ranges::any_of(options.without_value, [option](const std::string& kind) {
        return kind.find('*') != std::string::npos && policy::fits(kind, option);
    });
}

void add_family(KnownWords& known, const policy::FamilyRule& rule) {
    for (const policy::Program& program : rule.programs) add_program(known, program);
    for (const policy::Program& program : rule.hosts) add_program(known, program);
    for (const policy::Role& role : rule.roles) add_options(known, role.flags);
    for (const policy::HomeSource& source : rule.home) {
        using From = policy::HomeSource::From;
        // A single letter means a password elsewhere.
        const bool of_profile = source.from == From::profile && source.name.starts_with("--");
        if (source.from == From::option || of_profile) known.value_options.insert(source.name);
    }
    for (const policy::OwnerSource& owner : rule.owners) {
        if (owner.from == policy::OwnerSource::From::option) known.value_options.insert(owner.name);
        if (!owner.time_option.empty()) known.value_options.insert(owner.time_option);
    }
    add_all(known.value_options, rule.same_options);
}

}  // namespace

KnownWords known_words_of(const policy::Rules& rules) {
    KnownWords known;
    for (const policy::FamilyRule& rule : rules.families) {
        add_family(known, rule);
        for (const auto* programs : {&rule.programs, &rule.hosts}) {
            for (const policy::Program& program : *programs) add_options_of(known, program);
        }
    }
    for (const policy::ProtectRule& rule : rules.protect) add_all(known.words, rule.arguments);
    return known;
}

bool knows_word(const KnownWords& known, std::string_view word) {
    return known.words.contains(word) ||
           std::ranges::any_of(known.interpreters,
                               [word](const auto* options) { return lists_word(*options, word); });
}

bool is_plain_flag(const KnownWords& known, std::string_view option) {
    const auto lists = [option](const auto* options) {
        return contains(options->without_value, option);
    };
    return known.flags.contains(option) || std::ranges::any_of(known.interpreters, lists);
}

bool is_flag(const KnownWords& known, std::string_view option) {
    const auto is_like = [option](const Pattern& kind) { return fits(kind, option); };
    const auto lists = [option](const auto* options) { return lists_kind_of(*options, option); };
    return is_plain_flag(known, option) || std::ranges::any_of(known.flag_kinds, is_like) ||
           std::ranges::any_of(known.interpreters, lists);
}

bool fits(const Pattern& pattern, std::string_view word) {
    if (pattern.of_package) return policy::fits(pattern.text, policy::package_of(word));
    return pattern.of_path ? policy::fits_path(pattern.text, word)
                           : policy::fits(pattern.text, word);
}

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> words(1);
    for (const char letter : text) {
        if (letter == ' ')
            words.emplace_back();
        else
            words.back() += letter;
    }
    return words;
}

std::string_view name_of(std::string_view option) {
    return option.substr(0, option.find('='));
}

}  // namespace reaper::agent
