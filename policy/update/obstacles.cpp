#include "policy/update/obstacles.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "policy/match/member.hpp"
#include "policy/update/command_line_only.hpp"
#include "policy/update/gateways.hpp"
#include "policy/update/lineage.hpp"
#include "policy/verdict/claim_vetoes.hpp"
#include "scanner/exited.hpp"
#include "scanner/parse/proc_cgroup.hpp"

namespace reaper::policy {

namespace {

using scanner::Claim;
using scanner::Occupant;
using scanner::Pid;
using scanner::ProcessFacts;
using scanner::ProcessRow;

template <class Range>
bool contains(const Range& pids, Pid pid) {
    return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

std::vector<std::string> argv_of(const ProcessRow& row) {
    return row.command_line.ok() ? row.command_line.value.argv : std::vector<std::string>{};
}

bool heads_service(const ProcessFacts& process) {
    if (variable(process, "SYSTEMD_EXEC_PID") == std::to_string(process.row.pid)) return true;
    return process.unit.ok() && process.unit.value.main_pid == process.row.pid;
}

bool occupies_install(const Occupant& occupant) {
    return !occupant.through.empty() || !occupant.leases.empty();
}

std::string describe_occupancy(const Occupant& occupant) {
    const bool outdated = std::ranges::any_of(occupant.leases, is_outdated);
    const std::string_view since = outdated ? ", since before the last update" : "";
    if (!occupant.through.empty())
        return fmt::format("runs out of the install ({}){}", occupant.through, since);
    const scanner::Lease& lease = occupant.leases.front();
    return fmt::format("holds a lease of the install ({}/environments/{}){}", lease.install,
                       lease.generation, since);
}

class Search {
   public:
    Search(const scanner::Facts& facts, const Rules& rules, const scanner::Occupancy& occupancy,
           std::span<const Pid> leaked)
        : facts_(facts),
          rules_(rules),
          occupancy_(occupancy),
          leaked_(leaked),
          members_(find_members(facts, rules)),
          lineage_(members_, occupancy, rules) {}

    void find_updates(std::span<const Claim> markers) {
        for (const Member& member : members_) {
            if (member.rule().at_update != AtUpdate::is_update || is_own(member.pid()) ||
                !concerns_us(member))
                continue;
            add_update(member.facts->row, member.facts->user);
        }
        for (const Occupant& occupant : occupancy_.occupants)
            find_update(occupant.row, occupant.user);
        for (const ProcessRow& row : occupancy_.unseen) find_update(row, name_of(row));
        for (const Claim& marker : markers) {
            if (!is_update_running(marker, facts_.machine) || is_own(marker.pid) ||
                is_named(marker.pid))
                continue;
            Obstacle obstacle{ObstacleKind::update,
                              {},
                              {},
                              {},
                              fmt::format("{} says that an update is running", marker.path),
                              "wait until it is done; where it was cut off: hermes update",
                              false};
            if (marker.named.access == scanner::Access::gone) {
                obstacle.help =
                    "wait until it is done: it may run where it cannot be seen from here; if it "
                    "was "
                    "interrupted, wait 20 minutes from its start";
            } else if (marker.pid > 0) {
                obstacle.pids = {marker.pid};
                obstacle.help =
                    fmt::format("wait until it is done; to check: ps -fp {}", marker.pid);
            }
            if (marker.named.ok()) obstacle.argv = argv_of(marker.named.value);
            found_.push_back(std::move(obstacle));
        }
    }

    void find_gateways() {
        const auto gateways = gateways_by_home(members_);
        for (const auto& [home, of_home] : gateways) {
            if (of_home.size() < 2) continue;
            std::vector<Pid> pids;
            for (const Member* member : of_home) pids.push_back(member->pid());
            add(ObstacleKind::gateways, pids, of_home.front()->facts->row,
                of_home.front()->facts->user,
                fmt::format("{} has {} gateways", home, of_home.size()),
                "end all but one: " + ends(of_home));
        }
        if (!gateways.empty()) find_unseen_gateways();
    }

    // Occupants are skipped here: they show that they run out of the install.
    void find_unseen_gateways() {
        for (const ProcessRow& row : occupancy_.unseen) {
            const auto match =
                is_occupant(row.pid) ? std::nullopt : match_by_command_line(row, rules_, false);
            if (!match || match->role.name != "gateway" || is_own(row.pid)) continue;
            add(ObstacleKind::gateways, {row.pid}, row, name_of(row),
                "it is another gateway; only root can see of which home",
                "sudo orphan-reaper preflight --all-users --dry-run");
        }
    }

    void find_lost_databases() {
        for (const ProcessFacts& process : facts_.candidates) {
            if (!is_elsewhere(process))
                add_lost(process.row, process.user, process.deleted_databases,
                         heads_service(process));
        }
        for (const Occupant& occupant : occupancy_.occupants)
            add_lost(occupant.row, occupant.user, occupant.deleted_databases,
                     occupant.heads_service);
    }

    void find_occupants() {
        for (const Occupant& occupant : occupancy_.occupants) {
            if (!occupies_install(occupant)) continue;
            const auto family = lineage_.family_of(occupant.row.pid);
            const std::string what =
                family ? fmt::format("Hermes' {}", *family) : "no part of Hermes";
            add_occupant(occupant.row, occupant.user, occupant.heads_service,
                         fmt::format("it is {}, and {}", what, describe_occupancy(occupant)));
        }
        for (const Member& member : members_) {
            if (member.rule().at_update != AtUpdate::in_the_way || !concerns_us(member)) continue;
            add_occupant(member.facts->row, member.facts->user, heads_service(*member.facts),
                         fmt::format("it is Hermes' {}", member.rule().name));
        }
    }

    [[nodiscard]] std::vector<Obstacle> finish() && { return std::move(found_); }

   private:
    [[nodiscard]] bool is_own(Pid pid) const {
        return pid == facts_.machine.self || contains(facts_.machine.own_ancestors, pid);
    }
    [[nodiscard]] bool is_named(Pid pid) const {
        return pid > 0 && std::ranges::any_of(found_, [pid](const Obstacle& one) {
                   return contains(one.pids, pid);
               });
    }

    [[nodiscard]] bool is_occupant(Pid pid) const {
        return std::ranges::any_of(occupancy_.occupants, [pid](const Occupant& one) {
            return one.row.pid == pid && occupies_install(one);
        });
    }

    [[nodiscard]] static std::string name_of(const ProcessRow& row) {
        return row.uid == 0 ? "root" : "";
    }

    // Returns the label of a job of launchd that it is; empty: it is none.
    [[nodiscard]] std::string label_of(Pid pid) const {
        const auto found = std::ranges::find_if(
            facts_.candidates, [pid](const ProcessFacts& one) { return one.row.pid == pid; });
        const bool is_job = is_mac(facts_.machine) && found != facts_.candidates.end() &&
                            heads_service(*found) && found->unit.ok();
        return is_job ? found->unit.value.name : std::string();
    }

    // Suggests a command. The service manager would restart a service after a kill. A process that
    // only runs inside of a service, such as the programs of a login in that of sshd, ends by a
    // kill.
    [[nodiscard]] std::string help_to_end(const ProcessRow& row, const std::string& user,
                                          bool heads_service) const {
        if (const std::string label = label_of(row.pid); !label.empty())
            return row.uid == 0 ? fmt::format("sudo launchctl bootout system/{}", label)
                                : fmt::format("launchctl bootout gui/{}/{}", row.uid, label);
        const auto unit = row.cgroup.ok() ? scanner::unit_of(row.cgroup.value) : std::nullopt;
        const bool is_service = unit && unit->name.ends_with(".service");
        if (!is_service || !(heads_service || unit->name.find("hermes") != std::string::npos))
            return fmt::format("kill {}", row.pid);
        if (!unit->of_user_manager) return fmt::format("systemctl stop {}", unit->name);
        const bool is_ours = row.uid == facts_.machine.uid || user.empty();
        return fmt::format("systemctl --user {}stop {}",
                           is_ours ? "" : fmt::format("-M {}@ ", user), unit->name);
    }

    [[nodiscard]] std::string ends(const std::vector<const Member*>& gateways) const {
        std::vector<std::string> commands;
        commands.reserve(gateways.size());
        for (const Member* gateway : gateways)
            commands.push_back(help_to_end(gateway->facts->row, gateway->facts->user,
                                           heads_service(*gateway->facts)));
        return fmt::format("{}", fmt::join(commands, ", or "));
    }

    void add(ObstacleKind kind, std::vector<Pid> pids, const ProcessRow& row, std::string user,
             std::string detail, std::string help) {
        found_.push_back({kind, std::move(pids), std::move(user), argv_of(row), std::move(detail),
                          std::move(help), false, unit_name_of(row)});
    }

    // For processes of users that are not examined.
    void find_update(const ProcessRow& row, const std::string& user) {
        const auto match = match_by_command_line(row, rules_, is_occupant(row.pid));
        if (!match || match->rule->at_update != AtUpdate::is_update || is_own(row.pid) ||
            is_named(row.pid))
            return;
        add_update(row, user);
    }

    void add_update(const ProcessRow& row, const std::string& user) {
        add(ObstacleKind::update, {row.pid}, row, user, "an update of Hermes is running",
            fmt::format("wait until it is done; to check: ps -fp {}", row.pid));
    }

    void add_occupant(const ProcessRow& row, const std::string& user, bool heads_service,
                      std::string detail) {
        const Pid pid = row.pid;
        if (is_own(pid) || is_named(pid) || contains(leaked_, pid)) return;
        if (lineage_.is_restarted(pid) || lineage_.outermost_of(pid) != pid) return;
        add(ObstacleKind::occupant, {pid}, row, user, std::move(detail),
            "when its work is done: " + help_to_end(row, user, heads_service));
    }

    void add_lost(const ProcessRow& row, const std::string& user,
                  const std::vector<std::string>& paths, bool heads_service) {
        const bool told = std::ranges::any_of(found_, [&](const Obstacle& one) {
            return one.kind == ObstacleKind::deleted_database && contains(one.pids, row.pid);
        });
        if (paths.empty() || told || is_own(row.pid) || contains(leaked_, row.pid)) return;
        add(ObstacleKind::deleted_database, {row.pid}, row, user,
            fmt::format("it has {} open, which is deleted: what is written there is lost",
                        fmt::join(paths, ", ")),
            help_to_end(row, user, heads_service));
    }

    const scanner::Facts& facts_;
    const Rules& rules_;
    const scanner::Occupancy& occupancy_;
    std::span<const Pid> leaked_;
    std::vector<Member> members_;
    Lineage lineage_;
    std::vector<Obstacle> found_;
};

}  // namespace

std::string unit_name_of(const ProcessRow& row) {
    auto unit = row.cgroup.ok() ? scanner::unit_of(row.cgroup.value) : std::nullopt;
    return unit ? std::move(unit->name) : std::string();
}

std::string_view to_string(ObstacleKind kind) {
    switch (kind) {
        case ObstacleKind::leak: return "leak";
        case ObstacleKind::young: return "young";
        case ObstacleKind::stale_file: return "stale_file";
        case ObstacleKind::sweep: return "sweep";
        case ObstacleKind::update: return "update";
        case ObstacleKind::gateways: return "gateways";
        case ObstacleKind::deleted_database: return "deleted_database";
        case ObstacleKind::occupant: return "occupant";
    }
    return "leak";
}

std::vector<Obstacle> find_obstacles(const scanner::Facts& facts, const Rules& rules,
                                     const scanner::Occupancy& occupancy,
                                     std::span<const Claim> markers, std::span<const Pid> leaked) {
    Search search(facts, rules, occupancy, leaked);
    search.find_updates(markers);
    search.find_gateways();
    search.find_lost_databases();
    search.find_occupants();
    return std::move(search).finish();
}

bool is_young_orphan(const Judgement& judgement) {
    const auto has = [&](auto test) { return std::ranges::any_of(judgement.evidence, test); };
    return judgement.verdict == Verdict::young &&
           has([](const Evidence& piece) { return piece.weight == Weight::for_kill; }) &&
           !has([](const Evidence& piece) {
               return piece.weight == Weight::veto && piece.code != "veto.young";
           });
}

std::optional<EnclosingHermes> find_enclosing_hermes(const scanner::Facts& facts,
                                                     const Rules& rules) {
    const std::vector<Member> members = find_members(facts, rules);
    for (const Pid pid : facts.machine.own_ancestors) {
        const auto member =
            std::ranges::find_if(members, [pid](const Member& one) { return one.pid() == pid; });
        if (member == members.end()) continue;
        return EnclosingHermes{pid, member->rule().name,
                               member->rule().at_update == AtUpdate::restarted};
    }
    return std::nullopt;
}

}  // namespace reaper::policy
