#include "tests/support/catch.hpp"
#include "tests/support/facts_builder.hpp"
#include "tests/unit/policy/pid_files/judged_file.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

const scanner::SharedMount kNfs = {"nfs4", "/home", true};

ProcessRow gateway() {
    return row(kPid, 1, "/usr/bin/python3.11",
               {"python3", "-m", "hermes_cli.main", "gateway", "run"});
}

ClaimFile bridge_file() {
    return file_of(ClaimKind::bridge_pid, bridge());
}

ClaimFile gateway_file(LockState lock) {
    ClaimFile file = file_of(ClaimKind::gateway_pid, gateway());
    file.text = R"({"pid":77,"hermes_home":")" + kHermesHome + R"("})";
    file.lock = {lock, lock == LockState::held ? kPid : 0};
    return file;
}

}  // namespace

TEST_CASE("a pid file whose process lives is live") {
    for (const ClaimKind kind :
         {ClaimKind::bridge_pid, ClaimKind::bridge_stdio_pid, ClaimKind::headless_registry})
        check_kept(file_of(kind, bridge()), FileState::live, "pid.lives");
    check_kept(gateway_file(LockState::absent), FileState::live, "pid.lives");
    check_kept(gateway_file(LockState::free), FileState::live,
               "pid.lives");  // an old release, that knew no lock
    check_kept(gateway_file(LockState::held), FileState::live, "lock.held");
}

TEST_CASE("a pid that no process has is stale") {
    for (const ClaimKind kind :
         {ClaimKind::bridge_pid, ClaimKind::bridge_stdio_pid, ClaimKind::headless_registry})
        check_stale(without_process(file_of(kind, bridge())), "pid.gone");
    check_stale(without_process(gateway_file(LockState::free)), "pid.gone");
    check_stale(without_process(gateway_file(LockState::absent)), "pid.gone");
}

TEST_CASE("a process that has ended is gone, although it was not collected") {
    ClaimFile file = bridge_file();
    file.claims.front().named.value.state = 'Z';
    file.claims.front().named.value.exe = Reading<std::string>::failed(Access::gone);
    check_kept(file, FileState::foreign, "pid.unreadable");  // only its main thread may have ended
    file.named_exited = true;
    check_stale(file, "pid.gone");
}

TEST_CASE("where processes are hidden, a pid that no process seems to have proves nothing") {
    Machine hiding = machine();
    hiding.hides_processes = true;
    const FileJudgement judgement = judged_file(without_process(bridge_file()), hiding);
    CHECK(judgement.state == FileState::foreign);
    CHECK(judgement.unread);
    CHECK_FALSE(judgement.remove);
}

TEST_CASE(
    "a program that no rule knows, and that had the pid when the file was written, may be its "
    "writer") {
    for (const ClaimFile& live :
         {bridge_file(), gateway_file(LockState::free), gateway_file(LockState::absent)}) {
        ClaimFile file = live;
        file.claims.front().named.value = row(kPid, 1, "/usr/bin/sleep", {"sleep", "1000"});
        if (file.lock.state == LockState::free)
            check_stale(file, "pid.other_program");  // its writer would hold the lock
        else
            check_kept(file, FileState::foreign, "pid.other_program");
        file.claims.front().named.value = row(kPid, 2, "", {});
        file.claims.front().named.value.exe = Reading<std::string>::failed(Access::gone);
        file.claims.front().named.value.kernel_thread = true;
        check_stale(file, "pid.reused");
    }
}

