#include "policy/obstacles.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "policy/claim_vetoes.hpp"
#include "policy/member.hpp"
#include "scanner/proc_cgroup.hpp"

namespace reaper::policy {

namespace {

using scanner::Claim;
using scanner::Occupant;
using scanner::Pid;

template <class Range>
bool contains(const Range& pids, Pid pid) {
    return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

std::vector<std::string> argv_of(const scanner::ProcessRow& row) {
    return row.command_line.ok() ? row.command_line.value.argv : std::vector<std::string>{};
}

// Its service manager would start it again.
std::string help_to_end(const scanner::ProcessRow& row) {
    const auto unit = row.cgroup.ok() ? scanner::unit_of(row.cgroup.value) : std::nullopt;
    if (!unit || !unit->name.ends_with(".service")) return fmt::format("kill {}", row.pid);
    return fmt::format("systemctl {}stop {}", unit->of_user_manager ? "--user " : "", unit->name);
}

class Search {
   public:
    Search(const scanner::Facts& facts, const Rules& rules, std::span<const Occupant> occupants,
           std::span<const Pid> leaked)
        : facts_(facts), occupants_(occupants), leaked_(leaked), members_(find_members(facts, rules)) {}

    void find_updates(std::span<const Claim> markers) {
        for (const Member& member : members_) {
            if (member.rule().at_update != AtUpdate::is_update || is_own(member.pid()) || is_dead(member)) continue;
            add(ObstacleKind::update, {member.pid()}, *member.facts, "an update of Hermes is running",
                fmt::format("wait until it is done; is it? ps -fp {}", member.pid()));
        }
        for (const Claim& marker : markers) {
            if (!is_update_running(marker, facts_.machine) || is_own(marker.pid) || is_named(marker.pid)) continue;
            Obstacle obstacle{ObstacleKind::update,
                              {},
                              {},
                              {},
                              fmt::format("{} says that an update is running", marker.path),
                              "wait until it is done; where it was cut off: hermes update",
                              false};
            if (marker.pid > 0) {
                obstacle.pids = {marker.pid};
                obstacle.help = fmt::format("wait until it is done; is it? ps -fp {}", marker.pid);
            }
            if (marker.named.ok()) obstacle.argv = argv_of(marker.named.value);
            found_.push_back(std::move(obstacle));
        }
    }

    void find_gateways() {
        std::map<std::pair<scanner::Uid, std::string>, std::vector<const Member*>> gateways;
        for (const Member& member : members_) {
            if (is_gateway(member) && !runs_below_another(member))
                gateways[{member.facts->row.uid, member.home}].push_back(&member);
        }
        for (const auto& [key, of_home] : gateways) {
            if (of_home.size() < 2) continue;
            std::vector<Pid> pids;
            for (const Member* member : of_home) pids.push_back(member->pid());
            add(ObstacleKind::gateways, pids, *of_home.front()->facts,
                fmt::format("{} has {} gateways", key.second, of_home.size()), "end all but one: " + ends(of_home));
        }
    }

    void find_lost_databases() {
        for (const scanner::ProcessFacts& process : facts_.candidates)
            add_lost(process.row, process.user, process.deleted_databases);
        for (const Occupant& occupant : occupants_) add_lost(occupant.row, occupant.user, occupant.deleted_databases);
    }

    void find_occupants() {
        for (const Occupant& occupant : occupants_) {
            const Pid pid = occupant.row.pid;
            if (occupant.through.empty() || is_own(pid) || is_named(pid) || contains(leaked_, pid)) continue;
            if (is_restarted(occupant) || top_of(occupant) != pid) continue;
            const Member* member = find_member(pid);
            const std::string what =
                member == nullptr ? "none of Hermes' own" : fmt::format("Hermes' {}", member->rule().name);
            found_.push_back({ObstacleKind::occupant,
                              {pid},
                              occupant.user,
                              argv_of(occupant.row),
                              fmt::format("it is {}, and runs out of the install ({})", what, occupant.through),
                              "when its work is done: " + help_to_end(occupant.row),
                              false});
        }
    }

    [[nodiscard]] std::vector<Obstacle> finish() && { return std::move(found_); }

    // Parents first: the first that is a member.
    [[nodiscard]] std::optional<HermesAround> around() const {
        for (const Pid pid : facts_.machine.own_ancestors) {
            const Member* member = find_member(pid);
            if (member == nullptr) continue;
            return HermesAround{pid, member->rule().name, member->rule().at_update == AtUpdate::restarted};
        }
        return std::nullopt;
    }

   private:
    static bool is_dead(const Member& member) { return member.facts->row.state == 'Z'; }
    static bool is_gateway(const Member& member) { return member.match.role.name == "gateway" && !is_dead(member); }

    [[nodiscard]] bool is_own(Pid pid) const {
        return pid == facts_.machine.self || contains(facts_.machine.own_ancestors, pid);
    }
    [[nodiscard]] bool is_named(Pid pid) const {
        return pid > 0 && std::ranges::any_of(found_, [pid](const Obstacle& one) { return contains(one.pids, pid); });
    }
    [[nodiscard]] const Member* find_member(Pid pid) const {
        const auto found = std::ranges::find_if(members_, [pid](const Member& one) { return one.pid() == pid; });
        return found == members_.end() ? nullptr : &*found;
    }

    // What stamps the log of a gateway runs it, and is no second one.
    [[nodiscard]] bool runs_below_another(const Member& gateway) const {
        const Member* parent = find_member(gateway.facts->row.ppid);
        return parent != nullptr && is_gateway(*parent);
    }

    [[nodiscard]] bool is_restarted(const Occupant& occupant) const {
        const auto restarts = [this](Pid pid) {
            const Member* member = find_member(pid);
            return member != nullptr && member->rule().at_update != AtUpdate::in_the_way;
        };
        return restarts(occupant.row.pid) || std::ranges::any_of(occupant.ancestors, restarts);
    }

    // The eldest of its line that has to do with Hermes: the others end with that one.
    [[nodiscard]] Pid top_of(const Occupant& occupant) const {
        Pid top = occupant.row.pid;
        for (const Pid pid : occupant.ancestors) {
            const bool occupies = std::ranges::any_of(
                occupants_, [pid](const Occupant& one) { return one.row.pid == pid && !one.through.empty(); });
            if (occupies || find_member(pid) != nullptr) top = pid;
        }
        return top;
    }

    static std::string ends(const std::vector<const Member*>& gateways) {
        std::vector<std::string> commands;
        for (const Member* gateway : gateways) commands.push_back(help_to_end(gateway->facts->row));
        return fmt::format("{}", fmt::join(commands, ", or "));
    }

    void add(ObstacleKind kind, std::vector<Pid> pids, const scanner::ProcessFacts& process, std::string detail,
             std::string help) {
        found_.push_back(
            {kind, std::move(pids), process.user, argv_of(process.row), std::move(detail), std::move(help), false});
    }

    void add_lost(const scanner::ProcessRow& row, const std::string& user, const std::vector<std::string>& paths) {
        const bool told = std::ranges::any_of(found_, [&](const Obstacle& one) {
            return one.kind == ObstacleKind::deleted_database && contains(one.pids, row.pid);
        });
        if (paths.empty() || told || is_own(row.pid) || contains(leaked_, row.pid)) return;
        found_.push_back(
            {ObstacleKind::deleted_database,
             {row.pid},
             user,
             argv_of(row),
             fmt::format("it writes to {}, which is deleted: what it writes is lost", fmt::join(paths, ", ")),
             help_to_end(row),
             false});
    }

    const scanner::Facts& facts_;
    std::span<const Occupant> occupants_;
    std::span<const Pid> leaked_;
    std::vector<Member> members_;
    std::vector<Obstacle> found_;
};

}  // namespace

std::string_view to_string(ObstacleKind kind) {
    switch (kind) {
        case ObstacleKind::leak: return "leak";
        case ObstacleKind::young: return "young";
        case ObstacleKind::sweep: return "sweep";
        case ObstacleKind::update: return "update";
        case ObstacleKind::gateways: return "gateways";
        case ObstacleKind::deleted_database: return "deleted_database";
        case ObstacleKind::occupant: return "occupant";
    }
    return "leak";
}

std::vector<Obstacle> find_obstacles(const scanner::Facts& facts, const Rules& rules,
                                     std::span<const Occupant> occupants, std::span<const Claim> markers,
                                     std::span<const Pid> leaked) {
    Search search(facts, rules, occupants, leaked);
    search.find_updates(markers);
    search.find_gateways();
    search.find_lost_databases();
    search.find_occupants();
    return std::move(search).finish();
}

bool is_growing_up(const Judgement& judgement) {
    const auto has = [&](auto test) { return std::ranges::any_of(judgement.evidence, test); };
    return judgement.verdict == Verdict::young &&
           has([](const Evidence& piece) { return piece.weight == Weight::for_kill; }) &&
           !has([](const Evidence& piece) { return piece.weight == Weight::veto && piece.code != "veto.young"; });
}

std::optional<HermesAround> hermes_around(const scanner::Facts& facts, const Rules& rules) {
    return Search(facts, rules, {}, {}).around();
}

}  // namespace reaper::policy
