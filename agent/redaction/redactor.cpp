#include "agent/redaction/redactor.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "policy/match/command_start.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kLongestValue = 256;

// Of helpers; no rule asks for their values.
constexpr std::array<std::string_view, 6> kToldOptions = {
    "--agent", "--model", "--provider", "--port", "--host", "--max-old-space-size"};
constexpr std::array<std::string_view, 9> kScriptEndings = {".js",  ".cjs", ".mjs", ".ts", ".cts",
                                                            ".mts", ".py",  ".pyc", ".sh"};

bool is_digit(char letter) {
    return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

bool has_only(std::string_view text, std::string_view beside) {
    return std::ranges::all_of(text, [beside](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
               beside.find(letter) != std::string_view::npos;
    });
}

// Long, with digits and both cases (or very long without a break): a key, not a word.
bool looks_random(std::string_view word) {
    const auto is_upper = [](unsigned char letter) { return std::isupper(letter) != 0; };
    const auto is_lower = [](unsigned char letter) { return std::islower(letter) != 0; };
    if (word.size() < 20) return false;
    return word.size() > 80 ||
           (std::ranges::any_of(word, is_digit) && std::ranges::any_of(word, is_upper) &&
            std::ranges::any_of(word, is_lower));
}

bool has_random_part(std::string_view path) {
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        if (looks_random(path.substr(0, end))) return true;
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return false;
}

bool is_path(std::string_view word) {
    constexpr std::string_view kFileUrl = "file://";
    if (word.starts_with(kFileUrl)) word.remove_prefix(kFileUrl.size());
    if (word.size() > kLongestValue || !has_only(word, "/._-+@~ ") || has_random_part(word))
        return false;
    for (const std::string_view root : {"/", "~/", "./", "../"}) {
        if (word.starts_with(root)) return true;
    }
    return std::ranges::any_of(kScriptEndings, [word](std::string_view ending) {
        return word.size() > ending.size() && word.ends_with(ending);
    });
}

bool is_module(std::string_view word) {
    return word.size() <= 100 && has_only(word, "._") && !looks_random(word);
}

bool is_option(std::string_view word) {
    return word.size() > 1 && word.front() == '-';
}

bool takes_next(std::string_view word) {
    return is_option(word) && word.find('=') == std::string_view::npos;
}

// The pattern as a word that fits it, and says nothing of the one that did.
std::string filled(const Pattern& pattern) {
    std::string word = pattern.of_package ? "node_modules/" : "";
    for (const char letter : pattern.text) {
        if (letter == '*')
            word += kRedacted;
        else
            word += letter;
    }
    return word;
}

void add_fitting(std::vector<Pattern>& fitting, const std::vector<Pattern>& patterns,
                 std::string_view word) {
    std::ranges::copy_if(patterns, std::back_inserter(fitting),
                         [word](const Pattern& pattern) { return fits(pattern, word); });
}

std::vector<std::string> redact_plainly(std::span<const std::string> argv, const KnownWords& known,
                                        Audience audience) {
    std::vector<std::string> shown;
    Redactor redactor(known, audience);
    for (const std::string& word : argv)
        shown.push_back(shown.empty() ? redactor.program(word) : redactor.next(word));
    return shown;
}

}  // namespace

std::string mask(std::string_view word, const std::vector<Pattern>& patterns) {
    std::vector<Pattern> fitting;
    add_fitting(fitting, patterns, word);
    if (fitting.empty()) return std::string(kRedacted);
    return filled(*std::ranges::max_element(fitting, {}, [&fitting](const Pattern& pattern) {
        const std::string shown = filled(pattern);
        return std::ranges::count_if(fitting,
                                     [&shown](const Pattern& other) { return fits(other, shown); });
    }));
}

std::vector<std::string> redact_words(std::span<const std::string> argv, const KnownWords& known,
                                      Audience audience) {
    const auto found = policy::find_bootstrap(argv);
    std::vector<std::string> shown =
        redact_plainly(found ? argv.first(found->at) : argv, known, audience);
    if (!found) return shown;
    const policy::Bootstrap& bootstrap = found->bootstrap;
    const std::size_t entry = bootstrap.words.front() == "-m" ? 1 : 0;
    const std::string script = audience == Audience::rules
                                   ? policy::plain_script(bootstrap)
                                   : "[runs " + bootstrap.words[entry] + "]";
    shown.push_back((found->attached ? "-c" : "") + script);
    // What follows starts anew: it is for the program that the script runs.
    Redactor redactor(known, audience);
    for (const std::string& word : std::span(bootstrap.words).subspan(entry + 1))
        shown.push_back(redactor.next(word));
    return shown;
}

