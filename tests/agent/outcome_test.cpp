#include "agent/outcome.hpp"

#include "tests/support/catch.hpp"

using reaper::agent::outcome_result_from;
using reaper::agent::OutcomeResult;
using reaper::agent::Signal;
using reaper::agent::to_string;

TEST_CASE("Every result has the word that the report's schema promises") {
    CHECK(to_string(OutcomeResult::ended_on_term) == "ended_on_term");
    CHECK(to_string(OutcomeResult::ended_on_kill) == "ended_on_kill");
    CHECK(to_string(OutcomeResult::already_gone) == "already_gone");
    CHECK(to_string(OutcomeResult::changed) == "changed");
    CHECK(to_string(OutcomeResult::denied) == "denied");
    CHECK(to_string(OutcomeResult::survived) == "survived");
    CHECK(to_string(OutcomeResult::unkillable) == "unkillable");
    CHECK(to_string(OutcomeResult::would_reap) == "would_reap");
    CHECK(to_string(OutcomeResult::refused) == "refused");
    CHECK(outcome_result_from("refused") == OutcomeResult::refused);
    CHECK(outcome_result_from("ended_on_term") == OutcomeResult::ended_on_term);
    CHECK_FALSE(outcome_result_from("sung"));
}

TEST_CASE("Signals are named as kill(1) names them") {
    CHECK(to_string(Signal::terminate) == "TERM");
    CHECK(to_string(Signal::resume) == "CONT");
    CHECK(to_string(Signal::kill) == "KILL");
}
