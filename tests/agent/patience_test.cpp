#include "agent/patience.hpp"

#include "tests/support/catch.hpp"

using reaper::agent::judge_overdue;
using reaper::agent::Overdue;
using reaper::scanner::Activity;

namespace {

Activity sample(bool lock, std::uint64_t io, std::uint64_t cpu, char state = 'S') {
    return {.database_write_lock = lock, .io_bytes = io, .cpu_ticks = cpu, .state = state, .wait_channel = {}};
}

}  // namespace

TEST_CASE("A held lock and progress is work") {
    CHECK(judge_overdue(sample(false, 1, 1), sample(true, 2, 1)) == Overdue::working);
    CHECK(judge_overdue(sample(true, 1, 1), sample(true, 1, 2)) == Overdue::working);
}

TEST_CASE("A held lock without progress is stuck") {
    CHECK(judge_overdue(sample(true, 1, 1), sample(true, 1, 1)) == Overdue::done);
}

TEST_CASE("Progress without a lock needs another look") {
    CHECK(judge_overdue(sample(true, 1, 1), sample(false, 2, 2)) == Overdue::look_again);
}

TEST_CASE("Neither a lock nor progress is the end of patience") {
    CHECK(judge_overdue(sample(false, 1, 1), sample(false, 1, 1)) == Overdue::done);
}

TEST_CASE("A lock held while sleeping on the disk is work, though no counter moves") {
    CHECK(judge_overdue(sample(true, 1, 1, 'R'), sample(true, 1, 1, 'D')) == Overdue::working);
    CHECK(judge_overdue(sample(false, 1, 1, 'R'), sample(false, 1, 1, 'D')) == Overdue::look_again);
}
