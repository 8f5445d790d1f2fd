#include "agent/redact_facts.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/vocabulary.hpp"

namespace reaper::agent {

namespace {

constexpr std::string_view kRedacted = "[redacted]";

bool is_option(std::string_view word) {
    return word.size() > 1 && word.front() == '-';
}

bool only(std::string_view text, std::string_view beside) {
    return std::all_of(text.begin(), text.end(), [beside](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 || beside.find(letter) != std::string_view::npos;
    });
}

// A name that is a word, and no key that was put where an option's name belongs.
bool is_plain_name(std::string_view name) {
    const bool digits =
        std::any_of(name.begin(), name.end(), [](unsigned char letter) { return std::isdigit(letter); });
    return only(name, "-_") && name.size() <= (digits ? 12 : 40);
}

// A path or the name of a package: no header, address, JSON or NAME=VALUE.
bool is_plain_word(std::string_view word) {
    return only(word, "._/@+-");
}

// The pattern as a word that fits it, and says nothing of the one that did.
std::string filled(const Pattern& pattern) {
    std::string word;
    for (const char letter : pattern.text) {
        if (letter == '*')
            word += kRedacted;
        else
            word += letter;
    }
    return word;
}

// What fits one of `fitting`, and as many of the others as can be.
std::string filled_best(const std::vector<Pattern>& fitting) {
    const auto count = [&fitting](const Pattern& pattern) {
        const std::string word = filled(pattern);
        return std::count_if(fitting.begin(), fitting.end(), [&](const Pattern& other) { return fits(other, word); });
    };
    return filled(*std::max_element(fitting.begin(), fitting.end(), [&](const Pattern& left, const Pattern& right) {
        return count(left) < count(right);
    }));
}

void add_fitting(std::vector<Pattern>& fitting, const std::vector<Pattern>& patterns, std::string_view word) {
    std::copy_if(patterns.begin(), patterns.end(), std::back_inserter(fitting),
                 [word](const Pattern& pattern) { return fits(pattern, word); });
}

// Goes through the words of one argv.
class Redactor {
   public:
    explicit Redactor(const Vocabulary& known) : known_(known) {}

    [[nodiscard]] std::string next(std::string_view word) {
        std::string shown = redacted(word);
        if (takes_next(word) && !is_known(word)) trusts_ = false;
        previous_ = word;
        return shown;
    }

   private:
    static bool takes_next(std::string_view word) { return is_option(word) && word.find('=') == std::string::npos; }

    [[nodiscard]] bool is_known(std::string_view option) const {
        return known_.words.contains(option) || known_.value_options.contains(option);
    }

    // The value of the option before it, or a word of its own?
    [[nodiscard]] bool may_be_value() const {
        const bool alone = known_.flags.contains(previous_) && !known_.option_values.contains(previous_);
        return takes_next(previous_) && !alone;
    }

    [[nodiscard]] std::vector<Pattern> fitting_value(std::string_view option, std::string_view value) const {
        std::vector<Pattern> fitting;
        const auto asked = known_.option_values.find(option);
        if (asked != known_.option_values.end()) add_fitting(fitting, asked->second, value);
        return fitting;
    }

    [[nodiscard]] std::string redacted(std::string_view word) const {
        const bool harmless =
            word.size() < 2 || known_.words.contains(word) || known_.value_options.contains(previous_);
        if (harmless) return std::string(word);
        std::vector<Pattern> fitting = fitting_value(previous_, word);
        const bool asked_for = !fitting.empty();
        if (!asked_for && is_option(word)) return redacted_option(word);
        add_fitting(fitting, known_.patterns, word);
        if (fitting.empty()) return std::string(kRedacted);
        const bool trusted = asked_for || (trusts_ && !may_be_value());
        return trusted && is_plain_word(word) ? std::string(word) : filled_best(fitting);
    }

