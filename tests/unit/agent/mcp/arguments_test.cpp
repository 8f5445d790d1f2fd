#include "agent/mcp/arguments.hpp"

#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

using namespace std::chrono_literals;

std::string wrong_about(const Json& arguments) {
    std::string wrong;
    std::ignore = options_of({"plan_sweep", arguments, {}, "mcp"}, {}, wrong);
    return wrong;
}

std::string command_with(const ScopeOptions& scope, std::size_t max_kills = 256) {
    policy::Rules rules;
    for (const auto age : {10s, 30s}) {
        policy::FamilyRule family;
        family.start_up = age;
        rules.families.push_back(family);
    }
    return command_to_type(scope, max_kills, rules);
}

}  // namespace

TEST_CASE("A time that is empty, and a home that is no full path, are told") {
    CHECK(wrong_about({{"min_age", "1m"}, {"since", "1h"}, {"homes", {"/srv"}}}).empty());
    CHECK(wrong_about({{"min_age", ""}}).starts_with("min_age: "));
    CHECK(wrong_about({{"since", ""}}).starts_with("since: "));
    for (const char* home : {"", ".", "mnt/home", "~/x", "-x"})
        CHECK(wrong_about({{"homes", {"/srv", home}}}).ends_with("is no full path"));
}

TEST_CASE("The command ends nothing that is younger than the rules say") {
    ScopeOptions scope;
    CHECK(command_with(scope) == "orphan-reaper sweep");
    for (const auto age : {1ms, 10'000ms, 29'999ms}) {
        scope.min_age = age;
        CHECK(command_with(scope) == "orphan-reaper sweep");
    }
    scope.min_age = 30s;
    CHECK(command_with(scope) == "orphan-reaper sweep --min-age 30s");
}

TEST_CASE("The command has the limit and the names of the plan") {
    ScopeOptions scope;
    scope.homes = {"/home/jos\xc3\xa9"};
    CHECK(command_with(scope, 1) == "orphan-reaper sweep --max-kills 1 --home '/home/jos\xc3\xa9'");
    scope.homes = {"/home/\n"};
    CHECK(command_with(scope).starts_with("(no command"));
}

}  // namespace reaper::agent
