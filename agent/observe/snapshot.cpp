#include "agent/observe/snapshot.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "agent/observe/claim_places.hpp"
#include "agent/observe/claims.hpp"
#include "agent/observe/ledger_pids.hpp"
#include "agent/observe/relatives.hpp"
#include "agent/observe/request.hpp"
#include "agent/observe/snapshot_packet.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/reaping/descriptors.hpp"
#include "agent/rules/per_user.hpp"
#include "policy/match/location.hpp"
#include "policy/match/match.hpp"
#include "policy/match/member.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/machine.hpp"
#include "scanner/parse/interpreter.hpp"

namespace reaper::agent {

namespace {

using scanner::Facts;
using scanner::Inspector;
using scanner::Pid;
using scanner::PidHandle;
using scanner::ProcessFacts;
using scanner::ProcessRow;
using scanner::ProcessTable;

// A zombie has neither exe nor argv nor handle: its row is all there is. The policy asks which
// process is its parent.
ProcessFacts zombie_facts(const scanner::Machine& machine, ProcessRow row) {
    ProcessFacts facts;
    facts.identity = {machine.boot_id, machine.pid_namespace, row.pid, row.start_ticks,
                      std::nullopt};
    facts.row = std::move(row);
    return facts;
}

void resolve_path(Facts& facts, scanner::Uid user, const std::string& named) {
    if (named.empty() || facts.real_paths.contains(named) || !scanner::may_read(user, named))
        return;
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(named.c_str(), nullptr),
                                                           &std::free);
    if (real) facts.real_paths[named] = real.get();
}

// Members name their home as their host wrote it, rules as their user did; links and dots make two
// names of one folder.
void resolve_paths(Facts& facts, const policy::Rules& rules) {
    for (const policy::Member& member : policy::find_members(facts, rules))
        resolve_path(facts, member.facts->row.uid, member.home);
    for (const policy::ProtectRule& rule : rules.protect) {
        const scanner::Uid user = rule.uid.value_or(facts.machine.uid);
        resolve_path(facts, user, rule.exe);
        resolve_path(facts, user, rule.home);
    }
}

// Ledgers that are read although nothing that was found belongs to their home.
void add_missing(std::vector<scanner::Claim>& claims, const std::vector<scanner::Claim>& unclear) {
    for (const scanner::Claim& claim : unclear) {
        const auto place = std::ranges::lower_bound(claims, claim.path, {}, &scanner::Claim::path);
        if (place == claims.end() || place->path != claim.path) claims.insert(place, claim);
    }
}

// Takes the candidates of one look, one after the other.
class Collector {
   public:
    Collector(const ProcessTable& table, const policy::Rules& rules, scanner::Machine machine,
              scanner::ScanCount count, const KeepHandles& held, std::size_t room,
              scanner::InspectionObserver* witness)
        : table_(table), rules_(rules), held_(held), inspector_(table, witness) {
        look_.facts.machine = std::move(machine);
        look_.facts.count = count;
        look_.room = room;
    }

    // Only to find out whether a rule matches; everything is read again once the handle is open.
    void take(Pid pid, bool recorded = false) {
        const auto row = scanner::read_program(table_, pid);
        if (!row) return count(row.error());
        if (!row->command_line.ok()) {
            const bool dispensable =
                row->exe.ok() && scanner::is_one_of(row->exe.value, dispensable_);
            return dispensable ? void() : count_access(row->command_line.access);
        }
        const auto match = recorded ? marked_match_of(*row) : match_of(*row);
        if (!match || runs_elsewhere(*match, *row)) return;
        auto handle = PidHandle::open(pid);
        if (!handle) return count(handle.error());
        auto facts = inspect(inspector_, *handle, request_for(rules_, *match));
        if (!facts) return count(facts.error());
        look_.facts.candidates.push_back(std::move(*facts));
        const bool wanted = !held_ || held_->contains(pid);
        if (wanted && look_.handles.size() < look_.room)
            look_.handles.emplace(pid, std::move(*handle));
    }

    void take_zombie(Pid pid) {
        auto row = scanner::read_row(table_, pid);
        if (!row) return count(row.error());
        look_.facts.candidates.push_back(zombie_facts(look_.facts.machine, std::move(*row)));
    }

    // The walk passes by families whose program can be any: of those, only processes that Hermes
    // recorded are looked at.
    void take_recorded(std::optional<scanner::Uid> scope) {
        if (!policy::takes_any_executable(rules_)) return;
        const std::size_t before = look_.facts.candidates.size();
        const Recorded recorded = find_recorded(table_, look_.facts, scope);
        for (const Pid pid : recorded.pids) {
            if (!is_candidate(pid)) take(pid, true);
        }
        if (look_.facts.candidates.size() != before) add_surroundings();
        add_missing(look_.facts.claims, recorded.unclear);
    }

