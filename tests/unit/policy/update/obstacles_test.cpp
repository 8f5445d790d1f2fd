#include "policy/update/obstacles.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::Obstacle;
using policy::ObstacleKind;
using scanner::Occupant;
using scanner::Pid;
using Pids = std::vector<Pid>;
using Found = std::vector<std::pair<ObstacleKind, Pids>>;

constexpr const char* kPython = "/usr/bin/python3.11";
constexpr const char* kThrough = "/home/u/.hermes/hermes-agent/venv/bin/python";
constexpr Pid kPid = 100;
constexpr Pid kOther = 200;

void add(FactsBuilder& builder, Pid pid, std::vector<std::string> arguments, Pid parent = 1) {
    std::vector<std::string> argv = {"python", "-m", "hermes_cli.main"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    builder.orphan(row(pid, parent, kPython, std::move(argv)));
}

Occupant occupant(Pid pid, Pid parent = 1) {
    return {row(pid, parent, kPython, {"python", "notes.py"}), "u", kThrough, {}, {}, false};
}

// Which process started which: what the facts and the occupants say, and `others`.
scanner::Occupancy occupancy_of(const FactsBuilder& builder, const std::vector<Occupant>& occupants,
                                const std::map<Pid, Pid>& others) {
    scanner::Occupancy occupancy{occupants, others};
    for (const scanner::ProcessFacts& process : builder.facts().candidates)
        occupancy.parents[process.row.pid] = process.row.ppid;
    for (const Occupant& one : occupants) occupancy.parents.try_emplace(one.row.pid, one.row.ppid);
    return occupancy;
}

std::vector<Obstacle> obstacles(const FactsBuilder& builder,
                                const std::vector<Occupant>& occupants = {},
                                const std::vector<scanner::Claim>& markers = {},
                                const Pids& leaked = {}) {
    return find_obstacles(builder.facts(), policy::built_in_rules(),
                          occupancy_of(builder, occupants, {{150, kPid}, {7, 1}}), markers, leaked);
}

Found found(const FactsBuilder& builder, const std::vector<Occupant>& occupants = {},
            const Pids& leaked = {}) {
    Found all;
    for (const Obstacle& one : obstacles(builder, occupants, {}, leaked))
        all.emplace_back(one.kind, one.pids);
    return all;
}

}  // namespace

TEST_CASE("nothing is in the way of an update where nothing is") {
    FactsBuilder builder;
    CHECK(obstacles(builder).empty());
    add(builder, kPid, {"gateway", "run"});
    CHECK(found(builder, {occupant(kPid)}).empty());
}

TEST_CASE("what holds a lease of the install is in the way, whatever it runs") {
    FactsBuilder builder;
    Occupant holder = occupant(kOther);
    holder.through.clear();
    CHECK(found(builder, {holder}).empty());
    holder.leases = {{"/h/installs/k", "g1", scanner::Reading<std::string>::of("g1")}};
    holder.row.cgroup = scanner::Reading<std::string>::of("/user.slice/session-3.scope");
    CHECK(found(builder, {holder}) == Found{{ObstacleKind::occupant, {kOther}}});
    const Obstacle current = obstacles(builder, {holder}).front();
    CHECK(current.detail ==
          "it is no part of Hermes, and holds a lease of the install "
          "(/h/installs/k/environments/g1)");
    CHECK(current.unit == "session-3.scope");
    holder.leases.front().selected.value = "g2";
    CHECK(obstacles(builder, {holder}).front().detail.ends_with(", since before the last update"));
    holder.leases.front().selected = scanner::Reading<std::string>::failed(scanner::Access::denied);
    CHECK_FALSE(obstacles(builder, {holder}).front().detail.ends_with("update"));
}

TEST_CASE("two processes of one relaunch are one gateway, two of one home are two") {
    const std::string script =
        "import hermes_bootstrap; sys.argv = ['hermes', 'gateway', 'run']; "
        "runpy.run_module('hermes_cli.main')";
    FactsBuilder builder;
    add(builder, kPid, {"gateway", "run"});
    builder.orphan(row(kOther, kPid, kPython, {"python", "-I", "-c", script}));
    CHECK(found(builder).empty());
    builder[kOther].row.ppid = 1;
    CHECK(found(builder) == Found{{ObstacleKind::gateways, {kPid, kOther}}});
}

