#include "agent/reaping/reaper.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <limits>
#include <string>

namespace reaper::agent {

namespace {

using Clock = ReaperTarget::Clock;
using std::chrono::milliseconds;

constexpr const char* kInterrupted = "interrupted";

// Takes -1, which poll(2) skips.
bool interrupted(int interrupt) {
    pollfd descriptor{interrupt, POLLIN, 0};
    return poll(&descriptor, 1, 0) > 0;
}

bool belong_together(const Target& left, const Target& right) {
    const auto names = [](const Target& target, scanner::Pid pid) {
        return std::ranges::find(target.step.ends_with, pid) != target.step.ends_with.end();
    };
    return names(left, right.handle.pid()) || names(right, left.handle.pid());
}

// The unit of targets[first], in the order of the plan.
std::vector<ReaperTarget*> unit_of(std::vector<ReaperTarget>& targets, ReaperTarget& first) {
    std::vector<ReaperTarget*> unit{&first};
    for (std::size_t known = 0; known < unit.size(); ++known) {
        for (ReaperTarget& other : targets) {
            if (!belong_together(unit[known]->target(), other.target())) continue;
            if (std::ranges::find(unit, &other) == unit.end()) unit.push_back(&other);
        }
    }
    std::ranges::sort(unit);  // they live in one vector
    return unit;
}

// A pid that a target must end with, but that is not among the targets.
std::optional<scanner::Pid> missing_member(const std::vector<ReaperTarget*>& unit) {
    for (const ReaperTarget* member : unit) {
        for (const scanner::Pid pid : member->target().step.ends_with) {
            const auto is_it = [pid](const ReaperTarget* other) {
                return other->outcome().pid == pid;
            };
            if (std::ranges::none_of(unit, is_it)) return pid;
        }
    }
    return std::nullopt;
}

void withdraw_all(const std::vector<ReaperTarget*>& unit, OutcomeResult result,
                  scanner::Pid because, const std::string& why) {
    for (ReaperTarget* member : unit) {
        member->withdraw(result, "pid " + std::to_string(because) + " of its unit: " + why);
    }
}

bool spoils_its_unit(const ReaperTarget& member) {
    if (member.doubted()) return true;
    return !member.planned() && !member.running() &&
           member.outcome().result != OutcomeResult::already_gone &&
           member.outcome().result != OutcomeResult::would_reap;
}

// True: one process of the unit stays, so no other of it may be signalled.
bool is_spoiled(const std::vector<ReaperTarget*>& unit) {
    const auto spoiler = std::ranges::find_if(
        unit, [](const ReaperTarget* member) { return spoils_its_unit(*member); });
    if (spoiler == unit.end()) return false;
    const Outcome& outcome = (*spoiler)->outcome();
    withdraw_all(unit, outcome.result, outcome.pid, outcome.detail);
    return true;
}

std::vector<const ReaperTarget*> running_of(const std::vector<ReaperTarget*>& unit) {
    std::vector<const ReaperTarget*> running;
    std::ranges::copy_if(unit, std::back_inserter(running),
                         [](const ReaperTarget* one) { return one->running(); });
    return running;
}

Awaited look_at(const std::vector<const ReaperTarget*>& others) {
    if (std::ranges::any_of(others, &ReaperTarget::running)) return {true};
    const auto stays = std::ranges::find_if_not(
        others, [](const ReaperTarget* other) { return other->target().handle.exited(); });
    return {false, stays == others.end() ? nullptr : *stays};
}

// False: an interrupt came.
bool begin_all(std::vector<ReaperTarget>& targets, int interrupt) {
    for (ReaperTarget& target : targets) {
        if (!target.planned()) continue;
        if (interrupted(interrupt)) return false;
        begin(unit_of(targets, target));
    }
    // Only now: reading what one does must not delay the TERM of the next.
    for (ReaperTarget& target : targets) target.sample_at_term();
    return true;
}

struct Waiting {
    std::vector<pollfd> descriptors;  // the interrupt first; poll(2) skips it when it is -1
    Clock::time_point next = Clock::time_point::max();
    Clock::time_point over = Clock::time_point::min();

    [[nodiscard]] std::size_t running() const { return descriptors.size() - 1; }
};

Waiting collect_waiting(const std::vector<ReaperTarget>& targets, int interrupt) {
    Waiting waiting;
    waiting.descriptors.push_back({interrupt, POLLIN, 0});
    for (const ReaperTarget& target : targets) {
        if (!target.running()) continue;
        waiting.descriptors.push_back({target.target().handle.raw(), POLLIN, 0});
        waiting.next = std::min(waiting.next, target.deadline());
        waiting.over = std::max(waiting.over, target.over_at());
    }
    return waiting;
}

// Rounded up: waking just before a deadline would only make for another round. No difference is
// taken of a moment that has passed: that of the earliest moment there is would overflow.
milliseconds until(Clock::time_point moment) {
    const auto now = Clock::now();
    return moment <= now ? milliseconds(0) : std::chrono::ceil<milliseconds>(moment - now);
}

// Sleeps until a target exits, or a deadline or an interrupt comes. Not empty: why it cannot wait.
std::string sleep(Waiting& waiting) {
    const auto timeout =
        std::min<milliseconds::rep>(until(waiting.next).count(), std::numeric_limits<int>::max());
    const int ready =
        poll(waiting.descriptors.data(), waiting.descriptors.size(), static_cast<int>(timeout));
    return ready < 0 && errno != EINTR ? describe(system_failure("wait for", "the targets").value())
                                       : "";
}

std::string wait_for_all(std::vector<ReaperTarget>& targets, const ReaperParts& parts) {
    while (true) {
        Waiting waiting = collect_waiting(targets, parts.interrupt);
        if (waiting.running() == 0) return {};
        parts.progress.waiting(waiting.running(), targets.size() - waiting.running(),
                               until(waiting.over));
        if (auto trouble = sleep(waiting); !trouble.empty()) return trouble;
        const auto now = Clock::now();
        for (ReaperTarget& target : targets) {
            if (interrupted(parts.interrupt)) return kInterrupted;
            target.advance(now);
        }
    }
}

}  // namespace

void begin(const std::vector<ReaperTarget*>& unit) {
    if (const auto missing = missing_member(unit)) {
        return withdraw_all(unit, OutcomeResult::refused, *missing, "is not part of the plan");
    }
    for (ReaperTarget* member : unit) member->verify();
    for (ReaperTarget* member : unit) {
        if (is_spoiled(unit)) return;
        auto others =
            member->target().step.launcher ? running_of(unit) : std::vector<const ReaperTarget*>{};
        if (others.empty())
            member->terminate();
        else
            member->await([others = std::move(others)] { return look_at(others); });
    }
}

std::vector<Outcome> reap(std::vector<Target> targets, const ReaperParts& parts,
                          const ReaperTimes& times) {
    std::vector<ReaperTarget> running;
    running.reserve(targets.size());  // units point into it
    for (Target& target : targets) running.emplace_back(std::move(target), parts, times);

    const std::string trouble =
        begin_all(running, parts.interrupt) ? wait_for_all(running, parts) : kInterrupted;
    if (!trouble.empty()) {
        for (ReaperTarget& target : running) target.stop(trouble);
    }
    std::vector<Outcome> outcomes;
    outcomes.reserve(targets.size());
    for (const ReaperTarget& target : running) outcomes.push_back(target.final_outcome());
    return outcomes;
}

}  // namespace reaper::agent