TEST_CASE("a start that matches exactly is the process itself, whatever runs there") {
    const ProcessRow others[] = {
        row(kPid, 1, "/usr/bin/sleep", {"sleep", "1000"}),
        row(kPid, 1, "/usr/bin/node", {"node", "/x/whatsapp-bridge/bridge.js"}),
        row(kPid, 1, "/opt/hermes-gateway", {})};
    for (const LockState lock : {LockState::absent, LockState::free, LockState::held}) {
        for (const ProcessRow& other : others) {
            ClaimFile file = gateway_file(lock);
            Claim& claim = file.claims.front();
            claim.named.value = other;
            claim.start_ticks = other.start_ticks;
            claim.written_epoch = kNowEpoch - 7200;  // no other time counts
            check_kept(file, FileState::live, lock == LockState::held ? "lock.held" : "pid.lives");
            claim.start_ticks = other.start_ticks + 1;
            CHECK(judged_file(file).state != FileState::live);
        }
    }
    ClaimFile file = file_of(ClaimKind::headless_registry, others[0]);
    file.claims.front().start_ticks = others[0].start_ticks;
    check_kept(file, FileState::live, "pid.lives");
}

TEST_CASE("a re-used pid: its process started after the file was written") {
    for (const ClaimFile& live :
         {bridge_file(), gateway_file(LockState::free), gateway_file(LockState::absent)}) {
        ClaimFile file = live;
        file.claims.front().named.value = row(kPid, 1, "/usr/bin/sleep", {"sleep", "1000"});
        file.claims.front().written_epoch = kNowEpoch - 3603;  // its process is an hour old
        check_stale(file, "pid.reused");
        file.claims.front().written_epoch = kNowEpoch - 3601;  // clocks are stepped and rounded
        CHECK(judged_file(file).evidence.front().code == "pid.other_program");
    }
}

TEST_CASE(
    "a clock that was stepped takes no file from a process that runs the right program, or may") {
    const auto older = [](ClaimFile file) {
        file.claims.front().written_epoch = kNowEpoch - 7200;
        return file;
    };
    for (const ClaimKind kind :
         {ClaimKind::bridge_pid, ClaimKind::bridge_stdio_pid, ClaimKind::headless_registry})
        check_kept(older(file_of(kind, bridge())), FileState::foreign, "pid.contradicts");
    check_kept(older(gateway_file(LockState::absent)), FileState::foreign, "pid.contradicts");
    check_stale(older(gateway_file(LockState::free)), "pid.contradicts");  // free decides
    ClaimFile hidden = older(bridge_file());
    hidden.claims.front().named.value.exe.access = Access::denied;
    check_kept(hidden, FileState::foreign, "pid.unreadable");
}

TEST_CASE("recorded ticks are exact: no other time counts") {
    ClaimFile file = gateway_file(LockState::free);
    file.claims.front().start_ticks = kNow - kHour;
    file.claims.front().written_epoch = kNowEpoch - 7200;
    check_kept(file, FileState::live, "pid.lives");
    file.claims.front().start_ticks = kNow - kHour - 1;
    check_stale(file, "pid.contradicts");
}

TEST_CASE("a recorded start, in ticks, in hundredths of a second, or none") {
    ClaimFile file = gateway_file(LockState::free);
    Claim& claim = file.claims.front();
    claim.start_ticks = kNow - kHour;
    check_kept(file, FileState::live, "pid.lives");
    claim.start_ticks = kNow - kHour - 1;
    check_stale(file, "pid.contradicts");  // free decides
    file.lock.state = LockState::absent;
    check_kept(file, FileState::foreign, "pid.contradicts");
    claim.start_ticks.reset();
    claim.start_epoch = kNowEpoch - 3600.5;
    check_kept(file, FileState::live, "pid.lives");
    claim.start_epoch = kNowEpoch - 3700;
    check_kept(file, FileState::foreign, "pid.contradicts");
    claim.named.value = row(kPid, 1, "/usr/bin/sleep", {"sleep"});
    check_stale(file, "pid.reused");
}

TEST_CASE("a process that does not show what it runs keeps its file") {
    const auto hide = [](void (*change)(ProcessRow& row)) {
        ClaimFile file = bridge_file();
        change(file.claims.front().named.value);
        const FileJudgement judgement = judged_file(file);
        CHECK(judgement.unread);
        check_kept(file, FileState::foreign, "pid.unreadable");
    };
    hide([](ProcessRow& row) { row.exe.access = Access::denied; });
    hide([](ProcessRow& row) { row.command_line.access = Access::denied; });
    hide([](ProcessRow& row) { row.command_line.value.argv.clear(); });
    hide([](ProcessRow& row) { row.command_line.value.truncated = true; });
    ClaimFile file = bridge_file();
    file.claims.front().named.access = Access::denied;
    check_kept(file, FileState::foreign, "pid.unreadable");
}