TEST_CASE("an update that runs is in the way, once, and its own helpers are not told that") {
    FactsBuilder builder;
    add(builder, kPid, {"update"});
    CHECK(found(builder, {occupant(kPid)}) == Found{{ObstacleKind::update, {kPid}}});
    const auto marker = [](Pid pid) {
        auto claim = claim_of(scanner::ClaimKind::update_marker, kHermesHome, pid);
        claim.named = scanner::Reading<scanner::ProcessRow>::of(row(pid, 1, kPython, {"python"}));
        claim.named.value.start_ticks = 1;
        return claim;
    };
    CHECK(obstacles(builder, {}, {marker(kPid)}).size() == 1);
    const auto two = obstacles(builder, {}, {marker(kOther)});
    REQUIRE(two.size() == 2);
    CHECK(two[1].pids == Pids{kOther});
    CHECK(two[1].detail == "/home/u/.hermes/claim says that an update is running");
    auto over = marker(kOther);
    over.named = scanner::Reading<scanner::ProcessRow>::failed(scanner::Access::gone);
    CHECK(obstacles(builder, {}, {over}).size() == 1);
    over.written_epoch = kNowEpoch;
    builder.machine().pid_namespace = 4026532177;  // it may run outside of this container
    const auto outside = obstacles(builder, {}, {over});
    REQUIRE(outside.size() == 2);
    CHECK(outside[1].pids.empty());
    CHECK(outside[1].help.find("20 minutes") != std::string::npos);
    builder.machine().own_ancestors = {kPid, 1};
    CHECK(obstacles(builder, {}, {marker(kPid)}).empty());
    builder[kPid].row.state = 'Z';
    builder.machine().own_ancestors = {1};
    CHECK(obstacles(builder).empty());
}

TEST_CASE("gateways are counted by home, without what runs them or asks them") {
    FactsBuilder builder;
    add(builder, kPid, {"gateway", "run"});
    add(builder, 101, {"--profile", "work", "gateway", "run"});
    add(builder, 102, {"gateway", "status"});
    add(builder, 103, {"gateway", "run"}, kPid);  // the gateway itself: kPid only runs it
    add(builder, 104, {"gateway", "run"});
    builder[104].namespace_pids = scanner::Reading<Pids>::of({104, 7});  // in a container
    CHECK(found(builder).empty());
    add(builder, kOther, {"gateway", "run", "--replace"});
    set_uid(builder[kOther], 0);
    builder[kOther].user = "root";
    CHECK(found(builder) == Found{{ObstacleKind::gateways, {103, kOther}}});
    const auto help_in = [&](const std::string& cgroup, std::optional<Pid> main) {
        builder[103].row.cgroup = scanner::Reading<std::string>::of(cgroup);
        builder[103].user = "u";
        builder[103].unit =
            scanner::Reading<scanner::ServiceUnit>::of({"x.service", true, main, true});
        return obstacles(builder).front().help;
    };
    const std::string manager = "/user.slice/user-1000.slice/user@1000.service/app.slice/";
    const std::string rest = ", or kill 200";
    CHECK(help_in(manager + "hermes-gateway.service", 7) ==
          "end all but one: systemctl --user stop hermes-gateway.service" + rest);
    CHECK(help_in(manager + "notes.service", 103) ==
          "end all but one: systemctl --user stop notes.service" + rest);
    CHECK(help_in("/system.slice/notes.service", 103) ==
          "end all but one: systemctl stop notes.service" + rest);
    CHECK(help_in("/system.slice/ssh.service", 7) == "end all but one: kill 103" + rest);
    builder.machine().uid = 0;
    CHECK(help_in(manager + "notes.service", 103) ==
          "end all but one: systemctl --user -M u@ stop notes.service" + rest);
    builder[kOther].row.state = 'Z';
    CHECK(found(builder).empty());
}

