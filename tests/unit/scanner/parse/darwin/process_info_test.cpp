#include "scanner/parse/darwin/process_info.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/darwin/records.hpp"

using namespace reaper::scanner::darwin;
using namespace reaper::test::darwin;

namespace {

// A reply is refused when it is one byte shorter or longer, or empty.
template <class Parse>
void check_length(const std::string& bytes, Parse parse) {
    CHECK(parse(bytes));
    for (const std::string& wrong : {bytes.substr(1), bytes + "x", std::string()}) {
        const auto parsed = parse(wrong);
        REQUIRE_FALSE(parsed);
        CHECK(parsed.error().code == std::errc::invalid_argument);
    }
}

}  // namespace

TEST_CASE("the identity that macOS gives a process") {
    const UniqueIdentity identity{9000, 8000, 12, 7};
    const auto parsed = parse_unique_identity(unique_bytes(identity));
    REQUIRE(parsed);
    CHECK(*parsed == identity);
    check_length(unique_bytes(identity), parse_unique_identity);
}

TEST_CASE("a process that is not younger than its parent is refused") {
    CHECK(parse_unique_identity(unique_bytes({1, 0, 1, 0})));  // launchd
    for (const UniqueIdentity& wrong :
         {UniqueIdentity{8000, 8000, 1, 0}, UniqueIdentity{7999, 8000, 1, 0},
          UniqueIdentity{0, 0, 1, 0}})
        CHECK_FALSE(parse_unique_identity(unique_bytes(wrong)));
}

TEST_CASE("the resource coalition of a process") {
    CHECK(parse_coalition(coalition_bytes(815)) == 815);
    check_length(coalition_bytes(815), parse_coalition);
}

TEST_CASE("the threads of a process") {
    CHECK(parse_thread_count(task_bytes(11)) == 11);
    CHECK_FALSE(parse_thread_count(task_bytes(-1)));
    check_length(task_bytes(11), parse_thread_count);
}

TEST_CASE("what a process uses") {
    const Usage usage{94371840, 1001, 4097};
    const auto parsed = parse_usage(usage_bytes(usage));
    REQUIRE(parsed);
    CHECK(*parsed == usage);
    check_length(usage_bytes(usage), parse_usage);
}

TEST_CASE("working and root folder of a process") {
    const OwnFolders folders{"/Users/ada/work", false, "/Volumes/jail"};
    const auto parsed = parse_folders(folders_bytes(folders));
    REQUIRE(parsed);
    CHECK(*parsed == folders);
    CHECK(parse_folders(folders_bytes({"/tmp/gone", true, ""}))->working_deleted);
    check_length(folders_bytes(folders), parse_folders);
}

TEST_CASE("a working folder without an absolute path is refused") {
    CHECK_FALSE(parse_folders(folders_bytes({"", false, ""})));
    CHECK_FALSE(parse_folders(folders_bytes({"work", false, ""})));
}
