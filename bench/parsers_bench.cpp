// What one process costs after the kernel has answered.
#include <benchmark/benchmark.h>

#include <array>
#include <string>

#include "scanner/parse/interpreter.hpp"
#include "scanner/parse/proc_cgroup.hpp"
#include "scanner/parse/proc_cmdline.hpp"
#include "scanner/parse/proc_stat.hpp"
#include "scanner/parse/proc_status.hpp"

using namespace reaper::scanner;

namespace {

const std::string kStat =
    "4242 (node) S 1 4242 4200 34816 -1 4194304 2605 0 3 0 17 4 0 0 20 0 11 0 78345 1092444160 "
    "11854 "
    "18446744073709551615 94371840 94399 140722 0 0 0 0 4096 134234626 0 0 0 17 1 0 0 0 0 0 95 96 "
    "97 98 99 100 101 0\n";

const std::string kStatus =
    "Name:\tnode\nUmask:\t0022\nState:\tS "
    "(sleeping)\nTgid:\t4242\nNgid:\t0\nPid:\t4242\nPPid:\t1\nTracerPid:\t0\n"
    "Uid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\nFDSize:\t64\nGroups:\t4 24 27 "
    "1000 \nNStgid:\t4242\n"
    "NSpid:\t4242\nNSpgid:\t4242\nNSsid:\t4200\nVmPeak:\t 1066840 kB\nVmSize:\t 1066840 "
    "kB\nVmLck:\t       0 kB\n"
    "VmRSS:\t   47416 "
    "kB\nThreads:\t11\nSigQ:\t0/96365\nSigCgt:\t0000000188004603\nCapInh:\t0000000000000000\n"
    "NoNewPrivs:\t0\nSeccomp:\t0\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:"
    "\t545\n";

const std::string kCgroup =
    "12:cpuset:/\n11:memory:/user.slice/user-1000.slice\n10:pids:/user.slice\n1:name=systemd:/"
    "user.slice/"
    "user-1000.slice/"
    "user@1000.service/app.slice/hermes-gateway.service\n0::/user.slice/user-1000.slice/"
    "user@1000.service\n";

void parse_stat_line(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(parse_stat(kStat));
}

void parse_status_file(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(parse_status(kStatus));
}

void parse_cgroup_file(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(unit_of(*systemd_path(kCgroup)));
}

// Arguments of 20 bytes, up to what the scanner reads of a command line.
void split_command_line(benchmark::State& state) {
    std::string bytes;
    for (int i = 0; i < state.range(0); ++i) bytes.append("--option=value-of-it").push_back('\0');
    for (auto _ : state) benchmark::DoNotOptimize(parse_command_line(bytes, false));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

void pick_from_environment(benchmark::State& state) {
    const std::array<std::string, 4> keys = {"HERMES_HOME", "MEMOS_HOME", "HOME",
                                             "SYSTEMD_EXEC_PID"};
    std::string bytes;
    for (int i = 0; i < 60; ++i)
        bytes.append("VARIABLE_")
            .append(std::to_string(i))
            .append("=/some/value/of/it")
            .push_back('\0');
    bytes.append("HERMES_HOME=/home/u/.hermes").push_back('\0');
    for (auto _ : state) benchmark::DoNotOptimize(parse_environment(bytes, keys));
}

void ask_interpreter(benchmark::State& state) {
    const std::string exe = "/home/u/.nvm/versions/node/v22.1.0/bin/node";
    for (auto _ : state) {
        benchmark::DoNotOptimize(is_interpreter(exe, "python"));
        benchmark::DoNotOptimize(is_interpreter(exe, "node"));
    }
}

BENCHMARK(parse_stat_line);
BENCHMARK(parse_status_file);
BENCHMARK(parse_cgroup_file);
BENCHMARK(split_command_line)->Arg(5)->Arg(3000);
BENCHMARK(pick_from_environment);
BENCHMARK(ask_interpreter);

}  // namespace
