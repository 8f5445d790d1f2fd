#include "agent/redaction/facts.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "agent/redaction/redactor.hpp"

namespace reaper::agent {

namespace {

void redact_row(const KnownWords& known, scanner::ProcessRow& row) {
    auto& argv = row.command_line.value.argv;
    argv = redact_words(argv, known, Audience::rules);
}

// "X=y" asks for a value that fits, "X" for any.
std::vector<Pattern> marks_called(const std::string& name, const policy::Rules& rules) {
    std::vector<Pattern> marks;
    for (const std::string& mark : policy::marks_of(rules)) {
        if (name_of(mark) == name)
            marks.push_back({mark.size() == name.size() ? "*" : mark.substr(name.size() + 1)});
    }
    return marks;
}

}  // namespace

void redact_marks(scanner::ProcessFacts& process, const policy::Rules& rules) {
    const auto kept = policy::value_keys_of(rules);
    for (auto& [name, value] : process.environment.value) {
        if (std::find(kept.begin(), kept.end(), name) != kept.end()) continue;
        value = mask(value, marks_called(name, rules));
    }
}

scanner::Facts redact(scanner::Facts facts, const policy::Rules& rules) {
    const KnownWords known = known_words_of(rules);
    for (scanner::ProcessFacts& candidate : facts.candidates) {
        redact_row(known, candidate.row);
        redact_marks(candidate, rules);
    }
    for (scanner::ProcessFacts& process : facts.descendants) {
        redact_row(known, process.row);
        redact_marks(process, rules);
    }
    for (scanner::ProcessRow& row : facts.relatives) redact_row(known, row);
    for (scanner::Claim& claim : facts.claims) {
        redact_row(known, claim.named.value);
        redact_row(known, claim.spawner_row.value);
    }
    return facts;
}

}  // namespace reaper::agent
