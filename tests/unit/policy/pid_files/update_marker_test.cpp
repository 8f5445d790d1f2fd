// The marker of an update: stale when its updater is provably dead, or old where that cannot be
// seen.
#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"
#include "tests/unit/policy/pid_files/judged_file.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

constexpr double kYoung = 1199;
constexpr double kOld = 1201;

ClaimFile marker(double age) {
    ClaimFile file =
        file_of(ClaimKind::update_marker, row(kPid, 1, "/usr/bin/sleep", {"sleep", "1000"}));
    file.claims.front().written_epoch = kNowEpoch - age;
    return file;
}

Machine container() {
    Machine inside = machine();
    inside.pid_namespace = 4026532177;
    return inside;
}

ProcessRow updater() {
    return row(4711, 1, "/usr/bin/python3.11", {"python3", "-m", "hermes_cli.main", "update"});
}

}  // namespace

TEST_CASE("a marker whose updater is dead is stale at any age") {
    for (const double age : {1.0, kYoung, kOld, -kOld}) {
        check_stale(without_process(marker(age)), "pid.gone");
        ClaimFile zombie = marker(age);
        zombie.claims.front().named.value.state = 'Z';
        zombie.named_exited = true;
        check_stale(zombie, "pid.gone");
    }
}

TEST_CASE("a marker whose pid lives is kept at any age") {
    for (const double age : {1.0, kYoung, kOld, 1e6, -kOld}) {
        const FileJudgement judgement = judged_file(marker(age));
        INFO(age << ": " << judgement.reason);
        CHECK_FALSE(judgement.remove);
        CHECK(judgement.state != FileState::stale);
        ClaimFile hidden = marker(age);
        hidden.claims.front().named.access = Access::denied;
        check_kept(hidden, FileState::live, "update.running");
    }
    check_kept(marker(kYoung), FileState::live, "update.running");
    check_kept(marker(7200), FileState::foreign, "pid.contradicts");  // it runs for an hour
}

TEST_CASE("where its pid cannot be seen, a marker is stale after twenty minutes") {
    Machine hiding = machine();
    hiding.hides_processes = true;
    for (const Machine& where : {container(), hiding}) {
        CHECK(judged_file(without_process(marker(kYoung)), where).state == FileState::live);
        const FileJudgement old = judged_file(without_process(marker(kOld)), where);
        CHECK(old.remove);
        CHECK_FALSE(old.unread);
        CHECK(old.reason.ends_with("and it is older than 20 minutes"));
        CHECK_FALSE(judged_file(marker(kOld), where).remove);  // somebody has it
    }
}

TEST_CASE("a marker that names a process of a container") {
    const auto in_container = [](double age, ProcessRow there) {
        ClaimFile file = without_process(marker(age));
        file.nested_matches = {{kPid, std::move(there)}};
        return file;
    };
    check_kept(in_container(kYoung, bridge()), FileState::foreign, "pid.other_namespace");
    check_stale(in_container(kOld, bridge()), "pid.other_namespace");
    check_kept(in_container(kOld, updater()), FileState::foreign, "pid.other_namespace");
}

TEST_CASE("a malformed marker is stale after twenty minutes, unless it may name a process") {
    const auto malformed = [](double age) { return saying(marker(age), "x"); };
    check_kept(malformed(kYoung), FileState::malformed, "file.malformed");
    check_stale(malformed(kOld), "file.malformed");
    ClaimFile cut_off = saying(marker(kOld), "77");
    cut_off.claims.front().pid = kPid;
    cut_off.claims.front().named = marker(kOld).claims.front().named;
    check_kept(cut_off, FileState::malformed, "file.malformed");
    cut_off.claims.front().named.access = Access::denied;
    check_kept(cut_off, FileState::malformed, "file.malformed");
    cut_off.claims.front().named.access = Access::gone;
    check_stale(cut_off, "file.malformed");
    ClaimFile planted = marker(kOld);
    planted.stamp.form = FileForm::link;
    planted.claims.front().access = Access::denied;
    check_kept(planted, FileState::foreign, "file.form");
}

TEST_CASE("a malformed marker does not keep itself, but all else, and others keep it") {
    const std::vector<ClaimFile> files = {
        saying(marker(kOld), "x"), without_process(file_of(ClaimKind::bridge_pid, bridge()))};
    std::vector<Claim> markers = {files[0].claims.front()};
    markers[0].path = files[0].path;
    auto judgements = policy::judge_files(files, markers, machine(), all_rules());
    CHECK(judgements[0].remove);
    markers.push_back(marker(1).claims.front());
    markers.back().path = "/home/u/.hermes/profiles/x/.hermes-update-in-progress";
    judgements = policy::judge_files(files, markers, machine(), all_rules());
    CHECK(judgements[0].paused);
    CHECK_FALSE(judgements[0].remove);
    CHECK_FALSE(judgements[1].remove);
}

}  // namespace reaper::test
