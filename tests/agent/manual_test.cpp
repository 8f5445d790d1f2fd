// Whoever adds an option has to tell the manual and the completions of every shell.
#include <fstream>
#include <sstream>
#include <string>

#include "agent/option_table.hpp"
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

TEST_CASE("Every option is in the manual and in all completions") {
    const std::string manual = packaged("man/orphan-reaper.1");
    const std::string bash = packaged("completions/orphan-reaper.bash");
    const std::string zsh = packaged("completions/_orphan-reaper");
    const std::string fish = packaged("completions/orphan-reaper.fish");
    for (const OptionInfo& option : option_table()) {
        const std::string name(option.name);
        INFO(name);
        CHECK(names(manual, "Fl " + name.substr(1)));
        CHECK(names(bash, name));
        CHECK(names(zsh, name));
        CHECK(names(fish, "-l " + name.substr(2)));
        if (option.letter.empty()) continue;
        CHECK(names(manual, "Fl " + std::string(option.letter.substr(1))));
        CHECK(names(zsh, std::string(option.letter)));
        CHECK(names(bash, std::string(option.letter)));
        CHECK(names(fish, "-s " + std::string(option.letter.substr(1))));
    }
}

TEST_CASE("Every command is in the manual and in all completions, and no other") {
    const std::string manual = packaged("man/orphan-reaper.1");
    const std::string synopsis = manual.substr(0, manual.find(".Sh DESCRIPTION"));
    for (const CommandInfo& command : command_table()) {
        const std::string name(command.name);
        INFO(name);
        CHECK(names(manual, ".It Cm " + name));
        CHECK(names(synopsis, "Cm " + name));
        CHECK(names(packaged("completions/orphan-reaper.bash"), name));
        CHECK(packaged("completions/_orphan-reaper").find("'" + name + ":") != std::string::npos);
        CHECK(names(packaged("completions/orphan-reaper.fish"), "-a " + name));
    }
    for (const char* absent : {"doctor", "schedule"}) CHECK_FALSE(names(manual, absent));
}

}  // namespace reaper::agent
