#include "agent/redaction/argv.hpp"

#include "agent/redaction/redactor.hpp"

namespace reaper::agent {

namespace {

using policy::escape;

constexpr std::size_t kMostArguments = 64;

}  // namespace

std::vector<std::string> redact(const std::vector<std::string>& argv) {
    static const KnownWords built_in = known_words_of(policy::built_in_rules());
    return redact(argv, built_in);
}

std::vector<std::string> redact(const std::vector<std::string>& argv, const KnownWords& known) {
    std::vector<std::string> shown = redact_words(argv, known, Audience::people);
    // A program that overwrites its arguments with a title leaves empty ones behind it.
    while (shown.size() > 1 && shown.back().empty()) shown.pop_back();
    if (shown.size() <= kMostArguments) return shown;
    const std::string more = "... and " + std::to_string(shown.size() - kMostArguments) + " more";
    shown.resize(kMostArguments);
    shown.push_back(more);
    return shown;
}

std::string redacted_line(const std::vector<std::string>& argv) {
    return shown_line(redact(argv), std::string::npos);
}

std::string shown_line(const std::vector<std::string>& redacted, std::size_t longest) {
    std::string line;
    for (const std::string& word : redacted) {
        if (!line.empty()) line += ' ';
        line += escape(word);
    }
    return escape(line, longest);
}

}  // namespace reaper::agent
