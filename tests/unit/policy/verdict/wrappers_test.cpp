// What starts a helper again: its host, or the one that stands behind the wrappers of that one.
#include "policy/verdict/wrappers.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/policy/verdict/judged.hpp"

namespace reaper::test {

namespace {

using policy::is_wrapper_of;
using policy::Verdict;
using scanner::Pid;
using scanner::ProcessRow;

constexpr Pid kPid = 100;
constexpr Pid kWrapper = 60;
const std::string kScript = kHome + "/dist/bridge.mjs";

ProcessRow bridge() {
    return row(kPid, kWrapper, "/usr/bin/node",
               {"/usr/bin/node", "--no-warnings", kScript, "--no-viewer"});
}

bool runs(std::vector<std::string> argv, const ProcessRow& child = bridge()) {
    return is_wrapper_of(row(kWrapper, kHost, "/usr/bin/anything", std::move(argv)), child);
}

ProcessRow timeout(Pid pid, Pid parent) {
    return row(pid, parent, "/usr/bin/timeout", {"timeout", "1h", "node", kScript});
}

FactsBuilder wrapped(Pid parent, Pid pid = kPid, Pid wrapper = kWrapper) {
    FactsBuilder builder;
    builder.orphan_bridge(pid).wrapper(timeout(wrapper, parent));
    builder[pid].row.ppid = wrapper;
    return builder;
}

Pid host(const FactsBuilder& builder, Pid pid = kPid) {
    return judged(builder, pid).host;
}

}  // namespace

TEST_CASE("programs that do nothing but run another one are wrappers") {
    CHECK(runs({"timeout", "1h", "node", kScript}));
    CHECK(runs({"/usr/bin/sudo", "-u", "u", "node", kScript}));
    CHECK_FALSE(runs({"forever", "node", kScript}));
    CHECK_FALSE(runs({"node", "/usr/lib/timeout", kScript}));
    CHECK_FALSE(runs({}));
    ProcessRow nameless = bridge();
    nameless.command_line.value.argv.clear();
    CHECK_FALSE(runs({"timeout", "1h", "node"}, nameless));
}

TEST_CASE("a shell is one when its command names the child, and has no loop") {
    CHECK(runs({"/bin/sh", "-c", "\"$@\"; exit 0", "sh", "node", kScript}));
    CHECK(runs({"-bash", "-e", "-lc", "cd dist && node ./bridge.mjs; exit"}));
    CHECK(runs({"sh", "-c", "timeout 1h \"$@\"; exit 0", "sh", "node", kScript},
               timeout(70, kWrapper)));
    CHECK_FALSE(runs({"sh", "-c", ". ./keepalive"}));
    CHECK_FALSE(runs({"keepalive", "-c", "node bridge.mjs"}));
    CHECK_FALSE(runs({"sh", "-c"}));
    CHECK_FALSE(runs({"sh"}));
    CHECK_FALSE(runs({"zsh", "-i"}));
    CHECK_FALSE(runs({"sh", "start", "node", kScript}));
    CHECK_FALSE(runs({"bash", "--norc", "start", kScript}));
    for (const char* loop : {"while :; do node bridge.mjs; done", "until node bridge.mjs;do :;done",
                             "for i in 1 2;do node bridge.mjs;done", "repeat 9 node bridge.mjs"})
        CHECK_FALSE(runs({"zsh", "-c", loop}));
    CHECK(runs({"sh", "-c", "node bridge.mjs --before; echo meanwhile"}));
    ProcessRow cut = row(kWrapper, kHost, "/bin/sh", {"sh", "-c", "node bridge.mjs"});
    CHECK(is_wrapper_of(cut, bridge()));
    cut.command_line.value.truncated = true;
    CHECK_FALSE(is_wrapper_of(cut, bridge()));
}

TEST_CASE("a wrapper only runs its child when nothing stands before or after it") {
    const auto only = [](std::vector<std::string> argv) {
        return policy::only_runs(row(kWrapper, kHost, "/bin/sh", std::move(argv)), bridge());
    };
    CHECK(only({"sh", "-c", "node bridge.mjs"}));
    CHECK(only({"sh", "-c", "'/usr/bin/node' bridge.mjs"}));
    CHECK(only({"sh", "-c", "bridge.mjs --stdio", "bridge.mjs"}));  // as npm runs a server
    CHECK(only({"timeout", "1h", "node", kScript}));
    for (const char* text :
         {"node bridge.mjs; echo done", "cd /w && node bridge.mjs", "node bridge.mjs | tee log",
          ". ./keep node bridge.mjs", "exec node bridge.mjs &", "(node bridge.mjs)",
          "keep node bridge.mjs", "node bridge.mjs\necho done", "$RUN bridge.mjs"})
        CHECK_FALSE(only({"bash", "-c", text}));
    CHECK_FALSE(only({"sh", "start", "node", kScript}));
}

TEST_CASE("behind a wrapper stands what started that one") {
    CHECK(host(wrapped(kHost)) == kHost);
    FactsBuilder two = wrapped(kWrapper + 1).wrapper(timeout(kWrapper + 1, kHost));
    CHECK(host(two) == kHost);
    FactsBuilder pair = FactsBuilder().orphan_pair(110, 120).wrapper(timeout(kWrapper, kHost));
    pair[110].row.ppid = kWrapper;
    CHECK(host(pair, 110) == kHost);
    CHECK(host(pair, 120) == kHost);
}

TEST_CASE("but no adopter, and nothing that is not known") {
    const auto in_use = [](FactsBuilder builder) {
        builder[kPid].standard_output = live_end();
        return builder;
    };
    CHECK(host(in_use(wrapped(1))) == kWrapper);
    CHECK(host(wrapped(1)) == 0);  // cut off, it counts as adopted itself
    CHECK(host(wrapped(kGonePid)) == kWrapper);
    FactsBuilder adopted = in_use(wrapped(70));
    ProcessRow younger = row(70, 1, "/usr/bin/zsh", {"zsh"});
    younger.start_ticks = kNow - kHour + 1;
    CHECK(host(adopted.relative(younger)) == kWrapper);
}

TEST_CASE("a host by the rules, or a member, is no wrapper") {
    FactsBuilder builder = wrapped(kHost);
    builder[kPid].row.ppid = kHost;
    builder.wrapper(row(kHost + 1, 1, "/usr/bin/zsh", {"zsh"}));
    CHECK(host(builder) == kHost);
    FactsBuilder gateway =
        FactsBuilder().orphan_bridge(kPid).relative(row(70, 1, "/usr/bin/zsh", {"zsh"}));
    gateway.wrapper(row(kWrapper, 70, "/usr/bin/python3.11",
                        {"python3", "-m", "hermes_cli.main", "gateway", "run"}));
    gateway[kPid].row.ppid = kWrapper;
    CHECK(host(gateway) == kWrapper);
    FactsBuilder member =
        FactsBuilder().orphan_bridge(kPid).orphan_bridge(200).wrapper(timeout(200, kHost));
    member[kPid].row.ppid = 200;
    member[200].row.ppid = kHost;
    CHECK(host(member) == 200);
}

TEST_CASE("verdicts go by the host itself: bridges in wrappers of their own are no duplicates") {
    FactsBuilder builder =
        wrapped(kHost).wrapper(timeout(kWrapper + 1, kHost)).attached_bridge(200, kWrapper + 1);
    builder[kPid].standard_input = live_end();
    builder[kPid].standard_output = live_end();
    set_start(builder[200], kNow - kHour + 1);
    for (const Pid pid : {kPid, 200}) {
        CHECK(judged(builder, pid).verdict == Verdict::attached);
        CHECK(host(builder, pid) == kHost);
        builder[pid].row.ppid = kHost;
    }
    CHECK(judged(builder, kPid).verdict == Verdict::duplicate);
}

TEST_CASE("what is started again through a new wrapper each time is left alone") {
    FactsBuilder builder =
        wrapped(kHost).keepalive({kUser, "bridge", kHome, kHost, kNow - 3 * kHour,
                                  "python3 -m hermes_cli.main gateway run", 3, kNow - 6000});
    const policy::Judgement judgement = judged(builder, kPid, also({Verdict::abandoned}));
    CHECK(judgement.verdict == Verdict::abandoned);
    CHECK(judgement.kept_alive);
    CHECK(has_code(judgement, "veto.respawns"));
}

}  // namespace reaper::test