std::string Redactor::program(std::string_view word) const {
    const std::string_view name = word.substr(0, word.find_first_of("= \t\n"));
    if (name.size() == word.size() && word.size() <= kLongestValue) return std::string(word);
    if (audience_ == Audience::rules) return title(word);
    return policy::escape(name, kLongestValue).append(" ").append(kRedacted);
}

// "npm exec @scope/package": an argv of one text, that rules look into. No rule looks at any other
// name of a program.
std::string Redactor::title(std::string_view text) const {
    Redactor redactor(known_, audience_);
    std::string shown;
    for (const std::string& word : split(text)) {
        if (shown.empty() && !known_.titles.contains(word)) return std::string(kRedacted);
        shown += shown.empty() ? word : " " + redactor.next(word);
    }
    return shown;
}

std::string Redactor::next(std::string_view word) {
    std::string shown = show(word);
    if (takes_next(word) && !is_known(word)) trusts_ = false;
    previous_ = word;
    return shown;
}

std::string Redactor::show(std::string_view word) const {
    const bool for_people = audience_ == Audience::people;
    if (is_told(previous_) && !(for_people && is_option(word))) return show_told(word);
    if (word.size() < 2) return std::string(word);
    if (knows_word(known_, word) && !(for_people && may_be_value())) return std::string(word);
    std::vector<Pattern> fitting = fitting_value(previous_, word);
    const bool asked_for = !fitting.empty();
    if (!asked_for && is_option(word)) return show_option(word);
    if (for_people && (is_path(word) || (previous_ == "-m" && is_module(word))))
        return std::string(word);
    add_fitting(fitting, known_.patterns, word);
    const bool trusted = !fitting.empty() && (asked_for || (trusts_ && !may_be_value()));
    return trusted && is_plain(word) ? std::string(word) : mask(word, fitting);
}

std::string Redactor::show_option(std::string_view word) const {
    const std::string_view name = name_of(word);
    std::string shown = name.starts_with("--") ? show_name(name) : show_letters(name);
    if (name.size() == word.size()) return shown;
    const std::string_view value = word.substr(name.size() + 1);
    if (is_told(name)) return shown + "=" + show_told(value);
    const auto fitting = fitting_value(name, value);
    const bool plain = !fitting.empty() && is_plain(value);
    return shown + "=" + (plain ? std::string(value) : mask(value, fitting));
}

// Keys are long, and have digits.
std::string Redactor::show_name(std::string_view name) const {
    const std::size_t longest = std::ranges::any_of(name, is_digit) ? 12 : 40;
    const bool plain = has_only(name, "-_") && name.size() <= longest;
    return plain || is_told(name) || knows_word(known_, name) ? std::string(name)
                                                              : std::string("--").append(kRedacted);
}

// Python's "-uBm", "-Xutf8": options of one letter, the last of them perhaps with its value. Of
// others, the first letter.
std::string Redactor::show_letters(std::string_view name) const {
    const auto letter = [name](std::size_t at) { return std::string{'-', name[at]}; };
    std::size_t last = 1;
    while (last + 1 < name.size() && is_plain_flag(known_, letter(last))) ++last;
    if (!knows_word(known_, letter(last))) last = 1;
    const std::string_view value = name.substr(last + 1);
    if (value.empty() || knows_word(known_, value)) return std::string(name);
    return std::string(name.substr(0, last + 1)).append(kRedacted);
}

bool Redactor::is_known(std::string_view option) const {
    return knows_word(known_, option) || is_told(option) || is_flag(known_, option);
}

bool Redactor::is_told(std::string_view option) const {
    return known_.value_options.contains(option) ||
           (audience_ == Audience::people && std::ranges::count(kToldOptions, option) != 0);
}

// To people, unless it carries a NAME=VALUE of its own or is no single line.
std::string Redactor::show_told(std::string_view value) const {
    const bool harmless =
        value.size() <= kLongestValue && value.find_first_of("=\n\r") == std::string_view::npos;
    return std::string(harmless || audience_ == Audience::rules ? value : kRedacted);
}

// A path or the name of a package: no header, address, JSON or NAME=VALUE.
bool Redactor::is_plain(std::string_view word) const {
    return has_only(word, "._/@+-") && !(audience_ == Audience::people && has_random_part(word));
}

// The value of the option before it, or a word of its own?
bool Redactor::may_be_value() const {
    const bool alone = is_flag(known_, previous_) && !known_.option_values.contains(previous_);
    return takes_next(previous_) && !alone;
}

std::vector<Pattern> Redactor::fitting_value(std::string_view option,
                                             std::string_view value) const {
    std::vector<Pattern> fitting;
    const auto asked = known_.option_values.find(option);
    if (asked != known_.option_values.end()) add_fitting(fitting, asked->second, value);
    return fitting;
}

}  // namespace reaper::agent