    // Adds what the candidates refer to, and what files say about them.
    void add_surroundings() {
        Facts& facts = look_.facts;
        std::ranges::sort(facts.candidates, {},
                          [](const ProcessFacts& candidate) { return candidate.row.pid; });
        scanner::add_user_names(facts.candidates);
        for (const ProcessFacts& candidate : facts.candidates)
            read_relatives(facts, table_, rules_, candidate);
        look_.rules = with_rules_of_users(rules_, facts);
        resolve_paths(facts, look_.rules);
        read_claims(facts, table_, claim_places(policy::find_members(facts, rules_)));
    }

    [[nodiscard]] Look finish() && { return std::move(look_); }

   private:
    [[nodiscard]] bool is_candidate(Pid pid) const {
        return std::ranges::any_of(look_.facts.candidates,
                                   [pid](const auto& one) { return one.row.pid == pid; });
    }
    // Of --under: what is not below that folder is left out.
    [[nodiscard]] bool runs_elsewhere(const policy::Match& match, const ProcessRow& row) const {
        const auto& names = match.rule->under;
        if (names.empty()) return false;
        const Pid self = look_.facts.machine.self;
        if (row.pid == self || row.pid == ::getpid()) return true;  // or the copy that reads
        return !policy::runs_below(names, row, scanner::read_working_folder(table_, row.pid));
    }
    // The environment is read only where it decides.
    [[nodiscard]] std::optional<policy::Match> match_of(const ProcessRow& row) const {
        auto found = policy::match(rules_, row);
        return !found || !found->needs_mark ? found : marked_match_of(row);
    }
    [[nodiscard]] std::optional<policy::Match> marked_match_of(const ProcessRow& row) const {
        return policy::match(rules_, row, scanner::read_variables(table_, row.pid, keys_));
    }
    void count(const Error& error) {
        const bool too_many = error.code == std::errc::too_many_files_open ||
                              error.code == std::errc::too_many_files_open_in_system;
        if (too_many && look_.trouble.empty()) look_.trouble = describe(error);
        count_access(scanner::access_of(error.code));
    }
    void count_access(scanner::Access access) {
        ++(access == scanner::Access::gone ? look_.facts.count.vanished : look_.facts.count.denied);
    }

    const ProcessTable& table_;
    const policy::Rules& rules_;
    const KeepHandles& held_;
    const std::vector<std::string> dispensable_ = policy::executables_apart(rules_);
    const std::vector<std::string> keys_ = policy::environment_keys_of(rules_);
    Inspector inspector_;
    Look look_;
};

}  // namespace

// A copy reads as this process would, and sends what it found, with the handles that are to be
// kept.
Result<Look> Observer::look(const KeepHandles& held, const policy::Settings* settings) const {
    BoundedReader& reader = BoundedReader::of_program();
    const std::size_t room = room_for_handles();
    const auto read = [&] { return look_in_place(held, room, settings); };
    if (reader.reads_in_place()) return read();
    auto reply =
        reader.run({[&](ReaderLine& line) { answer_with(read(), line); }, table_.descriptors()});
    if (!reply) return tl::unexpected(std::move(reply.error()));
    auto look = look_of(*std::move(reply), rules_);
    if (look && look->managers_hang) expect_managers_to_hang();
    return look;
}

// The three passes: walk, candidates, context.
Result<Look> Observer::look_in_place(const KeepHandles& held, std::size_t room,
                                     const policy::Settings* settings) const {
    auto walked =
        scanner::walk(table_, {uid_, policy::executables_of(rules_),
                               policy::executables_apart(rules_), policy::takes_leftovers(rules_)});
    if (!walked) return tl::unexpected(walked.error());
    auto machine = scanner::read_machine(table_);
    if (!machine) return tl::unexpected(machine.error());
    Collector collector(table_, rules_, std::move(*machine), walked->count, held, room, witness_);
    for (const Pid pid : walked->candidates) collector.take(pid);
    for (const Pid pid : walked->zombies) collector.take_zombie(pid);
    collector.add_surroundings();
    collector.take_recorded(uid_);
    Look look = std::move(collector).finish();
    if (settings != nullptr) read_context(look, *settings);
    look.managers_hang = managers_hang();
    return look;
}

}  // namespace reaper::agent