TEST_CASE("a job of launchd is ended by its label, as launchd would start it again") {
    FactsBuilder builder;
    add(builder, kPid, {"gateway", "run"});
    add(builder, kOther, {"gateway", "run", "--replace"});
    builder.on_mac();
    const auto help = [&] { return obstacles(builder).front().help; };
    CHECK(help() == "end all but one: kill 100, or kill 200");
    builder[kPid].unit =
        scanner::Reading<scanner::ServiceUnit>::of({"ai.hermes.gateway", false, kPid, true});
    CHECK(help() == "end all but one: launchctl bootout gui/1000/ai.hermes.gateway, or kill 200");
    set_uid(builder[kPid], 0);
    CHECK(help() ==
          "end all but one: sudo launchctl bootout system/ai.hermes.gateway, or kill 200");
    builder[kPid].unit.value.main_pid = 7;  // it is only below that job
    CHECK(help() == "end all but one: kill 100, or kill 200");
}

TEST_CASE("what is a part of Hermes is in the way wherever it is installed, and a bridge is none") {
    FactsBuilder builder;
    add(builder, kPid, {"chat"});
    builder.orphan_worker(101, kGonePid).attached_bridge(102, kHost);
    CHECK(found(builder, {}, {101}) == Found{{ObstacleKind::occupant, {kPid}}});
    CHECK(obstacles(builder, {}, {}, {101}).front().detail == "it is Hermes' session");
    builder[kPid].same_pid_namespace = scanner::Reading<bool>::of(false);
    CHECK(found(builder, {}, {101}).empty());
    builder[kPid].same_pid_namespace.value = true;
    builder[kPid].same_root = scanner::Reading<bool>::of(false);
    CHECK(found(builder, {}, {101}).empty());
}

TEST_CASE(
    "of other users' processes argv tells what they are, and a wrapper ends with what it wraps") {
    Occupant gateway = occupant(kPid, kOther);
    gateway.row.command_line.value.argv = {"python", "-m", "hermes_cli.main", "gateway", "run"};
    gateway.row.uid = 1001;
    Occupant session = occupant(101);
    session.row.command_line.value.argv = {"python", "-m", "hermes_cli.main"};
    const auto all = obstacles(FactsBuilder(), {gateway, occupant(kOther), session});
    REQUIRE(all.size() == 1);
    CHECK(all.front().pids == Pids{101});
    CHECK(all.front().detail.starts_with("it is Hermes' session, and runs out of"));
}

TEST_CASE("where only the command line is shown, root's are in the way, as what argv says") {
    FactsBuilder builder;
    const auto with = [&](scanner::Uid uid, std::vector<std::string> argv,
                          const std::vector<Occupant>& occupants = {}) {
        scanner::Occupancy occupancy = occupancy_of(builder, occupants, {});
        scanner::ProcessRow one = row(kOther, 1, "", std::move(argv));
        one.exe = scanner::Reading<std::string>::failed(scanner::Access::denied);
        one.uid = uid;
        occupancy.unseen = {one};
        Found all;
        for (const Obstacle& found :
             find_obstacles(builder.facts(), policy::built_in_rules(), occupancy, {}, {})) {
            CHECK((found.user == (uid == 0 ? "root" : "") || found.kind == ObstacleKind::occupant));
            all.emplace_back(found.kind, found.pids);
        }
        return all;
    };
    const Found update{{ObstacleKind::update, {kOther}}};
    const Found gateways{{ObstacleKind::gateways, {kOther}}};
    const std::string elsewhere = "/root/.hermes/hermes-agent/venv/bin/python";
    CHECK(with(0, {"/usr/bin/python3", "-m", "hermes_cli.main", "update"}) == update);
    CHECK(with(0, {"python3", "hermes_cli/main.py", "update"}) == update);
    CHECK(with(0, {"python3", "/root/hermes", "update"}).empty());
    CHECK(with(0, {elsewhere, "-m", "hermes_cli.main", "update"}).empty());
    CHECK(with(1001, {"/usr/bin/python3", "-m", "hermes_cli.main", "update"}).empty());
    CHECK(with(0, {"/usr/bin/python3", "-m", "hermes_cli.main", "chat"}).empty());
    CHECK(with(0, {"/sbin/init"}).empty());
    CHECK(with(1001, {elsewhere, "-m", "hermes_cli.main", "update"}, {occupant(kOther)}) == update);
    const std::vector<std::string> gateway = {"/usr/bin/python3", "-m", "hermes_cli.main",
                                              "gateway", "run"};
    CHECK(with(0, gateway).empty());
    add(builder, kPid, {"gateway", "run"});
    CHECK(with(0, gateway) == gateways);
    CHECK(with(0, gateway, {occupant(kOther)}) == Found{{ObstacleKind::occupant, {kOther}}});
    CHECK(with(1001, gateway).empty());
    builder.machine().own_ancestors = {kOther, 1};
    CHECK(with(0, gateway).empty());
    CHECK(with(0, {"/usr/bin/python3", "-m", "hermes_cli.main", "update"}).empty());
}