TEST_CASE("a bridge below a wrapper, or by an interpreter that no rule knows, is one") {
    ClaimFile file = bridge_file();
    file.claims.front().named.value =
        row(kPid, 1, "/opt/deno", {"deno", "run", "/x/dist/bridge.cjs"});
    check_kept(file, FileState::live, "pid.lives");
    file = gateway_file(LockState::absent);
    file.claims.front().named.value =
        row(kPid, 1, "/opt/graalpy", {"graalpy", "-m", "hermes_cli.main", "gateway"});
    check_kept(file, FileState::live, "pid.lives");
}

TEST_CASE("families that are switched off are still known by their programs") {
    policy::Rules rules = all_rules();
    for (policy::FamilyRule& rule : rules.families) rule.enabled = false;
    CHECK(policy::judge_file(bridge_file(), machine(), rules).state == FileState::live);
    CHECK(policy::judge_file(gateway_file(LockState::free), machine(), rules).state ==
          FileState::live);
}

TEST_CASE("WhatsApp's file of the same name is never ours") {
    ClaimFile file = bridge_file();
    file.claims.front().named.value =
        row(kPid, 1, "/usr/bin/node", {"node", "/x/whatsapp-bridge/bridge.js", "--port", "3000"});
    check_kept(file, FileState::foreign, "pid.whatsapp");
    check_kept(saying(bridge_file(), "77\n4711\n"), FileState::foreign, "file.whatsapp");
    check_kept(without_process(file_of(ClaimKind::whatsapp_bridge_pid, bridge())),
               FileState::foreign, "file.whatsapp");
    check_kept(without_process(file_of(ClaimKind::openclaw_lock, bridge())), FileState::foreign,
               "file.openclaw");
}

TEST_CASE("a process with that pid in a container may be meant, if it runs a bridge") {
    for (const ClaimKind kind :
         {ClaimKind::bridge_pid, ClaimKind::bridge_stdio_pid, ClaimKind::headless_registry}) {
        ClaimFile gone = without_process(file_of(kind, bridge()));
        ClaimFile reused = file_of(kind, row(kPid, 1, "/usr/bin/sleep", {"sleep", "1000"}));
        reused.claims.front().written_epoch = kNowEpoch - 7200;
        for (ClaimFile file : {gone, reused}) {
            ProcessRow there = bridge();
            there.pid = 4711;
            file.nested_matches = {{kPid, there}};
            check_kept(file, FileState::foreign, "pid.other_namespace");
            file.nested_matches.front().row.exe.access = Access::denied;  // another user's
            check_kept(file, FileState::foreign, "pid.other_namespace");
            file.nested_matches.front().number = kPid + 1;
            CHECK(judged_file(file).remove);
            file.nested_matches = {{kPid, row(4711, 1, "/usr/sbin/nginx", {"nginx"})}};
            CHECK(judged_file(file).remove);
        }
    }
    ClaimFile live = bridge_file();
    live.nested_matches = {{kPid, bridge()}};
    check_kept(live, FileState::live, "pid.lives");
}

TEST_CASE("an empty or garbled file is malformed, and stays") {
    for (const char* text : {"", "garbage", "-5", "{\"pid\":"}) {
        check_kept(saying(bridge_file(), text), FileState::malformed, "file.malformed");
        check_kept(saying(gateway_file(LockState::absent), text), FileState::malformed,
                   "file.malformed");
    }
}

