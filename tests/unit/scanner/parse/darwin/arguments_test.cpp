#include "scanner/parse/darwin/arguments.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/darwin/records.hpp"

using namespace reaper::scanner::darwin;
using namespace reaper::test::darwin;
using namespace std::string_literals;

namespace {

constexpr std::size_t kRoom = 4096;

using Words = std::vector<std::string>;

Arguments parsed(const Started& started) {
    const auto arguments = parse_arguments(arguments_bytes(started), kRoom);
    REQUIRE(arguments);
    return *arguments;
}

bool is_refused(std::string_view reply, std::size_t capacity = kRoom) {
    const auto arguments = parse_arguments(reply, capacity);
    return !arguments && arguments.error().code == std::errc::invalid_argument;
}

std::string helper() {
    return arguments_bytes({"/usr/local/bin/node", {"node", "bridge.js"}, Words{"HOME=/u"}});
}

}  // namespace

TEST_CASE("arguments and environment of a process of macOS") {
    const Arguments arguments = parsed({"node", {"node", "a b", "bridge.js"}, Words{"A=1", "B="}});
    CHECK(arguments.path == "node");
    CHECK(arguments.argv == Words{"node", "a b", "bridge.js"});
    REQUIRE(arguments.environment);
    CHECK(arguments.environment->starts_with("A=1\0B=\0"s));
}

TEST_CASE("an empty argv 0 is an argument, not padding, for paths of every length") {
    const auto length = static_cast<std::size_t>(GENERATE(range(1, 18)));
    const Arguments arguments =
        parsed({std::string(length, 'p'), {"", "bridge.js"}, Words{"SECRET=1"}});
    CHECK(arguments.argv == Words{"", "bridge.js"});
}

TEST_CASE("empty arguments and newlines stay as they are") {
    CHECK(parsed({"/p", {"", "", "a\nb", "\xff", ""}}).argv == Words{"", "", "a\nb", "\xff", ""});
}

TEST_CASE("a process without arguments has none") {
    const Arguments arguments = parsed({"/p", {}, Words{"A=1"}});
    CHECK(arguments.argv.empty());
    CHECK(arguments.environment->starts_with("A=1\0"s));
}

TEST_CASE("a hidden environment is not an empty one") {
    CHECK_FALSE(parsed({"/bin/sleep", {"sleep", "9"}, std::nullopt}).environment);
    const Arguments empty = parsed({"/p", {"p"}, Words{}});
    REQUIRE(empty.environment);
    CHECK(empty.environment->find("ptr_munge=") != std::string::npos);
}

TEST_CASE("padding behind argv is no environment") {
    std::string bytes = arguments_bytes({"/p", {"p"}, std::nullopt});
    bytes.append(7, '\0');
    const auto arguments = parse_arguments(bytes, kRoom);
    REQUIRE(arguments);
    CHECK_FALSE(arguments->environment);
}

TEST_CASE("a process that has blanked the rest of its argv has empty arguments") {
    CHECK(parsed({"/p", {"worker: idle", "", ""}}).argv == Words{"worker: idle", "", ""});
}

TEST_CASE("a reply that fills its room may have lost its beginning") {
    const std::string bytes = helper();
    CHECK(is_refused(bytes, bytes.size()));
    CHECK(is_refused(bytes, bytes.size() - 1));
    CHECK(parse_arguments(bytes, bytes.size() + 1));
}

TEST_CASE("arguments out of form are refused") {
    std::string bytes = helper();
    CHECK(is_refused(""));
    CHECK(is_refused(bytes.substr(0, 3)));
    CHECK(is_refused(bytes.substr(0, 4)));
    CHECK(is_refused(bytes.substr(0, 12)));                        // within the path
    CHECK(is_refused(bytes.substr(0, 4 + 20)));                    // within the padding
    CHECK(is_refused(bytes.substr(0, bytes.find("bridge") + 9)));  // no NUL behind it
    CHECK(is_refused(std::string(kRoom - 1, '\0')));               // no path
}

TEST_CASE("padding of the path with anything but NUL is refused") {
    std::string bytes = helper();
    const std::size_t padding = 4 + std::string("/usr/local/bin/node").size() + 1;
    REQUIRE(bytes[padding] == '\0');
    bytes[padding] = 'x';
    CHECK(is_refused(bytes));
}

TEST_CASE("more arguments announced than there are is refused") {
    std::string bytes = helper();
    for (const int count : {-1, 8, 1000, std::numeric_limits<int>::max()}) {
        put(bytes, Field<std::int32_t>{0}, count);
        CHECK(is_refused(bytes));
    }
}
