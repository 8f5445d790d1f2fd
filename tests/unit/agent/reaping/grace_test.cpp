#include "agent/reaping/grace.hpp"

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using reaper::agent::GraceExtension;
using reaper::scanner::Activity;

namespace {

Activity sample(bool lock, std::uint64_t io, std::uint64_t cpu, char state = 'S') {
    return {.database_write_lock = lock,
            .io_bytes = io,
            .cpu_ticks = cpu,
            .state = state,
            .wait_channel = {}};
}

constexpr auto kWorking = std::optional(1000ms);
constexpr auto kLookAgain = std::optional(50ms);
constexpr std::optional<std::chrono::milliseconds> kDone;

std::optional<std::chrono::milliseconds> decide(const Activity& before, const Activity& now) {
    GraceExtension extension;
    extension.begin(before);
    return extension.more(now, *kWorking, *kLookAgain);
}

}  // namespace

TEST_CASE("A held lock and progress is work") {
    CHECK(decide(sample(false, 1, 1), sample(true, 2, 1)) == kWorking);
    CHECK(decide(sample(true, 1, 1), sample(true, 1, 2)) == kWorking);
}

TEST_CASE("A held lock without progress is stuck") {
    CHECK(decide(sample(true, 1, 1), sample(true, 1, 1)) == kDone);
}

TEST_CASE("Progress without a lock needs another look") {
    CHECK(decide(sample(true, 1, 1), sample(false, 2, 2)) == kLookAgain);
}

TEST_CASE("Neither a lock nor progress is the end of patience") {
    CHECK(decide(sample(false, 1, 1), sample(false, 1, 1)) == kDone);
}

TEST_CASE("A lock held while sleeping on the disk is work, though no counter moves") {
    CHECK(decide(sample(true, 1, 1, 'R'), sample(true, 1, 1, 'D')) == kWorking);
    CHECK(decide(sample(false, 1, 1, 'R'), sample(false, 1, 1, 'D')) == kLookAgain);
}

TEST_CASE("Without a sample from the begin of the grace there is no more time") {
    GraceExtension extension;
    CHECK(extension.more(sample(true, 2, 2), *kWorking, *kLookAgain) == kDone);
}
