#include "agent/facts_source.hpp"

#include <sys/stat.h>

#include <optional>
#include <string_view>

#include "agent/redact_facts.hpp"
#include "agent/text_file.hpp"
#include "agent/user_rules.hpp"
#include "scanner/facts_json.hpp"

namespace reaper::agent {

namespace {

// A new file of one's own in any case: one that somebody else put there first would be theirs to read.
Result<void> write_privately(const std::string& path, std::string_view text) {
    struct stat status{};
    const bool exists = ::lstat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) return failure(std::errc::file_exists, "write", path);
    return replace_file(path, text, std::nullopt);
}

}  // namespace

Result<void> write_facts(const std::string& path, const scanner::Facts& facts, const policy::Rules& rules) {
    scanner::Facts shown = redact(facts, rules);
    tell_rules_of_users(shown, rules);
    return write_privately(path, scanner::facts_to_json(shown));
}

Result<scanner::Facts> read_facts(const std::string& path) {
    const auto text = read_file_up_to(path, scanner::kLargestFacts);
    if (!text) return tl::unexpected(text.error());
    auto facts = scanner::facts_from_json(*text);
    if (!facts) facts.error().subject = path + ": " + facts.error().subject;
    return facts;
}

}  // namespace reaper::agent
