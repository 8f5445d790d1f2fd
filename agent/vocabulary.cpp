#include "agent/vocabulary.hpp"

#include "policy/interpreter_options.hpp"
#include "policy/pattern.hpp"

namespace reaper::agent {

namespace {

void add_all(Words& words, const std::vector<std::string>& more) {
    words.insert(more.begin(), more.end());
}

void add_command(Vocabulary& known, const std::string& command) {
    for (const std::string& word : split(command)) {
        if (word.find('*') != std::string::npos) {
            known.patterns.push_back({word});
            continue;
        }
        known.words.insert(word);
        known.commands.insert(word);
    }
}

// "--x=y" asks for a value that fits, "--x" only whether it is there.
void add_options(Vocabulary& known, const std::vector<std::string>& wanted) {
    for (const std::string& option : wanted) {
        const std::string_view name = name_of(option);
        known.words.emplace(name);
        if (name.size() < option.size())
            known.option_values[std::string(name)].push_back({option.substr(name.size() + 1)});
    }
}

void add_program(Vocabulary& known, const policy::Program& program) {
    const policy::InterpreterOptions& options = policy::options_of(program);
    for (const auto* words : {&options.with_value, &options.without_value, &options.without_script, &program.modules,
                              &program.command_options_with_value}) {
        add_all(known.words, *words);
    }
    add_all(known.flags, options.without_value);
    for (const std::string& command : program.commands) add_command(known, command);
    add_all(known.titles, program.titles);
    add_options(known, program.required);
    add_options(known, program.forbidden);
    for (const auto* scripts : {&program.scripts, &program.launchers}) {
        for (const std::string& script : *scripts) known.patterns.push_back({script, true});
    }
}

void add_family(Vocabulary& known, const policy::FamilyRule& rule) {
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

Vocabulary vocabulary_of(const policy::Rules& rules) {
    Vocabulary known;
    for (const policy::FamilyRule& rule : rules.families) add_family(known, rule);
    for (const policy::ProtectRule& rule : rules.protect) add_all(known.words, rule.arguments);
    return known;
}

bool fits(const Pattern& pattern, std::string_view word) {
    return pattern.of_path ? policy::fits_path(pattern.text, word) : policy::fits(pattern.text, word);
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
