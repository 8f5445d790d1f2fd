// The sentence that a report gives for a judgement: which of its evidence, and in what order.
#include "policy/verdict/reason.hpp"

#include "policy/verdict/respawn_veto.hpp"
#include "tests/support/catch.hpp"

namespace reaper::test {

namespace {

using policy::Action;
using policy::Evidence;
using policy::Judgement;
using policy::Verdict;
using policy::Weight;
using policy::why;

Judgement judged_as(Verdict verdict, Action action, std::vector<Evidence> evidence) {
    Judgement judgement;
    judgement.verdict = verdict;
    judgement.action = action;
    judgement.evidence = std::move(evidence);
    return judgement;
}

Evidence piece(Weight weight, const std::string& detail) {
    return {"some.code", weight, detail};
}

const Evidence kProof = piece(Weight::for_kill, "it is leaked");
const Evidence kVeto = piece(Weight::veto, "it listens");
const Evidence kAgainst = piece(Weight::against, "it is talked to");
const Evidence kNote = piece(Weight::note, "it is large");

}  // namespace

TEST_CASE("what is to be ended is explained by its proofs, three of them at most") {
    const auto reaped = [](std::vector<Evidence> evidence) {
        return why(judged_as(Verdict::orphan, Action::reap, std::move(evidence)));
    };
    CHECK(reaped({kNote, kAgainst, kProof}) == "it is leaked");
    CHECK(reaped({piece(Weight::for_kill, "one"), kAgainst, piece(Weight::for_kill, "two"),
                  piece(Weight::for_kill, "three"), piece(Weight::for_kill, "four")}) ==
          "one; two; three");
    CHECK(reaped({kNote, kAgainst}) == "it is talked to");
    CHECK(reaped({kNote}) == "it is large");
    CHECK(reaped({kVeto}) == "no evidence was recorded");
}

TEST_CASE("what stays is explained by what keeps it, and by nothing that speaks for its end") {
    const auto kept = [](std::vector<Evidence> evidence) {
        return why(judged_as(Verdict::attached, Action::keep, std::move(evidence)));
    };
    CHECK(kept({kProof, kNote, kAgainst, kVeto}) == "it listens");
    CHECK(kept({piece(Weight::veto, "one"), piece(Weight::veto, "two"),
                piece(Weight::veto, "three")}) == "one; two");
    CHECK(kept({kProof, kNote, kAgainst}) == "it is talked to");
    CHECK(kept({kProof, kNote}) == "it is large");
    CHECK(kept({kProof}) == "no evidence was recorded");
    CHECK(kept({}) == "no evidence was recorded");
}

TEST_CASE("what is reported is explained by what forbids its end, then by what proves the leak") {
    const auto reported = [](std::vector<Evidence> evidence) {
        return why(judged_as(Verdict::orphan, Action::report, std::move(evidence)));
    };
    CHECK(reported({kProof, kNote, kAgainst, kVeto}) == "it listens");
    CHECK(reported({kProof, kNote, kAgainst}) == "it is talked to");
    CHECK(reported({kNote, kProof, piece(Weight::for_kill, "two"),
                    piece(Weight::for_kill, "three")}) == "it is leaked; two");
    CHECK(reported({kNote}) == "it is large");
}

TEST_CASE("an unknown verdict shows what speaks for a leak, even if the process is kept") {
    CHECK(why(judged_as(Verdict::unknown, Action::keep, {kNote, kProof})) == "it is leaked");
    CHECK(why(judged_as(Verdict::unknown, Action::report, {kNote, kProof})) == "it is leaked");
}

TEST_CASE("a deleted database and a restart that was seen are told after every other reason") {
    const Evidence database{"database.deleted", Weight::note, "it writes to a deleted file"};
    const Evidence restart{std::string(policy::kRespawnNote), Weight::note, "it came back"};
    CHECK(why(judged_as(Verdict::attached, Action::keep, {database, kVeto})) ==
          "it listens; it writes to a deleted file");
    CHECK(why(judged_as(Verdict::superseded, Action::reap, {kProof, restart, kNote})) ==
          "it is leaked; it came back");
}

TEST_CASE("a reason is printable and short, whatever the process has in its names") {
    const auto told = [](const std::string& detail) {
        return why(judged_as(Verdict::orphan, Action::reap, {piece(Weight::for_kill, detail)}));
    };
    CHECK(told("a\x1b[2J") == "a\\x1b[2J");
    CHECK(told(std::string(1000, 'x')).size() <= 203);
}

}  // namespace reaper::test
