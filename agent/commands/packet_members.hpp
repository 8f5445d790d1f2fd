// What travels besides facts: how packet.hpp finds the members.
#pragma once

#include "agent/pid_files/places.hpp"
#include "agent/reading/packet.hpp"
#include "agent/reaping/removal.hpp"
#include "policy/pid_files/judge_files.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/occupants.hpp"

namespace reaper::agent {

template <>
struct MembersOf<scanner::ClaimPlaces> {
    static auto tie(Is<scanner::ClaimPlaces> auto& it) {
        auto& [uid, data_homes, hermes_homes, plugin_roots, socket_folders, lock_folders,
               openclaw_homes] = it;
        return std::tie(uid, data_homes, hermes_homes, plugin_roots, socket_folders, lock_folders,
                        openclaw_homes);
    }
};

template <>
struct MembersOf<PidFilePlaces> {
    static auto tie(Is<PidFilePlaces> auto& it) {
        auto& [places, markers, unread] = it;
        return std::tie(places, markers, unread);
    }
};

template <>
struct MembersOf<scanner::FileStamp> {
    static auto tie(Is<scanner::FileStamp> auto& it) {
        auto& [device, inode, form, mode, links, owner, size, written_s, written_ns] = it;
        return std::tie(device, inode, form, mode, links, owner, size, written_s, written_ns);
    }
};

template <>
struct MembersOf<scanner::LockReading> {
    static auto tie(Is<scanner::LockReading> auto& it) {
        auto& [state, holder, why] = it;
        return std::tie(state, holder, why);
    }
};

template <>
struct MembersOf<scanner::SharedMount> {
    static auto tie(Is<scanner::SharedMount> auto& it) {
        auto& [type, place, shares_locks] = it;
        return std::tie(type, place, shares_locks);
    }
};

template <>
struct MembersOf<scanner::NestedPidMatch> {
    static auto tie(Is<scanner::NestedPidMatch> auto& it) {
        auto& [number, row] = it;
        return std::tie(number, row);
    }
};

template <>
struct MembersOf<scanner::ClaimFile> {
    static auto tie(Is<scanner::ClaimFile> auto& it) {
        auto& [kind, home, name, path, scope, found, stamp, text, claims, lock, named_exited,
               nested_matches, shared_mount] = it;
        return std::tie(kind, home, name, path, scope, found, stamp, text, claims, lock,
                        named_exited, nested_matches, shared_mount);
    }
};

template <>
struct MembersOf<scanner::InstallPaths> {
    static auto tie(Is<scanner::InstallPaths> auto& it) {
        auto& [installs, homes] = it;
        return std::tie(installs, homes);
    }
};

template <>
struct MembersOf<scanner::Occupant> {
    static auto tie(Is<scanner::Occupant> auto& it) {
        auto& [row, user, through, deleted_databases, leases, heads_service] = it;
        return std::tie(row, user, through, deleted_databases, leases, heads_service);
    }
};

template <>
struct MembersOf<scanner::Occupancy> {
    static auto tie(Is<scanner::Occupancy> auto& it) {
        auto& [occupants, parents, unseen, overfull] = it;
        return std::tie(occupants, parents, unseen, overfull);
    }
};

template <>
struct MembersOf<Removal> {
    static auto tie(Is<Removal> auto& it) {
        auto& [result, detail] = it;
        return std::tie(result, detail);
    }
};

template <>
struct MembersOf<policy::Evidence> {
    static auto tie(Is<policy::Evidence> auto& it) {
        auto& [code, weight, detail] = it;
        return std::tie(code, weight, detail);
    }
};

template <>
struct MembersOf<policy::FileJudgement> {
    static auto tie(Is<policy::FileJudgement> auto& it) {
        auto& [state, remove, put_back, paused, young, unread, reason, evidence] = it;
        return std::tie(state, remove, put_back, paused, young, unread, reason, evidence);
    }
};

}  // namespace reaper::agent
