#include "agent/redact_facts.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/interpreter_options.hpp"
#include "policy/pattern.hpp"

namespace reaper::agent {

namespace {

using Words = std::set<std::string, std::less<>>;

constexpr std::string_view kRedacted = "[redacted]";

// What the rules can tell apart in an argv.
struct Vocabulary {
    Words words;                        // looked for as they stand
    std::vector<std::string> patterns;  // with a "*" for any letters, alike
    Words titles;                       // first words of a program's own title
    Words value_options;                // whose values are looked at
    std::vector<std::string> scripts;   // ends of paths, and file names with a "*" for any letters
};

std::string_view name_of(std::string_view option) {
    return option.substr(0, option.find('='));
}

void add_all(Words& words, const std::vector<std::string>& more) {
    words.insert(more.begin(), more.end());
}

void add_word(Vocabulary& known, std::string_view word) {
    if (word.find('*') == std::string_view::npos)
        known.words.emplace(word);
    else
        known.patterns.emplace_back(word);
}

// "--x=y" asks for the option's value, "--x=*y" only for one that fits, "--x" only whether it is there.
void add_options(Vocabulary& known, const std::vector<std::string>& wanted) {
    for (const std::string& option : wanted) {
        const std::string_view name = name_of(option);
        const bool has_pattern = option.find('*') != std::string::npos;
        if (has_pattern) known.patterns.push_back(option.substr(name.size() + 1));
        (name.size() < option.size() && !has_pattern ? known.value_options : known.words).emplace(name);
    }
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

bool fits_any(const Vocabulary& known, std::string_view word) {
    return std::any_of(known.patterns.begin(), known.patterns.end(),
                       [word](const std::string& pattern) { return policy::fits(pattern, word); });
}

void add_program(Vocabulary& known, const policy::Program& program) {
    const policy::InterpreterOptions& options = policy::options_of(program);
    for (const auto* words : {&options.with_value, &options.without_value, &options.without_script, &program.modules,
                              &program.command_options_with_value}) {
        add_all(known.words, *words);
    }
    for (const std::string& command : program.commands) {
        for (const std::string& word : split(command)) add_word(known, word);
    }
    add_all(known.titles, program.titles);
    add_options(known, program.required);
    add_options(known, program.forbidden);
    known.scripts.insert(known.scripts.end(), program.scripts.begin(), program.scripts.end());
    known.scripts.insert(known.scripts.end(), program.launchers.begin(), program.launchers.end());
}

void add_family(Vocabulary& known, const policy::FamilyRule& rule) {
    for (const policy::Program& program : rule.programs) add_program(known, program);
    for (const policy::Program& program : rule.hosts) add_program(known, program);
    for (const policy::Role& role : rule.roles) add_options(known, role.flags);
    for (const policy::HomeSource& source : rule.home) known.value_options.insert(source.name);
    for (const policy::OwnerSource& owner : rule.owners) {
        known.value_options.insert(owner.name);
        known.value_options.insert(owner.time_option);
    }
    add_all(known.value_options, rule.same_options);
}

Vocabulary vocabulary_of(const policy::Rules& rules) {
    Vocabulary known;
    for (const policy::FamilyRule& rule : rules.families) add_family(known, rule);
    for (const policy::ProtectRule& rule : rules.protect) add_all(known.words, rule.arguments);
    return known;
}

bool is_option(std::string_view word) {
    return word.size() > 1 && word.front() == '-';
}

bool is_script(const Vocabulary& known, std::string_view word) {
    return std::any_of(known.scripts.begin(), known.scripts.end(), [word](std::string_view script) {
        return word.ends_with(script) || policy::fits_path(script, word);
    });
}

// A name that is a word, and no key that was put where an option's name belongs.
bool is_plain_name(std::string_view name) {
    const bool letters = std::all_of(name.begin(), name.end(), [](unsigned char letter) {
        return std::isalnum(letter) != 0 || letter == '-' || letter == '_';
    });
    const bool digits =
        std::any_of(name.begin(), name.end(), [](unsigned char letter) { return std::isdigit(letter); });
    return letters && name.size() <= (digits ? 12 : 40);
}

// Stays an option with the same name, and with a value where it had one.
std::string redacted_option(const Vocabulary& known, std::string_view word) {
    const std::string_view name = name_of(word);
    const bool has_value = name.size() < word.size();
    const bool wanted = known.words.contains(name) && has_value && fits_any(known, word.substr(name.size() + 1));
    if (wanted || known.value_options.contains(name)) return std::string(word);
    std::string shown(name);
    const bool is_long = name.starts_with("--");
    const bool shown_whole = known.words.contains(name) || (is_long ? is_plain_name(name) : name.size() == 2);
    if (!shown_whole) shown = std::string(name.substr(0, 2)).append(kRedacted);
    return has_value ? shown.append("=").append(kRedacted) : shown;
}

std::string redacted_word(const Vocabulary& known, std::string_view word, std::string_view previous) {
    const bool harmless = word.size() < 2 || known.words.contains(word) || known.value_options.contains(previous);
    if (harmless || (!is_option(word) && fits_any(known, word))) return std::string(word);
    if (is_option(word)) return redacted_option(known, word);
    return std::string(is_script(known, word) ? word : kRedacted);
}

// "npm exec @scope/package": an argv of one text, that rules look into.
std::string redacted_title(const Vocabulary& known, std::string_view title) {
    std::string shown;
    std::string previous;
    for (std::string& word : split(title)) {
        if (shown.empty() && !known.titles.contains(word)) return std::string(kRedacted);
        shown += shown.empty() ? word : " " + redacted_word(known, word, previous);
        previous = std::move(word);
    }
    return shown;
}

// Any other program's name is the exe's business, and may carry anything; no rule looks at it.
void redact_row(const Vocabulary& known, scanner::ProcessRow& row) {
    auto& argv = row.command_line.value.argv;
    std::vector<std::string> shown;
    for (std::size_t at = 0; at < argv.size(); ++at) {
        const std::string_view previous = at == 0 ? std::string_view() : std::string_view(argv[at - 1]);
        shown.push_back(at == 0 ? redacted_title(known, argv[0]) : redacted_word(known, argv[at], previous));
    }
    const bool plain =
        !argv.empty() && argv.front().size() <= 256 && argv.front().find_first_of("= \t\n") == std::string::npos;
    if (plain) shown.front() = argv.front();
    argv = std::move(shown);
}

}  // namespace

scanner::Facts redact(scanner::Facts facts, const policy::Rules& rules) {
    const Vocabulary known = vocabulary_of(rules);
    for (scanner::ProcessFacts& candidate : facts.candidates) redact_row(known, candidate.row);
    for (scanner::ProcessRow& row : facts.relatives) redact_row(known, row);
    for (scanner::Claim& claim : facts.claims) {
        redact_row(known, claim.named.value);
        redact_row(known, claim.spawner_row.value);
    }
    return facts;
}

}  // namespace reaper::agent
