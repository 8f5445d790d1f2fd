#include "scanner/parse/proc_cmdline.hpp"

#include "tests/support/catch.hpp"

using namespace reaper::scanner;
using namespace std::string_literals;

namespace {

using Arguments = std::vector<std::string>;

Arguments split(std::string_view bytes) {
    return parse_command_line(bytes, false).argv;
}

}  // namespace

TEST_CASE("a command line is split at NUL and nowhere else") {
    CHECK(split("node\0a b\0c\nd\0"s) == Arguments{"node", "a b", "c\nd"});
    CHECK(split("\xff\xfe\0\x1b[2J\0"s) == Arguments{"\xff\xfe", "\x1b[2J"});
}

TEST_CASE("empty arguments are arguments, an empty command line has none") {
    CHECK(split("").empty());
    CHECK(split("\0"s) == Arguments{""});
    CHECK(split("a\0\0b\0\0"s) == Arguments{"a", "", "b", ""});
}

TEST_CASE("the last argument may lack its NUL") {
    CHECK(split("node\0cut"s) == Arguments{"node", "cut"});
    CHECK(split("title of the process") == Arguments{"title of the process"});
}

TEST_CASE("a command line that was cut says so") {
    const std::string huge(6'000'000, 'x');
    const auto line = parse_command_line(std::string_view(huge).substr(0, 65536), true);
    CHECK(line.truncated);
    REQUIRE(line.argv.size() == 1);
    CHECK(line.argv[0].size() == 65536);
    CHECK_FALSE(parse_command_line("a\0"s, false).truncated);
}

TEST_CASE("a command line of nothing but NULs stays within what it needs") {
    const auto line = parse_command_line(std::string(65536, '\0'), false);
    CHECK(line.argv.size() == 65536);
    CHECK(line.argv.capacity() == 65536);
}

TEST_CASE("of the environment only the asked keys are kept") {
    const std::vector<std::string> keys = {"HERMES_HOME", "EMPTY", "ABSENT"};
    const auto found = parse_environment("SECRET=token\0HERMES_HOME=/a=b\0EMPTY=\0"s, keys);
    CHECK(found == std::map<std::string, std::string>{{"EMPTY", ""}, {"HERMES_HOME", "/a=b"}});
}

TEST_CASE("the first definition of a key wins, as for getenv") {
    const std::vector<std::string> keys = {"A"};
    CHECK(parse_environment("A=1\0A=2\0"s, keys).at("A") == "1");
}

TEST_CASE("keys match whole") {
    const std::vector<std::string> keys = {"HOME", ""};
    CHECK(parse_environment("MEMOS_HOME=1\0HOME2=2\0HOME\0=3\0home=4\0"s, keys).empty());
    CHECK(parse_environment("HOME=last without NUL", keys).at("HOME") == "last without NUL");
    CHECK(parse_environment("", keys).empty());
    CHECK(parse_environment("\0\0\0"s, keys).empty());
    CHECK(parse_environment("HOME=\xff\n\x1b\0"s, keys).at("HOME") == "\xff\n\x1b");
}
