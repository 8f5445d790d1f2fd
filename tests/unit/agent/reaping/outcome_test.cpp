#include "agent/reaping/outcome.hpp"

#include "tests/support/catch.hpp"

using namespace std::chrono_literals;
using reaper::agent::describe;
using reaper::agent::Outcome;
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

TEST_CASE("An outcome is told in words, with the time that it took") {
    Outcome outcome;
    outcome.took = 41ms;
    outcome.result = OutcomeResult::ended_on_term;
    CHECK(describe(outcome) == "ended on TERM after 41 ms");
    outcome.result = OutcomeResult::already_gone;
    CHECK(describe(outcome) == "had already exited by itself");
}

TEST_CASE("An outcome says why, and whether the process came back") {
    Outcome outcome;
    outcome.result = OutcomeResult::changed;
    outcome.detail = "it listens\nnow";
    CHECK(describe(outcome) == "left alone: it changed between two looks (it listens\\x0anow)");
    outcome.respawned_as = 8;
    CHECK(describe(outcome) ==
          "left alone: it changed between two looks (it listens\\x0anow); CAME BACK as pid 8");
}

TEST_CASE("A refusal after TERM is told apart from one before any signal") {
    Outcome outcome;
    outcome.took = 41ms;
    CHECK(describe(outcome) == "NOT ended: refused, nothing was sent");
    outcome.signals = {Signal::terminate};
    CHECK(describe(outcome) == "NOT ended: still ending after 41 ms, KILL was not sent");
}
