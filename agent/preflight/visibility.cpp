#include "agent/preflight/visibility.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "policy/update/obstacles.hpp"

namespace reaper::agent {

namespace {

void add_hidden_remarks(Report& report, const VisibilityInput& around) {
    if (around.install_paths.installs.empty()) {
        report.complete = false;
        report.remarks.emplace_back(
            "no install of Hermes was found, so it is not known which processes run out of it: run "
            "this as the user that has it, or say --home DIR");
    }
    if (around.facts.machine.hides_processes) {
        report.complete = false;
        report.remarks.emplace_back(
            "/proc hides the processes of other users: only root can see whether one of them runs "
            "out of the install");
    }
    if (!around.occupancy.unseen.empty())
        report.remarks.push_back(
            fmt::format("of {} processes of others only the command line could be looked at: root "
                        "sees what else they use",
                        around.occupancy.unseen.size()));
}

// Processes of users that are not asked about make nothing incomplete: they could keep an update
// of others from ever being ready.
void add_overfull_remark(Report& report, const VisibilityInput& around) {
    const auto& overfull = around.occupancy.overfull;
    if (overfull.empty()) return;
    const auto& users = around.facts.scope_uids;
    const auto is_asked_about = [&](const scanner::ProcessRow& row) {
        return users.empty() || std::ranges::find(users, row.uid) != users.end();
    };
    if (std::ranges::any_of(overfull, is_asked_about)) report.complete = false;
    report.remarks.push_back(
        fmt::format("{} processes, as pid {} of user id {}, have too much open to be looked at: "
                    "whether they use a database or a lease of an install is not known",
                    overfull.size(), overfull.front().pid, overfull.front().uid));
}

void add_surrounding_hermes(Report& report, const VisibilityInput& around) {
    const auto hermes = policy::find_enclosing_hermes(around.facts, around.rules);
    if (!hermes) return;
    std::string text = fmt::format("this runs inside of Hermes ({}, pid {}), which is not counted",
                                   hermes->family, hermes->pid);
    if (hermes->restarted)
        text +=
            "; an update restarts that, and what runs inside of it may end: better start the "
            "update elsewhere";
    report.remarks.push_back(std::move(text));
}

}  // namespace

void add_visibility_remarks(Report& report, const VisibilityInput& around) {
    add_hidden_remarks(report, around);
    add_overfull_remark(report, around);
    if (!around.options.homes.empty() || !around.options.families.empty())
        report.remarks.emplace_back(
            "of what is leaked, only what --home and --family name was looked at");
    add_surrounding_hermes(report, around);
}

}  // namespace reaper::agent
