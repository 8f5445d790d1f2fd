#include "agent/observe/diagnosis.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "agent/reading/bounded_reader.hpp"
#include "scanner/init_state.hpp"

namespace reaper::agent {

using scanner::Pid;
using scanner::ProcessRow;
using scanner::TaskLimit;

template <>
struct MembersOf<TaskLimit> {
    static auto tie(Is<TaskLimit> auto& it) {
        auto& [used, most, where] = it;
        return std::tie(used, most, where);
    }
};

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostZombies = 1000;
constexpr std::uint64_t kStartedBefore = 3;        // seconds
constexpr std::chrono::seconds kTimeToCollect{1};  // some inits look that often
constexpr std::chrono::milliseconds kFirstPause{5};
constexpr std::chrono::milliseconds kLongestPause{100};

// When a process ended is not known, but it did not end before it was started.
bool was_left_to_init(const ProcessRow& row, const scanner::Machine& machine) {
    const std::uint64_t old = kStartedBefore * machine.ticks_per_second;
    return row.state == 'Z' && row.threads <= 1 && row.ppid == 1 &&
           row.start_ticks + old <= machine.now_ticks;
}

std::vector<const ProcessRow*> zombies_of_init(const scanner::Facts& facts) {
    std::vector<const ProcessRow*> zombies;
    for (const scanner::ProcessFacts& candidate : facts.candidates) {
        if (was_left_to_init(candidate.row, facts.machine)) zombies.push_back(&candidate.row);
    }
    return zombies;
}

// A healthy process 1 collects within a millisecond, so that nothing is waited for.
void count_zombies(const scanner::ProcessTable& table, const scanner::Facts& facts,
                   scanner::InitState& init) {
    std::vector<const ProcessRow*> zombies = zombies_of_init(facts);
    init.counted_all = zombies.size() <= kMostZombies;
    zombies.resize(std::min(zombies.size(), kMostZombies));
    const auto is_collected = [&table](const ProcessRow* row) {
        return !scanner::awaits_init(table, row->pid, row->start_ticks);
    };
    const auto deadline = Clock::now() + kTimeToCollect;
    std::erase_if(zombies, is_collected);
    for (auto pause = kFirstPause; !zombies.empty() && Clock::now() < deadline; pause *= 2) {
        std::this_thread::sleep_for(std::min(pause, kLongestPause));
        std::erase_if(zombies, is_collected);
    }
    init.zombies = zombies.size();
}

std::vector<Pid> hosts_of(const Judged& judged) {
    std::set<Pid> hosts;
    for (const policy::Judgement& judgement : judged.judgements) {
        if (judgement.host > 0) hosts.insert(judgement.host);
    }
    return {hosts.begin(), hosts.end()};
}

}  // namespace

scanner::Diagnosis diagnose(const scanner::ProcessTable& table, const Judged& judged,
                            std::optional<scanner::Uid> user) {
    using Limits = std::pair<TaskLimit, TaskLimit>;
    scanner::Diagnosis diagnosis;
    diagnosis.init = scanner::read_init(table);
    count_zombies(table, judged.look.facts, diagnosis.init);
    diagnosis.uid = user.value_or(::geteuid());
    const std::vector<Pid> hosts = hosts_of(judged);
    auto limits = read_bounded<Limits>(
        [&]() -> Result<Limits> {
            return Limits{scanner::read_cgroup_limit(table, hosts),
                          scanner::read_user_limit(table, diagnosis.uid, hosts)};
        },
        table.descriptors());
    if (limits) std::tie(diagnosis.cgroup, diagnosis.user) = *std::move(limits);
    return diagnosis;
}

}  // namespace reaper::agent
