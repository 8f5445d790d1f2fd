// What matching and judging cost. Judging looks at the few processes that a family matched,
// matching at every row.
#include <benchmark/benchmark.h>

#include "policy/match/match.hpp"
#include "policy/match/member.hpp"
#include "policy/verdict/judge.hpp"
#include "policy/verdict/plan.hpp"
#include "tests/support/facts_builder.hpp"

namespace {

using reaper::scanner::Pid;
using reaper::scanner::ProcessRow;

// One bridge, one worker, and others that take every path of the matcher.
std::vector<ProcessRow> some_rows(std::size_t count) {
    using reaper::test::row;
    const std::vector<ProcessRow> kinds = {
        row(100, 1, "/usr/bin/node",
            {"node", "/home/u/.hermes/memos-plugin/dist/bridge.mjs", "--agent=hermes"}),
        row(101, 1, "/usr/bin/python3.11",
            {"python3", "-m", "tui_gateway.slash_worker", "--session-key", "x"}),
        row(102, 1, "/usr/bin/bash", {"bash", "-lic", "make"}),
        row(103, 1, "/usr/bin/node",
            {"node", "--require", "x.cjs", "--import", "file:///y.mjs", "server.mjs"}),
        row(104, 1, "/usr/bin/python3.11", {"python3", "-c", "print('hermes_cli.main')"}),
    };
    std::vector<ProcessRow> rows;
    for (std::size_t at = 0; at < count; ++at) rows.push_back(kinds[at % kinds.size()]);
    return rows;
}

// Orphans, tsx pairs, attached duplicates and a daemon, as many as there are wanted.
reaper::test::FactsBuilder some_facts(std::int64_t count) {
    reaper::test::FactsBuilder builder;
    builder.listening_daemon(100);
    Pid pid = 1000;
    for (std::int64_t at = 1; at < count; ++at, ++pid) {
        switch (at % 5) {
            case 0: builder.attached_bridge(pid, reaper::test::kHost); break;
            case 1: builder.orphan_worker(pid, reaper::test::kGonePid); break;
            case 2: builder.orphan_bridge(pid); break;
            case 3: builder.orphan_pair(pid, pid + 1); break;  // the next one, too
            default: break;
        }
    }
    builder.claim(
        reaper::test::claim_of(reaper::scanner::ClaimKind::bridge_pid, reaper::test::kHome, 100));
    return builder;
}

void match_rows(benchmark::State& state) {
    const auto rules = reaper::policy::built_in_rules();
    const auto rows = some_rows(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        for (const ProcessRow& row : rows)
            benchmark::DoNotOptimize(reaper::policy::match(rules, row));
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(match_rows)->Arg(10'000)->Unit(benchmark::kMillisecond);

void judge_candidates(benchmark::State& state) {
    const auto rules = reaper::policy::built_in_rules();
    const auto builder = some_facts(state.range(0));
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            reaper::policy::make_plan(reaper::policy::judge(builder.facts(), rules, {}, {}), 256));
    }
    state.counters["candidates"] = static_cast<double>(builder.facts().candidates.size());
}
BENCHMARK(judge_candidates)->Arg(1)->Arg(100)->Arg(1000)->Arg(6000)->Unit(benchmark::kMillisecond);

// What a second look at one process costs, beside the reads: nothing has changed but that one.
void find_members_again(benchmark::State& state) {
    const auto rules = reaper::policy::built_in_rules();
    const auto builder = some_facts(state.range(0));
    reaper::policy::MatchMemory memory(rules);
    for (auto _ : state)
        benchmark::DoNotOptimize(reaper::policy::find_members(builder.facts(), memory));
}
BENCHMARK(find_members_again)->Arg(1000)->Arg(6000)->Unit(benchmark::kMillisecond);

void read_built_in_rules(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(reaper::policy::built_in_rules());
}
BENCHMARK(read_built_in_rules)->Unit(benchmark::kMicrosecond);

}  // namespace