TEST_CASE("the lock of the gateway decides: held means never touch") {
    check_kept(without_process(gateway_file(LockState::held)), FileState::locked, "lock.held");
    check_kept(saying(gateway_file(LockState::held), ""), FileState::locked, "lock.held");
    ClaimFile file = gateway_file(LockState::held);
    file.claims.front().named.value = row(kPid, 1, "/usr/bin/sleep", {"sleep"});
    check_kept(file, FileState::locked, "lock.held");
    file = without_process(gateway_file(LockState::unknown));
    check_kept(file, FileState::foreign, "lock.unreadable");
    CHECK(judged_file(file).unread);
    file.lock.why = "cannot read it";
    CHECK(judged_file(file).reason ==
          "whether gateway.lock is held could not be found out: cannot read it");
}

TEST_CASE(
    "the lock of the gateway decides: free means stale, unless the file may still be being "
    "written") {
    ClaimFile file = saying(gateway_file(LockState::free), "");
    check_kept(file, FileState::malformed, "file.malformed");
    CHECK(judged_file(file).young);
    CHECK_FALSE(judged_file(saying(gateway_file(LockState::held), "")).young);
    CHECK_FALSE(judged_file(saying(gateway_file(LockState::absent), "")).young);
    file.stamp.written_s -= 59;
    check_kept(file, FileState::malformed, "file.malformed");
    file.stamp.written_s -= 2;
    check_stale(file, "file.malformed");
    CHECK_FALSE(judged_file(file).young);
    file.stamp.written_s += 61 + 59;
    check_kept(file, FileState::malformed, "file.malformed");
    file.stamp.written_s += 2;  // of the future: the clock was stepped
    check_stale(file, "file.malformed");
    file = saying(gateway_file(LockState::free), "garbage");
    file.stamp.written_s -= 61;
    check_stale(file, "file.malformed");
}

TEST_CASE("a record of another home") {
    ClaimFile file = gateway_file(LockState::free);
    file.text = R"({"pid":77,"hermes_home":"/home/u/.hermes/profiles/x"})";
    check_kept(file, FileState::foreign, "file.other_home");
    check_stale(without_process(file), "pid.gone");
    file.text = R"({"pid":77})";
    check_kept(file, FileState::live, "pid.lives");
}

TEST_CASE("what was left aside is put back only where it is live") {
    const auto aside = [](ClaimFile file) {
        file.name += ".taken-aside.7";
        return file;
    };
    const auto belongs_back = [](const ClaimFile& file) {
        const FileJudgement judgement = judged_file(file);
        CHECK_FALSE((judgement.put_back && judgement.remove));
        return judgement.put_back;
    };
    CHECK_FALSE(belongs_back(bridge_file()));
    CHECK(belongs_back(aside(bridge_file())));
    CHECK(judged_file(aside(bridge_file())).reason ==
          "pid 77 is a bridge that is alive; an interrupted run renamed it");
    for (const char* text : {"", "garbage"}) {
        CHECK_FALSE(belongs_back(aside(saying(bridge_file(), text))));
        CHECK_FALSE(belongs_back(aside(saying(gateway_file(LockState::absent), text))));
    }
    CHECK_FALSE(belongs_back(aside(without_process(gateway_file(LockState::unknown)))));
    CHECK(belongs_back(aside(gateway_file(LockState::held))));
    CHECK_FALSE(belongs_back(aside(without_process(gateway_file(LockState::held)))));
    CHECK_FALSE(belongs_back(aside(without_process(bridge_file()))));
    CHECK(judged_file(aside(without_process(bridge_file()))).remove);
    ClaimFile foreign = aside(bridge_file());
    foreign.stamp.owner = 0;
    CHECK_FALSE(belongs_back(foreign));
    ClaimFile denied = aside(bridge_file());
    denied.claims.front().access = Access::denied;
    CHECK_FALSE(belongs_back(denied));
}

TEST_CASE("gateway.lock is never removed") {
    ClaimFile file = file_of(ClaimKind::gateway_lock, gateway());
    file.lock = {LockState::held, kPid};
    check_kept(file, FileState::locked, "lock.held");
    file.lock = {LockState::free, 0};
    check_kept(without_process(file), FileState::stale, "lock.free");
    file.lock = {LockState::unknown, 0};
    check_kept(file, FileState::foreign, "lock.unreadable");
}