    // Stays an option with the same name, and with a value where it had one.
    [[nodiscard]] std::string redacted_option(std::string_view word) const {
        const std::string_view name = name_of(word);
        if (known_.value_options.contains(name)) return std::string(word);
        std::string shown = name.starts_with("--") ? redacted_name(name) : redacted_letters(name);
        if (name.size() == word.size()) return shown;
        const std::string_view value = word.substr(name.size() + 1);
        const auto fitting = fitting_value(name, value);
        if (fitting.empty()) return shown + "=" + std::string(kRedacted);
        return shown + "=" + (is_plain_word(value) ? std::string(value) : filled_best(fitting));
    }

    [[nodiscard]] std::string redacted_name(std::string_view name) const {
        const bool shown = known_.words.contains(name) || is_plain_name(name);
        return std::string(shown ? name : "--").append(shown ? "" : kRedacted);
    }

    // Python's "-uBm", "-Xutf8": options of one letter, the last of them perhaps with its value. Of others, the first letter.
    [[nodiscard]] std::string redacted_letters(std::string_view name) const {
        const auto letter = [name](std::size_t at) { return std::string{'-', name[at]}; };
        std::size_t last = 1;
        while (last + 1 < name.size() && known_.flags.contains(letter(last))) ++last;
        if (!known_.words.contains(letter(last))) last = 1;
        const std::string_view value = name.substr(last + 1);
        if (value.empty() || known_.words.contains(value)) return std::string(name);
        return std::string(name.substr(0, last + 1)).append(kRedacted);
    }

    const Vocabulary& known_;
    std::string previous_;
    bool trusts_ = true;  // until there is an option that nobody knows: how many words are its value?
};

// "npm exec @scope/package": an argv of one text, that rules look into.
std::string redacted_title(const Vocabulary& known, std::string_view title) {
    Redactor redactor(known);
    std::string shown;
    for (const std::string& word : split(title)) {
        if (shown.empty() && !known.titles.contains(word)) return std::string(kRedacted);
        shown += shown.empty() ? word : " " + redactor.next(word);
    }
    return shown;
}

// Any other program's name is the exe's business, and may carry anything; no rule looks at it.
void redact_row(const Vocabulary& known, scanner::ProcessRow& row) {
    auto& argv = row.command_line.value.argv;
    if (argv.empty()) return;
    const bool plain = argv.front().size() <= 256 && argv.front().find_first_of("= \t\n") == std::string::npos;
    if (!plain) argv.front() = redacted_title(known, argv.front());
    Redactor redactor(known);
    for (auto word = argv.begin() + 1; word != argv.end(); ++word) *word = redactor.next(*word);
}

// "X=y" asks for a value that fits, "X" for any.
std::vector<Pattern> marks_called(const std::string& name, const policy::Rules& rules) {
    std::vector<Pattern> marks;
    for (const std::string& mark : policy::marks_of(rules)) {
        if (name_of(mark) == name) marks.push_back({mark.size() == name.size() ? "*" : mark.substr(name.size() + 1)});
    }
    return marks;
}

}  // namespace

void redact_marks(scanner::ProcessFacts& process, const policy::Rules& rules) {
    const auto kept = policy::value_keys_of(rules);
    for (auto& [name, value] : process.environment.value) {
        if (std::find(kept.begin(), kept.end(), name) != kept.end()) continue;
        std::vector<Pattern> fitting;
        add_fitting(fitting, marks_called(name, rules), value);
        value = fitting.empty() ? kRedacted : filled_best(fitting);
    }
}

scanner::Facts redact(scanner::Facts facts, const policy::Rules& rules) {
    const Vocabulary known = vocabulary_of(rules);
    for (scanner::ProcessFacts& candidate : facts.candidates) {
        redact_row(known, candidate.row);
        redact_marks(candidate, rules);
    }
    for (scanner::ProcessRow& row : facts.relatives) redact_row(known, row);
    for (scanner::Claim& claim : facts.claims) {
        redact_row(known, claim.named.value);
        redact_row(known, claim.spawner_row.value);
    }
    return facts;
}

}  // namespace reaper::agent