TEST_CASE("what runs out of the install is in the way, unless the update restarts it") {
    FactsBuilder builder;
    add(builder, kPid, {"serve", "--port", "0"});
    CHECK(found(builder, {occupant(kPid), occupant(kOther, kPid)}).empty());
    CHECK(found(builder, {occupant(kOther)}) == Found{{ObstacleKind::occupant, {kOther}}});
    CHECK(found(builder, {occupant(kOther)}, {kOther}).empty());
    CHECK(obstacles(builder, {occupant(kOther)}).front().detail ==
          "it is no part of Hermes, and runs out of the install "
          "(/home/u/.hermes/hermes-agent/venv/bin/python)");
}

TEST_CASE(
    "of those that started each other the eldest is named, and none when that is what we run "
    "inside of") {
    FactsBuilder builder;
    add(builder, kPid, {});
    const std::vector<Occupant> line = {occupant(kPid), occupant(kOther, 150)};
    CHECK(found(builder, line) == Found{{ObstacleKind::occupant, {kPid}}});
    CHECK(obstacles(builder, line).front().detail.starts_with("it is Hermes' session,"));
    builder.machine().own_ancestors = {150, kPid, 7, 1};
    CHECK(found(builder, line).empty());
    const auto around = find_enclosing_hermes(builder.facts(), policy::built_in_rules());
    REQUIRE(around);
    CHECK((around->pid == kPid && around->family == "session" && !around->restarted));
}

TEST_CASE("a gateway around us is told to be restarted") {
    FactsBuilder builder;
    CHECK_FALSE(find_enclosing_hermes(builder.facts(), policy::built_in_rules()));
    add(builder, kPid, {"gateway", "run"});
    builder.machine().own_ancestors = {150, kPid, 1};
    CHECK(find_enclosing_hermes(builder.facts(), policy::built_in_rules())->restarted);
}

TEST_CASE("holders of a deleted log are named once, member or not") {
    FactsBuilder builder;
    builder.attached_bridge(kPid, kHost);
    builder[kPid].deleted_databases = {"/home/u/.hermes/memos.db-wal"};
    Occupant same = occupant(kPid);
    same.through.clear();
    same.deleted_databases = builder[kPid].deleted_databases;
    Occupant stranger = same;
    stranger.row.pid = kOther;
    CHECK(found(builder, {same, stranger}) == Found{{ObstacleKind::deleted_database, {kPid}},
                                                    {ObstacleKind::deleted_database, {kOther}}});
    CHECK(found(builder, {same, stranger}, {kPid}) ==
          Found{{ObstacleKind::deleted_database, {kOther}}});
    builder.machine().own_ancestors = {kOther, 1};
    CHECK(found(builder, {same, stranger}) == Found{{ObstacleKind::deleted_database, {kPid}}});
}

TEST_CASE("growing up: only its age keeps what lost its host") {
    FactsBuilder builder;
    builder.orphan_bridge(kPid);
    CHECK_FALSE(is_young_orphan(judged(builder, kPid)));
    set_start(builder[kPid], kNow - 100);
    CHECK(is_young_orphan(judged(builder, kPid)));
    listen_on(builder[kPid], 4711);
    CHECK_FALSE(is_young_orphan(judged(builder, kPid)));
}

}  // namespace reaper::test
