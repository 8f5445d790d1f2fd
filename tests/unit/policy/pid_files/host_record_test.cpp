// Records of the one gateway and the one server of a user.
#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"
#include "tests/unit/policy/pid_files/judged_file.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

ProcessRow gateway() {
    return row(kPid, 1, "/usr/bin/python3.11",
               {"python3", "-m", "hermes_cli.main", "gateway", "run"});
}

// Names a process that started an hour ago, when the record says.
ClaimFile record_of(const ProcessRow& named, LockState lock,
                    const std::string& name = "host-gateway.json") {
    ClaimFile file = file_of(ClaimKind::host_record, named);
    file.name = name;
    file.text =
        R"({"role":"gateway","pid":77,"createTime":1,"protocolVersion":1,"profiles":["a","b"]})";
    file.lock = {lock, lock == LockState::held ? kPid : 0};
    file.claims.front().start_epoch = kNowEpoch - 3600;
    return file;
}

ClaimFile started_at(ClaimFile file, std::optional<double> epoch) {
    file.claims.front().start_epoch = epoch;
    return file;
}

const ProcessRow kSleeper = row(kPid, 1, "/usr/bin/sleep", {"sleep", "1000"});
constexpr double kOther = kNowEpoch - 3700;

}  // namespace

TEST_CASE("a host record whose process started when it says is live, whatever runs there") {
    for (const LockState lock : {LockState::absent, LockState::free, LockState::held}) {
        const std::string code = lock == LockState::held ? "lock.held" : "pid.lives";
        for (const ProcessRow& any : {gateway(), kSleeper}) {
            ClaimFile file = record_of(any, lock);
            file.claims.front().written_epoch = kNowEpoch - 7200;  // no other time counts
            check_kept(file, FileState::live, code);
            check_kept(started_at(file, kNowEpoch - 3601.5), FileState::live, code);
        }
    }
    const std::string reason = judged_file(record_of(gateway(), LockState::held)).reason;
    CHECK(reason == "pid 77 is alive, and started when the file says, and serves 2 profiles");
}

TEST_CASE("a host record is stale when its lock is free and its process gone or another") {
    const auto free = [](const ProcessRow& any) { return record_of(any, LockState::free); };
    check_stale(without_process(free(gateway())), "pid.gone");
    check_stale(started_at(free(kSleeper), kOther), "pid.reused");
    check_stale(started_at(free(gateway()), kOther), "pid.contradicts");
    CHECK(judged_file(started_at(free(gateway()), kOther))
              .reason.ends_with("no process holds host-gateway.lock, so no owner of it runs"));
    check_stale(without_process(record_of(gateway(), LockState::absent)), "pid.gone");
    check_stale(started_at(record_of(kSleeper, LockState::absent), kOther), "pid.reused");
}

TEST_CASE("a host record stays where it may have an owner") {
    for (const auto& owner : {std::optional<double>(kOther), std::optional<double>()}) {
        for (const ProcessRow& any : {gateway(), kSleeper})
            check_kept(started_at(record_of(any, LockState::held), owner),
                       !owner && any == gateway() ? FileState::live : FileState::locked,
                       "lock.held");
    }
    check_kept(without_process(record_of(gateway(), LockState::held)), FileState::locked,
               "lock.held");
    check_kept(without_process(record_of(gateway(), LockState::unknown)), FileState::foreign,
               "lock.unreadable");
    // The clock may have been stepped, and only a lock that its writer always takes says otherwise.
    check_kept(started_at(record_of(gateway(), LockState::absent), kOther), FileState::foreign,
               "pid.contradicts");
    check_kept(started_at(record_of(gateway(), LockState::free, "host-desktop-serve.json"), kOther),
               FileState::foreign, "pid.contradicts");
    // Without a start, the process may be the writer.
    check_kept(started_at(record_of(kSleeper, LockState::free), std::nullopt), FileState::foreign,
               "pid.other_program");
    ClaimFile hidden = started_at(record_of(gateway(), LockState::free), kOther);
    hidden.claims.front().named.access = Access::denied;
    check_kept(hidden, FileState::foreign, "pid.unreadable");
    check_kept(saying(record_of(gateway(), LockState::free), ""), FileState::malformed,
               "file.malformed");
    ClaimFile of_root = without_process(record_of(gateway(), LockState::free));
    of_root.stamp.owner = 0;
    check_kept(of_root, FileState::stale, "pid.gone");
}

TEST_CASE("in a container a host record's lock may be held where it is not seen") {
    Machine inside = machine();
    inside.pid_namespace = 4026532177;
    const FileJudgement judgement =
        judged_file(without_process(record_of(gateway(), LockState::free)), inside);
    CHECK(judgement.remove);  // its lock is tried before that
    CHECK(judgement.evidence.back().code == "lock.unseen");
    ClaimFile lock = file_of(ClaimKind::host_lock, gateway());
    lock.name = "host-gateway.lock";
    lock.lock = {LockState::free, 0};
    CHECK(judged_file(lock, inside).state == FileState::foreign);
}

TEST_CASE("a host's lock is never removed") {
    ClaimFile file = saying(file_of(ClaimKind::host_lock, gateway()), "");
    file.name = "host-serve.lock";
    file.lock = {LockState::held, kPid};
    check_kept(file, FileState::locked, "lock.held");
    CHECK(judged_file(file).reason == "pid 77 holds host-serve.lock");
    file.lock = {LockState::free, 0};
    check_kept(file, FileState::stale, "lock.free");
    file.lock = {LockState::unknown, 0};
    check_kept(file, FileState::foreign, "lock.unreadable");
}

}  // namespace reaper::test
