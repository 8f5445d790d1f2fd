// What the evidence says in words, where a reader could be told the opposite of what was seen.
#include <algorithm>

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Judgement;
using policy::Settings;
using policy::Verdict;
using scanner::Access;
using scanner::Claim;
using scanner::ClaimKind;
using scanner::Pid;
using scanner::Reading;

constexpr Pid kPid = 100;

std::string detail_of(const Judgement& judgement, const std::string& code) {
    const auto found = std::ranges::find(judgement.evidence, code, &policy::Evidence::code);
    return found == judgement.evidence.end() ? "" : found->detail;
}

FactsBuilder orphan() {
    return FactsBuilder().orphan_bridge(kPid);
}

}  // namespace

TEST_CASE("a dead stdin cannot be written to, and a dead stdout cannot be read") {
    const Judgement judgement = judged(orphan(), kPid);
    CHECK(detail_of(judgement, "stdin.dead") == "nothing can write to its stdin any more");
    CHECK(detail_of(judgement, "stdout.dead") == "nothing can read its stdout any more");
}

TEST_CASE("a stdio end that could not be read is not said to prove anything") {
    FactsBuilder builder = orphan();
    builder[kPid].standard_input.access = Access::denied;
    CHECK(detail_of(judged(builder, kPid), "stdin.no_evidence").empty());
    CHECK(detail_of(judged(builder, kPid), "stdin.dead").empty());
    builder = orphan();
    builder[kPid].standard_output.access = Access::denied;
    CHECK(detail_of(judged(builder, kPid), "stdout.no_evidence").empty());
    CHECK(detail_of(judged(builder, kPid), "stdout.dead").empty());
}

TEST_CASE("a reading that was not tried is told apart from one that failed") {
    FactsBuilder builder = orphan();
    builder[kPid].tracer.access = Access::not_read;
    CHECK(detail_of(judged(builder, kPid), "veto.unreadable.tracer") ==
          "whether it is traced could not be read (not looked at)");
    builder[kPid].tracer.access = Access::denied;
    CHECK(detail_of(judged(builder, kPid), "veto.unreadable.tracer") ==
          "whether it is traced could not be read (denied)");
}

TEST_CASE("a listener is named by the path of its socket, or by address and port") {
    FactsBuilder builder = orphan();
    builder[kPid].listeners.value = {{"unix", "/run/user/1000/x.sock", 0}};
    CHECK(detail_of(judged(builder, kPid), "veto.listens") ==
          "it listens on unix socket /run/user/1000/x.sock");
    builder[kPid].listeners.value = {{"tcp", "127.0.0.1", 9229}};
    CHECK(detail_of(judged(builder, kPid), "veto.listens") == "it listens on tcp 127.0.0.1:9229");
    CHECK_FALSE(has_code(judged(builder, kPid), "listens.launcher"));
}

TEST_CASE("a damaged file is told apart from one that could not be read") {
    Claim claim = claim_of(ClaimKind::desktop_lock, kHermesHome, 0);
    claim.access = Access::malformed;
    CHECK(detail_of(judged(orphan().claim(claim), kPid), "veto.unreadable.claim") ==
          kHermesHome + "/claim is empty, cut off or damaged: what it says is not known");
    claim.access = Access::denied;
    CHECK(detail_of(judged(orphan().claim(claim), kPid), "veto.unreadable.claim") ==
          kHermesHome + "/claim could not be read");
}

TEST_CASE("user ids that could not be read are not taken for those of another user") {
    Settings settings;
    settings.uids = {kUser};
    FactsBuilder builder = orphan();
    builder[kPid].uids = Reading<scanner::Uids>::failed(Access::denied);
    const Judgement judgement = judged(builder, kPid, settings);
    CHECK(vetoes_of(judgement) == std::vector<std::string>{"veto.unreadable.uids"});
    CHECK(judgement.verdict == Verdict::unknown);
}

}  // namespace reaper::test