TEST_CASE(
    "a lock that no process in a container holds may be held outside: that cannot be told from in "
    "there") {
    ClaimFile lock = without_process(file_of(ClaimKind::gateway_lock, gateway()));
    lock.lock = {LockState::free, 0};
    Machine inside = machine();
    inside.pid_namespace = 4026532177;
    const FileJudgement judgement = judged_file(lock, inside);
    CHECK(judgement.state == FileState::foreign);
    CHECK_FALSE(judgement.unread);
    CHECK(judgement.reason.find("whether one outside of it does is not known") !=
          std::string::npos);
    ClaimFile stale = saying(gateway_file(LockState::free), "");
    stale.stamp.written_s -= 3600;
    REQUIRE(judged_file(stale).reason.ends_with("so no gateway runs"));
    const FileJudgement unseen = judged_file(stale, inside);
    CHECK(unseen.remove);  // the lock is tried before that
    CHECK(
        unseen.reason.ends_with("no process in this container holds gateway.lock, and the lock is "
                                "tried before the file is removed"));
    CHECK(unseen.evidence.back().code == "lock.unseen");
    CHECK(unseen.evidence.back().weight == policy::Weight::note);
}

TEST_CASE(
    "where another machine may have written it, that no process here has the pid proves nothing") {
    for (const ClaimKind kind :
         {ClaimKind::bridge_pid, ClaimKind::bridge_stdio_pid, ClaimKind::headless_registry}) {
        INFO(policy::kind_word(kind));
        ClaimFile gone = without_process(file_of(kind, bridge()));
        ClaimFile reused = file_of(kind, row(kPid, 1, "/usr/bin/sleep", {"sleep", "1000"}));
        reused.claims.front().written_epoch = kNowEpoch - 7200;
        ClaimFile exited = file_of(kind, bridge());
        exited.named_exited = true;
        for (ClaimFile file : {gone, reused, exited}) {
            CHECK(judged_file(file).remove);
            file.shared_mount = kNfs;
            check_kept(file, FileState::foreign, "pid.other_machine");
            CHECK_FALSE(judged_file(file).unread);
            CHECK(judged_file(file).reason.ends_with(
                "here, but the file lies on /home (nfs4), where a process of another machine may "
                "have written it"));
        }
    }
    ClaimFile live = bridge_file();
    live.shared_mount = kNfs;
    check_kept(live, FileState::live, "pid.lives");
}

TEST_CASE("a gateway's lock decides on a shared file system, where that shares locks") {
    ClaimFile file = without_process(gateway_file(LockState::free));
    file.shared_mount = kNfs;
    check_stale(file, "pid.other_machine");
    CHECK(judged_file(file).reason.ends_with(
        "no process on this machine holds gateway.lock, and the lock is tried before the file is "
        "removed"));
    CHECK(judged_file(file).evidence.back().code == "lock.unseen");
    file.shared_mount->shares_locks = false;
    check_kept(file, FileState::foreign, "pid.other_machine");
    ClaimFile empty = saying(file, "");
    empty.stamp.written_s -= 3600;
    check_kept(empty, FileState::malformed, "file.malformed");
    ClaimFile without_lock = without_process(gateway_file(LockState::absent));
    without_lock.shared_mount = kNfs;
    check_kept(without_lock, FileState::foreign, "pid.other_machine");
    ClaimFile lock = without_process(file_of(ClaimKind::gateway_lock, gateway()));
    lock.lock = {LockState::free, 0};
    lock.shared_mount = kNfs;
    check_kept(lock, FileState::foreign, "lock.unseen");
}

TEST_CASE("records that others read or clean up are never removed") {
    for (const ClaimKind kind :
         {ClaimKind::desktop_lock, ClaimKind::ledger, ClaimKind::process_registry,
          ClaimKind::gateway_scope_lock, ClaimKind::viewer_lock}) {
        INFO(policy::kind_word(kind));
        check_kept(without_process(file_of(kind, gateway())), FileState::stale, "pid.gone");
    }
}

