// The walk over the table as it is. `time_per_process` is what counts: run it where there are many
// of them.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include "scanner/machine.hpp"
#include "scanner/process_table.hpp"

using namespace reaper::scanner;

namespace {

void run_walk(benchmark::State& state, const WalkScope& scope) {
    const auto table = ProcessTable::open();
    std::size_t seen = 0;
    std::size_t found = 0;
    for (auto _ : state) {
        const auto walked = walk(*table, scope);
        seen += walked->count.seen;
        found = walked->candidates.size();
    }
    const auto flags = benchmark::Counter::kIsRate | benchmark::Counter::kInvert;
    state.counters["time_per_process"] = benchmark::Counter(static_cast<double>(seen), flags);
    state.counters["found"] = static_cast<double>(found);
}

void walk_all_users(benchmark::State& state) {
    run_walk(state, {std::nullopt, {"node", "python"}});
}

// A user without processes: each one is foreign, as on a machine full of others.
void walk_one_user_among_others(benchmark::State& state) {
    run_walk(state, {65533, {"node", "python"}});
}

void read_own_row(benchmark::State& state) {
    const auto table = ProcessTable::open();
    for (auto _ : state) benchmark::DoNotOptimize(read_row(*table, ::getpid()));
}

void describe_machine(benchmark::State& state) {
    const auto table = ProcessTable::open();
    for (auto _ : state) benchmark::DoNotOptimize(read_machine(*table));
}

BENCHMARK(walk_all_users);
BENCHMARK(walk_one_user_among_others);
BENCHMARK(read_own_row);
BENCHMARK(describe_machine);

}  // namespace
