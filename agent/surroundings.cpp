#include "agent/surroundings.hpp"

#include <utility>

#include <fmt/format.h>

#include "policy/obstacles.hpp"

namespace reaper::agent {

namespace {

void tell_what_is_hidden(Report& report, const Surroundings& around) {
    if (around.premises.installs.empty()) {
        report.complete = false;
        report.remarks.emplace_back(
            "no install of Hermes was found, so nobody could be looked for who runs out of it: run this as the user "
            "whose it is, or say --home DIR");
    }
    if (around.facts.machine.hides_processes) {
        report.complete = false;
        report.remarks.emplace_back(
            "/proc hides the processes of other users: only root can see whether one of them runs out of the install");
    }
    if (!around.occupancy.unseen.empty())
        report.remarks.push_back(fmt::format(
            "of {} processes of others only the command line could be looked at: root sees what else they use",
            around.occupancy.unseen.size()));
}

void tell_of_hermes_around(Report& report, const Surroundings& around) {
    const auto hermes = policy::hermes_around(around.facts, around.rules);
    if (!hermes) return;
    std::string text =
        fmt::format("this runs inside of Hermes ({}, pid {}), which is not counted", hermes->family, hermes->pid);
    if (hermes->restarted)
        text += "; an update restarts that, and what runs inside of it may end: better start the update elsewhere";
    report.remarks.push_back(std::move(text));
}

}  // namespace

void tell_surroundings(Report& report, const Surroundings& around) {
    tell_what_is_hidden(report, around);
    if (!around.options.homes.empty() || !around.options.families.empty())
        report.remarks.emplace_back("of what is leaked, only what --home and --family name was looked at");
    tell_of_hermes_around(report, around);
}

}  // namespace reaper::agent