TEST_CASE("a registry is stale when all that it names are gone") {
    ClaimFile file = without_process(file_of(ClaimKind::headless_registry, bridge()));
    file.claims.push_back(file.claims.front());
    check_stale(file, "pid.gone");
    file.claims.push_back(file_of(ClaimKind::headless_registry, bridge()).claims.front());
    check_kept(file, FileState::live, "pid.lives");
    file.claims.back().named.access = Access::denied;
    check_kept(file, FileState::foreign, "pid.unreadable");
    file.claims.back().access = Access::malformed;
    check_kept(file, FileState::malformed, "file.malformed");
    file.claims.clear();
    check_stale(file, "file.names_nobody");
}

TEST_CASE("what was planted is foreign, what could not be read is unread") {
    ClaimFile file = without_process(bridge_file());
    file.claims.front().access = Access::denied;
    for (const FileForm form :
         {FileForm::link, FileForm::folder, FileForm::fifo, FileForm::socket, FileForm::device}) {
        file.stamp.form = form;
        check_kept(file, FileState::foreign, "file.form");
        CHECK_FALSE(judged_file(file).unread);
    }
    file.stamp.form = FileForm::regular;
    check_kept(file, FileState::foreign, "file.unreadable");
    CHECK(judged_file(file).unread);
    file.stamp.links = 2;
    check_kept(file, FileState::foreign, "file.links");
    file.stamp.links = 1;
    file.stamp.owner = kUser + 1;
    check_kept(file, FileState::foreign, "file.owner");
    file.found = false;
    check_kept(file, FileState::foreign, "file.unreadable");
    CHECK(judged_file(file).unread);
}

TEST_CASE("a file of root in a user's home is told, and not removed for the user") {
    ClaimFile file = without_process(bridge_file());
    file.stamp.owner = 0;
    check_kept(file, FileState::stale, "pid.gone");
}

TEST_CASE("an update that runs pauses every removal of its user, and of no other") {
    ClaimFile marker =
        file_of(ClaimKind::update_marker, row(kPid, 1, "/usr/bin/python3", {"hermes", "update"}));
    ClaimFile stale = without_process(bridge_file());
    ClaimFile of_other = stale;
    of_other.scope = of_other.stamp.owner = kUser + 1;
    const std::vector<ClaimFile> files = {marker, stale, of_other, bridge_file()};
    const auto judged_under = [&](const Claim& claim) {
        const std::vector<Claim> markers = {claim};
        auto judgements = policy::judge_files(files, markers, machine(), all_rules());
        REQUIRE(judgements.size() == 4);
        CHECK(judgements[2].remove);
        CHECK_FALSE(judgements[3].paused);
        CHECK(judgements[1].state == FileState::stale);
        CHECK(judgements[1].remove != judgements[1].paused);
        return judgements[1].paused;
    };
    Claim claim = marker.claims.front();
    CHECK(judged_file(marker).state == FileState::live);
    CHECK(judged_under(claim));
    claim.scope = kUser + 2;
    CHECK_FALSE(judged_under(claim));
    claim = without_process(marker).claims.front();
    CHECK(judged_file(without_process(marker)).state == FileState::stale);
    CHECK_FALSE(judged_under(claim));
    for (const Access access : {Access::denied, Access::malformed}) {  // it may well be running
        claim.access = access;
        claim.written_epoch = kNowEpoch - 7200;
        CHECK(judged_under(claim));
    }
    check_kept(saying(marker, "77"), FileState::malformed, "file.malformed");
    ClaimFile of_updater = marker;  // the clock was stepped since it was written
    of_updater.claims.front().written_epoch = kNowEpoch - 7200;
    CHECK(judged_file(of_updater).state == FileState::foreign);
    CHECK_FALSE(judged_under(of_updater.claims.front()));
    of_updater.claims.front().named.value =
        row(kPid, 1, "/opt/hermes-setup", {"hermes-setup", "--update"});
    CHECK(judged_file(of_updater).state == FileState::live);
    CHECK(judged_under(of_updater.claims.front()));
}

}  // namespace reaper::test
