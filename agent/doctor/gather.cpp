#include "agent/doctor/gather.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "agent/doctor/gather_packet.hpp"
#include "agent/history/file.hpp"
#include "agent/history/history.hpp"
#include "agent/observe/diagnosis.hpp"
#include "agent/observe/judged.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/reaping/command.hpp"
#include "agent/system/environment.hpp"
#include "agent/system/system_calls.hpp"
#include "scanner/inspector.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/proc_connector.hpp"
#include "scanner/service_managers.hpp"
#include "scanner/users.hpp"

namespace reaper::agent {

namespace {

constexpr std::chrono::milliseconds kVersionTime{2000};

std::string own_program() {
    std::string path = own_program_path();
    return path.empty() ? "orphan-reaper" : path;
}

// Not what the environment says. Empty: there is none.
std::string recorded_home() {
    const auto user = scanner::find_user(::geteuid());
    return user && *user ? (*user)->home : std::string();
}

// Looks as a report does, so that what a report would miss is missed here, too.
void look(const scanner::ProcessTable& table, const Setup& setup, Observations& seen,
          scanner::Facts& facts) {
    const Observer observer(table, setup.rules, setup.uid);
    auto judged = look_and_judge(observer, setup, no_handles());
    if (!judged) {
        seen.sight.trouble = describe(judged.error());
        return;
    }
    seen.sight.diagnosis = diagnose(table, *judged, setup.uid);
    seen.sight.managers_hang = judged->look.managers_hang;
    seen.sight.users_with_unreadable_rules =
        std::move(judged->look.rules.users_with_unreadable_rules);
    facts = std::move(judged->look.facts);
    seen.sight.machine = facts.machine;
    seen.sight.count = facts.count;
    seen.sight.unanswered = facts.unanswered;
}

void look_around(const scanner::ProcessTable& table, const Setup& setup,
                 const scanner::Facts& facts, Observations& seen) {
    const auto read = [&]() -> Result<Surroundings> {
        ScheduleOf whose = seen.whose;
        whose.user = scanner::user_name(whose.uid);
        return Surroundings{whose.user,
                            read_standing(table),
                            read_threads(table),
                            read_schedule_files(whose),
                            read_history_place(history_folder(), recorded_home()),
                            read_homes(pid_file_places(facts, setup)),
                            find_other_programs(variable("PATH")),
                            find_watches(table, setup.uid)};
    };
    std::vector<std::string> left_out;
    auto around = read_bounded<Surroundings>(read, table.descriptors(), &left_out);
    for (std::string& path : left_out) {
        std::vector<std::string>& known = seen.sight.unanswered;
        if (std::ranges::find(known, path) == known.end()) known.push_back(std::move(path));
    }
    if (!around) {
        seen.around_trouble = describe(around.error());
        return;
    }
    seen.whose.user = std::move(around->user);
    seen.standing = std::move(around->standing);
    seen.threads = around->threads;
    seen.schedule = ask_schedule(around->schedule, seen.whose);
    const ScheduleFiles& files = around->schedule;
    seen.manager.runs = files.systemd_runs || files.has_user_manager;
    seen.manager.reachable = files.has_system_manager || !files.systemd_runs;
    seen.history = std::move(around->history);
    seen.homes = std::move(around->homes);
    seen.others = std::move(around->others);
    seen.watches = std::move(around->watches);
}

// `in_first`: in the first pid and user namespace; in others the connector never answers.
Kernel ask_kernel(bool in_first) {
    Kernel kernel;
    const auto self = scanner::PidHandle::open(::getpid());
    if (self) {
        kernel.has_pidfs = self->inode().has_value();
        kernel.tells_parents = self->parent().has_value();
    }
    if (::geteuid() == 0 && in_first) kernel.connector = scanner::ProcConnector::open().has_value();
    return kernel;
}

// "orphan-reaper 0.2.0", and perhaps more
void ask_versions(std::vector<OtherProgram>& others) {
    constexpr std::string_view kName = "orphan-reaper ";
    for (OtherProgram& other : others) {
        if (!other.trusted) continue;
        const auto said = ask({.argv = {other.path, "--version"}, .limit = kVersionTime});
        if (!said || said->status != 0 || !said->out.starts_with(kName)) continue;
        const std::string_view rest = std::string_view(said->out).substr(kName.size());
        other.version = rest.substr(0, rest.find_first_of(" \n"));
    }
}

// When something was last ended or removed.
std::optional<std::uint64_t> seconds_since_last_end() {
    CachedHistory past(history_folder());
    const auto& records = past.records();
    if (!records || records->empty()) return std::nullopt;
    double last = 0;
    for (const ActionRecord& record : *records) last = std::max(last, record.begin.at);
    const double now =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    return now > last ? static_cast<std::uint64_t>(now - last) : 0;
}

}  // namespace

Observations gather(const Setup& setup, std::string rules_trouble) {
    Observations seen;
    seen.version = REAPER_VERSION;
    seen.program = own_program();
    seen.own_uid = ::geteuid();
    seen.whose.uid = setup.uid.value_or(seen.own_uid);
    seen.whose.every = seen.own_uid == 0 && seen.whose.uid == 0;
    seen.rules_trouble = std::move(rules_trouble);
    seen.rule_files = setup.rule_sources.size();
    seen.hermes_home = variable("HERMES_HOME");
    const auto table = scanner::ProcessTable::open();
    if (!table) {
        seen.sight.trouble = seen.around_trouble = describe(table.error());
        return seen;
    }
    scanner::Facts facts;
    look(*table, setup, seen, facts);
    look_around(*table, setup, facts, seen);
    const Standing& standing = seen.standing;
    seen.kernel = ask_kernel(standing.first_pid_namespace && standing.first_user_namespace);
    seen.manager.can_ask = seen.manager.runs && scanner::can_ask_service_managers();
    seen.history.last_end_s = seconds_since_last_end();
    ask_versions(seen.others);
    return seen;
}

}  // namespace reaper::agent
