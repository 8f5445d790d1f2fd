// How what a copy of this program has read travels to this process.
#pragma once

#include <tuple>

#include "agent/doctor/observations.hpp"
#include "agent/reading/packet.hpp"

namespace reaper::agent {

// What is read by one copy.
struct Surroundings {
    std::string user;  // the name of the user that all of it is about
    Standing standing;
    Threads threads;
    ScheduleFiles schedule;
    HistoryFolder history;
    std::vector<HomeState> homes;
    std::vector<OtherProgram> others;
    std::vector<RunningWatch> watches;
};

template <>
struct MembersOf<Standing> {
    static auto tie(Is<Standing> auto& it) {
        auto& [capabilities, scope, container, pids, users, root, service] = it;
        return std::tie(capabilities, scope, container, pids, users, root, service);
    }
};
template <>
struct MembersOf<Threads> {
    static auto tie(Is<Threads> auto& it) {
        auto& [used, pid_max] = it;
        return std::tie(used, pid_max);
    }
};
template <>
struct MembersOf<HistoryFolder> {
    static auto tie(Is<HistoryFolder> auto& it) {
        auto& [folder, state, place, owner, exists, in_home, last] = it;
        return std::tie(folder, state, place, owner, exists, in_home, last);
    }
};
template <>
struct MembersOf<HomeState> {
    static auto tie(Is<HomeState> auto& it) {
        auto& [path, exists, readable, looks] = it;
        return std::tie(path, exists, readable, looks);
    }
};
template <>
struct MembersOf<OtherProgram> {
    static auto tie(Is<OtherProgram> auto& it) {
        auto& [path, trusted, version] = it;
        return std::tie(path, trusted, version);
    }
};
template <>
struct MembersOf<RunningWatch> {
    static auto tie(Is<RunningWatch> auto& it) {
        auto& [pid, deleted, only_reports, unit] = it;
        return std::tie(pid, deleted, only_reports, unit);
    }
};
template <>
struct MembersOf<Surroundings> {
    static auto tie(Is<Surroundings> auto& it) {
        auto& [user, standing, threads, schedule, history, homes, others, watches] = it;
        return std::tie(user, standing, threads, schedule, history, homes, others, watches);
    }
};

}  // namespace reaper::agent
