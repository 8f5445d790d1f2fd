// A new command needs an entry in the manual. Options are written by the build: installed_test.py.
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "agent/cli/option_table.hpp"
#include "policy/rules/verdict.hpp"
#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

std::string packaged(const std::string& path) {
    std::ifstream file(std::string(REAPER_TEST_DATA) + "/../../packaging/" + path);
    INFO(path);
    REQUIRE(file.good());
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// As a word of its own: "--grace" is not found in "--grace-cap".
bool names(const std::string& text, const std::string& word) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const char next = at + word.size() < text.size() ? text[at + word.size()] : ' ';
        if (next != '-' && std::isalnum(static_cast<unsigned char>(next)) == 0) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("The manual lists the verdicts in their order") {
    const std::string manual = packaged("man/orphan-reaper.1");
    std::size_t at = manual.find(".Ss Verdicts");
    for (const policy::Verdict verdict : policy::kVerdicts) {
        INFO(policy::to_string(verdict));
        at = manual.find(fmt::format(".It Sy {}\n", policy::to_string(verdict)), at);
        REQUIRE(at != std::string::npos);
    }
}

TEST_CASE("Every command is in the manual, and no other") {
    const std::string manual = packaged("man/orphan-reaper.1");
    const std::string synopsis = manual.substr(0, manual.find(".Sh DESCRIPTION"));
    for (const CommandInfo& command : command_table()) {
        const std::string name(command.name);
        INFO(name);
        CHECK(names(manual, ".It Cm " + name));
        CHECK(names(synopsis, "Cm " + name));
    }
    CHECK_FALSE(names(manual, "no-such-command"));
}

}  // namespace reaper::agent
