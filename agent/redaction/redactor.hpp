// What may be shown of the words of an argv: the one place that decides it, for reports, the
// history and files of facts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/redaction/known_words.hpp"

namespace reaper::agent {

inline constexpr std::string_view kRedacted = "[redacted]";

// Where the words go. To people go paths, modules, and values of the options that helpers
// have, but no word that could be the value of an unknown option. For rules, whatever they ask for
// stays, wherever it stands, so that they judge the redacted words as they judge the words.
enum class Audience { people, rules };

// Takes the words of one argv in their order. A process can write over its own argv, and the kernel
// then shows its environment there: so whatever is not known to be harmless counts as a secret. Of
// a word that fits a pattern of the rules and could still be a secret, the pattern is shown.
class Redactor {
   public:
    // `known` must outlive it.
    Redactor(const KnownWords& known, Audience audience) : known_(known), audience_(audience) {}

    // The first word.
    [[nodiscard]] std::string program(std::string_view word) const;
    // Any later word. An option stays one with the same name, and with a value where it had one.
    [[nodiscard]] std::string next(std::string_view word);

   private:
    [[nodiscard]] std::string title(std::string_view text) const;
    [[nodiscard]] std::string show(std::string_view word) const;
    [[nodiscard]] std::string show_option(std::string_view word) const;
    [[nodiscard]] std::string show_name(std::string_view name) const;
    [[nodiscard]] std::string show_letters(std::string_view name) const;
    [[nodiscard]] bool is_known(std::string_view option) const;
    [[nodiscard]] bool is_told(std::string_view option) const;
    [[nodiscard]] std::string show_told(std::string_view value) const;
    [[nodiscard]] bool is_plain(std::string_view word) const;
    [[nodiscard]] bool may_be_value() const;
    [[nodiscard]] std::vector<Pattern> fitting_value(std::string_view option,
                                                     std::string_view value) const;

    const KnownWords& known_;
    Audience audience_;
    std::string previous_;
    // False after an option that is not known: how many words are its value?
    bool trusts_ = true;
};

// Takes a whole argv. The script of a bootstrap of Hermes becomes the shortest one that runs the
// same program, so that rules recognise it; people read "[runs MODULE]".
[[nodiscard]] std::vector<std::string> redact_words(std::span<const std::string> argv,
                                                    const KnownWords& known, Audience audience);

// The pattern that `word` fits, with kRedacted for each "*": the one that fits the most of
// `patterns` besides. kRedacted: it fits none.
[[nodiscard]] std::string mask(std::string_view word, const std::vector<Pattern>& patterns);

}  // namespace reaper::agent
