#include "policy/text/nearest.hpp"

#include <array>

#include "tests/support/catch.hpp"

namespace reaper::policy {

namespace {

constexpr std::array<std::string_view, 4> kWords = {"report", "sweep", "explain", "a"};

}  // namespace

TEST_CASE("One typing mistake is forgiven, whatever it is") {
    for (const std::string_view word : {"sweeep", "swee", "swexp", "sewep", "sweep"}) {
        INFO(word);
        CHECK(nearest(word, kWords) == "sweep");
    }
    CHECK(nearest("explane", kWords) == "explain");
    CHECK(did_you_mean("swep", kWords) == " (did you mean 'sweep'?)");
}

TEST_CASE("What is too far away is no suggestion") {
    for (const std::string_view word : {"", "b", "watch", "doctor", "swxxp"}) {
        INFO(word);
        CHECK_FALSE(nearest(word, kWords).has_value());
        CHECK(did_you_mean(word, kWords).empty());
    }
    CHECK_FALSE(nearest(std::string(100'000, 'x'), kWords).has_value());
    CHECK_FALSE(nearest("sweep", {}).has_value());
}

TEST_CASE("Of several words the nearest wins, of equals the first") {
    constexpr std::array<std::string_view, 3> words = {"grace-cap", "gracf", "grace"};
    CHECK(nearest("grace", words) == "grace");
    CHECK(nearest("gracx", words) == "gracf");
}

}  // namespace reaper::policy
