#include "agent/redact.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace reaper::agent {

namespace {

using policy::escape;

constexpr std::string_view kRedacted = "[redacted]";
constexpr std::size_t kMostArguments = 64;
constexpr std::size_t kLongestValue = 256;

constexpr std::array<std::string_view, 12> kValueOptions = {
    "--agent",      "--home", "--runtime-scope", "--session-key", "--model",   "--provider",
    "--parent-pid", "--ppid", "--port",          "--host",        "--profile", "--max-old-space-size"};
constexpr std::array<std::string_view, 9> kScriptEndings = {".js",  ".cjs", ".mjs", ".ts", ".cts",
                                                            ".mts", ".py",  ".pyc", ".sh"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool only(std::string_view text, std::string_view beside) {
    return std::all_of(text.begin(), text.end(), [&](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || beside.find(c) != std::string_view::npos;
    });
}

// Long, with digits and both cases (or very long without a break): a key, not a word.
bool looks_random(std::string_view word) {
    const auto any = [&](auto test) {
        return std::any_of(word.begin(), word.end(), [&](char c) { return test(static_cast<unsigned char>(c)) != 0; });
    };
    if (word.size() < 20) return false;
    return word.size() > 80 ||
           (any([](int c) { return std::isdigit(c); }) && any([](int c) { return std::isupper(c); }) &&
            any([](int c) { return std::islower(c); }));
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
    if (word.substr(0, kFileUrl.size()) == kFileUrl) word.remove_prefix(kFileUrl.size());
    if (word.size() > kLongestValue || !only(word, "/._-+@~ ") || has_random_part(word)) return false;
    const bool rooted = !word.empty() && (word.front() == '/' || word.substr(0, 2) == "~/" ||
                                          word.substr(0, 2) == "./" || word.substr(0, 3) == "../");
    return rooted || std::any_of(kScriptEndings.begin(), kScriptEndings.end(), [&](std::string_view ending) {
               return word.size() > ending.size() && word.substr(word.size() - ending.size()) == ending;
           });
}

bool is_option(std::string_view word) {
    return word.size() > 1 && word.front() == '-';
}

// The value of an option that a family uses: shown, unless it carries a NAME=VALUE of its own or is no single word.
std::string show_value(std::string_view value) {
    if (value.size() > kLongestValue || value.find('=') != std::string_view::npos) return std::string(kRedacted);
    const bool one_line = std::none_of(value.begin(), value.end(), [](char c) { return c == '\n' || c == '\r'; });
    return std::string(one_line ? value : kRedacted);
}

std::string show_program(std::string_view word) {
    const std::string_view name = word.substr(0, word.find_first_of("= \t\n"));
    if (name.size() == word.size() && word.size() <= kLongestValue) return std::string(word);
    return escape(name, kLongestValue).append(" ").append(kRedacted);
}

std::string show_option(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const bool is_long = name.substr(0, 2) == "--";
    if (!is_long) return word.size() == 2 ? std::string(word) : std::string(word.substr(0, 2)).append(kRedacted);
    if (name.size() > 40 || !only(name, "-_") || looks_random(name)) return std::string("--").append(kRedacted);
    if (equals == std::string_view::npos) return std::string(word);
    const std::string_view value = word.substr(equals + 1);
    return std::string(name).append("=").append(contains(kValueOptions, name) ? show_value(value)
                                                                              : std::string(kRedacted));
}

// Of a command, unless it may be the value of the option before it.
bool is_command(std::string_view word, std::string_view previous, const Vocabulary& known) {
    const bool takes_next = is_option(previous) && previous.find('=') == std::string_view::npos;
    return known.commands.contains(word) && (!takes_next || known.flags.contains(previous));
}

std::string show_word(std::string_view word, std::string_view previous, const Vocabulary& known) {
    if (is_command(word, previous, known)) return std::string(word);
    if (contains(kValueOptions, previous)) return show_value(word);
    if (previous == "-m" && word.size() <= 100 && only(word, "._") && !looks_random(word)) return std::string(word);
    return std::string(is_path(word) ? word : kRedacted);
}

}  // namespace

std::vector<std::string> redact(const std::vector<std::string>& argv) {
    return redact(argv, {});
}

std::vector<std::string> redact(const std::vector<std::string>& argv, const Vocabulary& known) {
    std::vector<std::string> shown;
    std::string_view previous;
    for (const std::string& word : argv) {
        if (shown.size() == kMostArguments) {
            shown.push_back("... and " + std::to_string(argv.size() - kMostArguments) + " more");
            break;
        }
        if (shown.empty()) {
            shown.push_back(show_program(word));
        } else {
            shown.push_back(is_option(word) ? show_option(word) : show_word(word, previous, known));
        }
        previous = word;
    }
    return shown;
}

std::string redacted_line(const std::vector<std::string>& argv) {
    return told_line(redact(argv), std::string::npos);
}

std::string told_line(const std::vector<std::string>& redacted, std::size_t longest) {
    std::string line;
    for (const std::string& word : redacted) {
        if (!line.empty()) line += ' ';
        line += escape(word);
    }
    return escape(line, longest);
}

}  // namespace reaper::agent
