#include "scanner/model/facts_check.hpp"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace reaper::scanner {

namespace {

constexpr std::uint64_t kMostTicks = 10'000'000'000'000'000;  // microseconds up to the year 2286
constexpr std::uint64_t kMostBytes = 1ULL << 60U;
constexpr std::size_t kMostProcesses = 1'000'000'000;
constexpr double kYear10000 = 253402300800;
constexpr std::string_view kStates = "RSDTtZXxKWPI?";

constexpr std::string_view kPid = "the pid of a process";
constexpr std::string_view kPidOrNone = "a pid, or 0";
constexpr std::string_view kOrder = "each pid once, in order";
constexpr std::string_view kTicks = "a moment that can be";

// A condition that must hold. The first one that does not is the mistake.
struct Demand {
    bool holds;
    std::string_view field;
    std::string_view expected;
};
using Mistake = std::optional<std::string>;

Mistake first_of(std::initializer_list<Demand> demands, std::string_view record) {
    for (const Demand& demand : demands) {
        if (demand.holds) continue;
        return std::string(record)
            .append(demand.field)
            .append(" (expected ")
            .append(demand.expected)
            .append(")");
    }
    return std::nullopt;
}

// Returns the first mistake of any record, with its place before it: "candidates[3]".
template <class T, class Check>
Mistake first_in(const std::vector<T>& records, std::string_view name, Check check_one) {
    for (std::size_t at = 0; at < records.size(); ++at) {
        auto mistake = check_one(records, at);
        if (mistake)
            return std::string(name).append("[" + std::to_string(at) + "]").append(*mistake);
    }
    return std::nullopt;
}

Mistake check_pids(const std::vector<Pid>& pids, std::string_view name) {
    return first_in(pids, name, [](const auto& all, std::size_t at) {
        return first_of({{all[at] > 0, "", kPid}}, "");
    });
}

Mistake check_row(const ProcessRow& row, std::string_view record) {
    return first_of(
        {{row.pid > 0, ".pid", kPid},
         {row.ppid >= 0 && row.ppid != row.pid, ".ppid", "the pid of another process, or 0"},
         {row.pgrp >= -1, ".pgrp", kPidOrNone},
         {row.session >= -1, ".session", kPidOrNone},
         {kStates.find(row.state) != std::string_view::npos, ".state", "a state of processes"},
         {row.threads >= 0, ".threads", "how many there are"},
         {row.start_ticks <= kMostTicks, ".start_ticks", kTicks}},
        record);
}

Mistake check_holders(const Reading<StdioEnd>& end, std::string_view name) {
    return check_pids(end.value.holders, std::string(name).append(".value.holders"));
}

// Checks one process. The identity of a zombie is made of its row; any other identity was read
// through the same handle as its row.
Mistake check_candidate(const ProcessFacts& process) {
    const Identity& identity = process.identity;
    const ProcessRow& row = process.row;
    const auto& main_pid = process.unit.value.main_pid;
    if (auto mistake = check_row(row, ".row")) return mistake;
    if (auto mistake = check_pids(process.namespace_pids.value, ".namespace_pids.value"))
        return mistake;
    if (auto mistake = check_holders(process.standard_input, ".standard_input")) return mistake;
    if (auto mistake = check_holders(process.standard_output, ".standard_output")) return mistake;
    return first_of(
        {{identity.pid == row.pid, ".identity.pid", "the pid of its row"},
         {identity.start_ticks == 0 || identity.start_ticks == row.start_ticks,
          ".identity.start_ticks", "the start of its row, or 0"},
         {process.tracer.value >= -1, ".tracer.value", "a pid, 0, or -1"},
         {!main_pid || *main_pid >= 0, ".unit.value.main_pid", kPidOrNone},
         {process.rss_bytes <= kMostBytes, ".rss_bytes", "a size of memory"},
         {process.swap_bytes <= kMostBytes, ".swap_bytes", "a size of memory"},
         {process.cpu_seconds >= 0 && process.cpu_seconds < kYear10000, ".cpu_seconds", "a time"}},
        "");
}

Mistake check_named(Pid pid, const Reading<ProcessRow>& row, std::string_view record,
                    std::string_view expected) {
    if (!row.ok()) return std::nullopt;
    if (auto mistake = check_row(row.value, std::string(record).append(".value"))) return mistake;
    return first_of({{row.value.pid == pid, ".value.pid", expected}}, record);
}

Mistake check_claim(const Claim& claim) {
    if (auto mistake = first_of(
            {{claim.pid >= 0, ".pid", kPidOrNone}, {claim.spawner >= 0, ".spawner", kPidOrNone}},
            ""))
        return mistake;
    if (auto mistake =
            check_named(claim.pid, claim.named, ".named", "the pid that the claim names"))
        return mistake;
    return check_named(claim.spawner, claim.spawner_row, ".spawner_row",
                       "the spawner of the claim");
}

Mistake check_machine(const Machine& machine) {
    if (auto mistake = check_pids(machine.own_ancestors, "machine.own_ancestors")) return mistake;
    return first_of(
        {{machine.self >= 0, ".self", kPidOrNone},
         {machine.ticks_per_second > 0 && machine.ticks_per_second <= 1'000'000,
          ".ticks_per_second", "1 to 1000000"},
         {machine.now_ticks <= kMostTicks, ".now_ticks", kTicks},
         {machine.now_epoch >= 0 && machine.now_epoch < kYear10000, ".now_epoch", kTicks}},
        "machine");
}

Mistake check_count(const ScanCount& count) {
    constexpr std::string_view kCount = "a number of processes";
    return first_of({{count.seen <= kMostProcesses, ".seen", kCount},
                     {count.vanished <= kMostProcesses, ".vanished", kCount},
                     {count.denied <= kMostProcesses, ".denied", kCount},
                     {count.foreign <= kMostProcesses, ".foreign", kCount}},
                    "count");
}

// Checks that each pid occurs once: with two processes of one pid, a verdict on one could be
// carried out on the other.
Mistake check_processes(const Facts& facts) {
    const auto check_one = [](const auto& all, std::size_t at) {
        const bool ordered = at == 0 || all[at - 1].row.pid < all[at].row.pid;
        auto wrong = check_candidate(all[at]);
        return wrong ? wrong : first_of({{ordered, ".row.pid", kOrder}}, "");
    };
    if (auto mistake = first_in(facts.candidates, "candidates", check_one)) return mistake;
    if (auto mistake = first_in(facts.descendants, "descendants", check_one)) return mistake;
    return first_in(facts.relatives, "relatives", [](const auto& all, std::size_t at) {
        const bool ordered = at == 0 || all[at - 1].pid < all[at].pid;
        auto wrong = check_row(all[at], "");
        return wrong ? wrong : first_of({{ordered, ".pid", kOrder}}, "");
    });
}

Mistake check_rest(const Facts& facts) {
    if (auto mistake = check_pids(facts.unread, "unread")) return mistake;
    if (auto mistake = check_pids(facts.wrappers, "wrappers")) return mistake;
    if (auto mistake = check_pids(facts.plain_wrappers, "plain_wrappers")) return mistake;
    if (auto mistake = check_pids(facts.unseen_below, "unseen_below")) return mistake;
    return first_in(facts.claims, "claims",
                    [](const auto& all, std::size_t at) { return check_claim(all[at]); });
}

Mistake check_background(const Background& background) {
    return first_in(background.keepalives, "keepalives", [](const auto& all, std::size_t at) {
        return first_of({{all[at].host >= 0, ".host", kPidOrNone}}, "");
    });
}

}  // namespace

Result<void> check(const Record& record) {
    auto mistake = check_machine(record.machine);
    if (!mistake) mistake = check_count(record.count);
    if (!mistake) mistake = check_processes(record);
    if (!mistake) mistake = check_rest(record);
    if (!mistake) mistake = check_background(record);
    if (mistake) return failure(std::errc::invalid_argument, "understand", *mistake);
    return {};
}

}  // namespace reaper::scanner
