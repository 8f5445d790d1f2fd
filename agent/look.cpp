#include "agent/look.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "agent/claim_places.hpp"
#include "agent/recorded.hpp"
#include "agent/user_rules.hpp"
#include "policy/match.hpp"
#include "policy/member.hpp"
#include "policy/ownership.hpp"
#include "policy/parentage.hpp"
#include "policy/starter.hpp"
#include "scanner/claims.hpp"
#include "scanner/machine.hpp"

namespace reaper::agent {

namespace {

using scanner::Facts;
using scanner::Inspector;
using scanner::Pid;
using scanner::PidHandle;
using scanner::ProcessFacts;
using scanner::ProcessRow;
using scanner::Procfs;

// An interpreter that is replacing itself is tried once more; then it is somebody who is only just starting.
Result<ProcessFacts> inspect(Inspector& inspector, const PidHandle& handle, const scanner::InspectionRequest& request) {
    auto facts = inspector.inspect(handle, request);
    if (!facts && facts.error().code == std::errc::resource_unavailable_try_again) {
        facts = inspector.inspect(handle, request);
    }
    return facts;
}

scanner::InspectionRequest request_for(const policy::Rules& rules, const policy::Match& match) {
    return {policy::environment_keys_of(rules), match.invocation.script, !match.rule->inside_package.empty()};
}

// Both clocks together: times that files record are compared with the one, starts of processes with the other.
void advance_clock(scanner::Machine& machine) {
    const std::uint64_t now = scanner::ticks_since_boot(machine.ticks_per_second);
    machine.now_epoch += static_cast<double>(now - machine.now_ticks) / machine.ticks_per_second;
    machine.now_ticks = now;
}

// A zombie has neither exe nor argv nor handle: its row is all there is. The policy asks whose child it is.
ProcessFacts zombie_facts(const scanner::Machine& machine, ProcessRow row) {
    ProcessFacts facts;
    facts.identity = {machine.boot_id, machine.pid_namespace, row.pid, row.start_ticks, std::nullopt};
    facts.row = std::move(row);
    return facts;
}

// Gone is an answer; not being able to look is none, and is remembered as that.
void add_relative(Facts& facts, const Procfs& procfs, Pid pid) {
    if (pid <= 0) return;
    auto row = scanner::read_row(procfs, pid);
    std::erase_if(facts.relatives, [pid](const ProcessRow& known) { return known.pid == pid; });
    std::erase(facts.unread, pid);
    if (row) {
        const auto place = std::ranges::lower_bound(facts.relatives, pid, {}, &ProcessRow::pid);
        facts.relatives.insert(place, std::move(*row));
    } else if (row.error().code != std::errc::no_such_process) {
        facts.unread.insert(std::ranges::lower_bound(facts.unread, pid), pid);
    }
}

// What they are is told by words that --facts does not keep.
void add_wrappers(Facts& facts, const Procfs& procfs, ProcessRow child) {
    constexpr int kMost = 8;
    for (int above = 0; above < kMost; ++above) {
        const ProcessRow* parent = policy::find_row(facts, child.ppid);
        if (parent == nullptr || !policy::merely_runs(*parent, child)) return;
        child = *parent;
        if (std::ranges::find(facts.wrappers, child.pid) == facts.wrappers.end()) facts.wrappers.push_back(child.pid);
        add_relative(facts, procfs, child.ppid);
    }
}

// Whom a candidate refers to: its parent, whoever stands behind a wrapper, and who it says started it.
void add_relatives(Facts& facts, const Procfs& procfs, const policy::Rules& rules, const ProcessFacts& candidate) {
    add_relative(facts, procfs, candidate.row.ppid);
    add_wrappers(facts, procfs, candidate.row);
    const auto match = policy::match(rules, candidate.row, candidate.environment);
    if (!match) return;
    for (const Pid owner : policy::named_owners(*match, candidate)) add_relative(facts, procfs, owner);
}

void resolve_path(Facts& facts, const std::string& named) {
    if (named.empty() || facts.real_paths.contains(named)) return;
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(named.c_str(), nullptr), &std::free);
    if (real) facts.real_paths[named] = real.get();
}

// Members name their home as their host wrote it, rules as their user did; links and dots make two names of one folder.
void resolve_paths(Facts& facts, const policy::Rules& rules) {
    for (const policy::Member& member : policy::find_members(facts, rules)) resolve_path(facts, member.home);
    for (const policy::ProtectRule& rule : rules.protect) {
        resolve_path(facts, rule.exe);
        resolve_path(facts, rule.home);
    }
}

void read_claims(Facts& facts, const Procfs& procfs, const policy::Rules& rules) {
    facts.claims.clear();
    for (const scanner::ClaimPlaces& places : claim_places(facts, rules)) {
        auto claims = scanner::read_claims(procfs, places);
        std::move(claims.begin(), claims.end(), std::back_inserter(facts.claims));
    }
    std::sort(facts.claims.begin(), facts.claims.end(), [](const scanner::Claim& left, const scanner::Claim& right) {
        return std::tie(left.path, left.pid) < std::tie(right.path, right.pid);
    });
}

// Takes the candidates of one look, one after the other.
class Collector {
   public:
    Collector(const Procfs& procfs, const policy::Rules& rules, scanner::Machine machine, scanner::ScanCount count,
              const Held& held, scanner::InspectionWitness* witness)
        : procfs_(procfs), rules_(rules), held_(held), inspector_(procfs, witness) {
        look_.facts.machine = std::move(machine);
        look_.facts.count = count;
    }

