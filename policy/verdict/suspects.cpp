#include "policy/verdict/suspects.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "policy/rules/verdict.hpp"
#include "policy/verdict/designation.hpp"
#include "scanner/exited.hpp"

namespace reaper::policy {

namespace {

using scanner::Pid;
using Kind = std::pair<std::string, HomeKey>;

Kind kind_of(const Member& member) {
    return {member.rule().name, home_key(member)};
}

bool is_old_enough(const Member& member, const scanner::Machine& machine,
                   const Settings& settings) {
    if (scanner::has_exited(member.facts->row) || member.facts->row.state == 'Z') return false;
    return age_of(member.facts->row, machine) >= settings.min_age.value_or(member.rule().start_up);
}

class SuspectFinder {
   public:
    SuspectFinder(const std::vector<Member>& members, const Settings& settings)
        : settings_(settings) {
        for (const Member& member : members) {
            ++kinds_[kind_of(member)];
            if (member.launcher) run_by_[*member.launcher].push_back(kind_of(member));
            if (!member.facts->listeners.value.empty())
                listening_[home_key(member)].insert(member.pid());
        }
    }

    void check(const Member& member) {
        if (member.parentage.adopted() && can_be_hostless_leak(member)) {
            add(member, found_.hostless, {Verdict::orphan, Verdict::superseded, Verdict::held});
        } else if (member.parentage.has_live_host() && can_be_hosted_leak(member)) {
            add(member, found_.hosted, {Verdict::abandoned, Verdict::duplicate});
        }
    }

    [[nodiscard]] Suspects take() && { return std::move(found_); }

   private:
    // What outlives its hosts is leaked only in favour of another that has the port.
    [[nodiscard]] bool can_be_hostless_leak(const Member& member) const {
        if (!member.match.role.outlives_host) return true;
        const auto found = listening_.find(home_key(member));
        return found != listening_.end() &&
               std::ranges::any_of(found->second, [&](Pid pid) { return pid != member.pid(); });
    }

    // A launcher is a duplicate by what it runs, which may serve another home than the launcher
    // names.
    [[nodiscard]] bool can_be_hosted_leak(const Member& member) const {
        if (is_cut_off(*member.facts)) return true;
        if (!member.rule().single_instance) return false;
        const auto has_another = [this](const Kind& kind) { return kinds_.at(kind) > 1; };
        const auto run = run_by_.find(member.pid());
        return has_another(kind_of(member)) ||
               (run != run_by_.end() && std::ranges::any_of(run->second, has_another));
    }

    void add(const Member& member, std::set<Pid>& to, std::initializer_list<Verdict> verdicts) {
        to.insert(member.pid());
        const auto& actions = member.rule().actions;
        const auto is_ended = [&](Verdict verdict) {
            const auto action = actions.find(verdict);
            return settings_.also_reap.contains(verdict) ||
                   (action != actions.end() && action->second == Action::reap);
        };
        if (std::ranges::any_of(verdicts, is_ended)) found_.to_end.insert(member.pid());
    }

    const Settings& settings_;
    std::map<Kind, std::size_t> kinds_;
    std::map<Pid, std::vector<Kind>> run_by_;  // by launcher
    std::map<HomeKey, std::set<Pid>> listening_;
    Suspects found_;
};

}  // namespace

Suspects find_suspects(const std::vector<Member>& members, const scanner::Machine& machine,
                       const Settings& settings) {
    SuspectFinder finder(members, settings);
    for (const Member& member : members) {
        if (is_old_enough(member, machine, settings)) finder.check(member);
    }
    return std::move(finder).take();
}

}  // namespace reaper::policy
