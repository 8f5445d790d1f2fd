#include "agent/redaction/facts_file.hpp"

#include <sys/stat.h>

#include <optional>
#include <string_view>

#include "agent/reading/bounded_reader.hpp"
#include "agent/redaction/facts.hpp"
#include "agent/rules/per_user.hpp"
#include "agent/system/text_file.hpp"
#include "scanner/json/facts_json.hpp"
#include "scanner/model/facts_check.hpp"

namespace reaper::agent {

namespace {

// Always makes a new file: one that another user put there first would be that user's to read.
Result<void> write_privately(const std::string& path, std::string_view text) {
    if (auto answers = expect_answer(path); !answers) return answers;
    struct stat status{};
    const bool exists = ::lstat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) return failure(std::errc::is_a_directory, "write", path);
    // Only root can make a device. It says itself what is wrong with it.
    if (exists && S_ISCHR(status.st_mode))
        return TextFile::open(path, 0600).and_then([&](TextFile file) { return file.write(text); });
    if (exists && !S_ISREG(status.st_mode))
        return failure(std::errc::operation_not_supported, "write",
                       path + ", which is a link, a pipe or the like");
    return replace_file(path, text, std::nullopt);
}

}  // namespace

Result<void> write_facts(const std::string& path, const scanner::Facts& facts,
                         const policy::Rules& rules, const policy::PastEnds& past_ends) {
    scanner::Record shown{redact(facts, rules), background_of(rules)};
    shown.keepalives = past_ends;
    return write_privately(path, scanner::facts_to_json(shown));
}

Result<scanner::Record> read_facts(const std::string& path) {
    if (auto answers = expect_answer(path); !answers)
        return tl::unexpected(std::move(answers.error()));
    const auto text = read_file_up_to(path, scanner::kLargestFacts);
    if (!text) return tl::unexpected(text.error());
    auto facts = scanner::facts_from_json(*text);
    if (facts) {
        if (const auto sound = scanner::check(*facts); !sound)
            facts = tl::unexpected(sound.error());
    }
    if (!facts) facts.error().subject = path + ": " + facts.error().subject;
    return facts;
}

}  // namespace reaper::agent