    // Only to find out whether a rule matches; everything is read again once the handle is open.
    void take(Pid pid, bool recorded = false) {
        const auto row = scanner::read_program(procfs_, pid);
        if (!row) return count(row.error());
        if (!row->command_line.ok()) return count_access(row->command_line.access);
        const auto match = recorded ? marked_match_of(*row) : match_of(*row);
        if (!match) return;
        auto handle = PidHandle::open(pid);
        if (!handle) return count(handle.error());
        auto facts = inspect(inspector_, *handle, request_for(rules_, *match));
        if (!facts) return count(facts.error());
        look_.facts.candidates.push_back(std::move(*facts));
        if (!held_ || held_->contains(pid)) look_.handles.emplace(pid, std::move(*handle));
    }

    void take_zombie(Pid pid) {
        auto row = scanner::read_row(procfs_, pid);
        if (!row) return count(row.error());
        look_.facts.candidates.push_back(zombie_facts(look_.facts.machine, std::move(*row)));
    }

    // A program that may be any is passed by in the walk: of those, only whom Hermes recorded is looked at.
    void take_recorded(std::optional<scanner::Uid> scope) {
        if (!policy::takes_any_executable(rules_)) return;
        const std::size_t before = look_.facts.candidates.size();
        for (const Pid pid : recorded_pids(procfs_, look_.facts.claims, scope)) {
            if (!is_candidate(pid)) take(pid, true);
        }
        if (look_.facts.candidates.size() != before) add_surroundings();
    }

    // Whom the candidates refer to, and what is written about them.
    void add_surroundings() {
        Facts& facts = look_.facts;
        std::ranges::sort(facts.candidates, {}, [](const ProcessFacts& candidate) { return candidate.row.pid; });
        scanner::add_user_names(facts.candidates);
        for (const ProcessFacts& candidate : facts.candidates) add_relatives(facts, procfs_, rules_, candidate);
        look_.rules = with_rules_of_users(rules_, facts);
        resolve_paths(facts, look_.rules);
        read_claims(facts, procfs_, rules_);
    }

    [[nodiscard]] Look finish() && { return std::move(look_); }

   private:
    [[nodiscard]] bool is_candidate(Pid pid) const {
        return std::ranges::any_of(look_.facts.candidates, [pid](const auto& one) { return one.row.pid == pid; });
    }
    // The environment is read only where it decides.
    [[nodiscard]] std::optional<policy::Match> match_of(const ProcessRow& row) const {
        auto found = policy::match(rules_, row);
        return !found || !found->needs_mark ? found : marked_match_of(row);
    }
    [[nodiscard]] std::optional<policy::Match> marked_match_of(const ProcessRow& row) const {
        return policy::match(rules_, row, scanner::read_variables(procfs_, row.pid, keys_));
    }
    void count(const Error& error) { count_access(scanner::access_of(error.code)); }
    void count_access(scanner::Access access) {
        ++(access == scanner::Access::gone ? look_.facts.count.vanished : look_.facts.count.denied);
    }

    const Procfs& procfs_;
    const policy::Rules& rules_;
    const Held& held_;
    const std::vector<std::string> keys_ = policy::environment_keys_of(rules_);
    Inspector inspector_;
    Look look_;
};

}  // namespace

Result<Look> Lookout::look(const Held& held) const {
    auto walked = scanner::walk(procfs_, {uid_, policy::executables_of(rules_)});
    if (!walked) return tl::unexpected(walked.error());
    auto machine = scanner::read_machine(procfs_);
    if (!machine) return tl::unexpected(machine.error());
    Collector collector(procfs_, rules_, std::move(*machine), walked->count, held, witness_);
    for (const Pid pid : walked->candidates) collector.take(pid);
    for (const Pid pid : walked->zombies) collector.take_zombie(pid);
    collector.add_surroundings();
    collector.take_recorded(uid_);
    return std::move(collector).finish();
}

Result<void> Lookout::refresh(Facts& facts, const PidHandle& handle) const {
    const auto known = std::find_if(facts.candidates.begin(), facts.candidates.end(),
                                    [&](const ProcessFacts& candidate) { return candidate.row.pid == handle.pid(); });
    const auto match =
        known == facts.candidates.end() ? std::nullopt : policy::match(rules_, known->row, known->environment);
    if (!match) return failure(std::errc::no_such_process, "look again at", "pid " + std::to_string(handle.pid()));
    Inspector inspector(procfs_, witness_);
    auto fresh = inspect(inspector, handle, request_for(rules_, *match));
    if (!fresh) return tl::unexpected(fresh.error());
    fresh->user = known->user;
    *known = std::move(*fresh);
    advance_clock(facts.machine);
    add_relatives(facts, procfs_, rules_, *known);
    read_claims(facts, procfs_, rules_);
    return {};
}

bool Lookout::find_holders(Facts& facts, const std::vector<policy::Judgement>& judgements) const {
    bool found = false;
    for (const policy::Judgement& judgement : judgements) {
        if (judgement.verdict != policy::Verdict::held) continue;
        for (ProcessFacts& candidate : facts.candidates) {
            if (candidate.row.pid != judgement.identity.pid || !candidate.standard_input.ok()) continue;
            scanner::StdioEnd& input = candidate.standard_input.value;
            if (input.peer != scanner::PeerState::alive) continue;
            input.holders = scanner::find_holders(procfs_, input.inode, candidate.row.pid);
            found = found || !input.holders.empty();
        }
    }
    return found;
}

}  // namespace reaper::agent
