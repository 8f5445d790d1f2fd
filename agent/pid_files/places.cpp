#include "agent/pid_files/places.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "agent/observe/claim_places.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/rules/sources.hpp"
#include "agent/system/environment.hpp"
#include "policy/text/escape.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/directory.hpp"
#include "scanner/parse/script_path.hpp"
#include "scanner/users.hpp"

namespace reaper::agent {

namespace {

using scanner::ClaimPlaces;
using scanner::Uid;

constexpr std::size_t kMaxProfiles = 4096;

using PlacesOf = std::map<Uid, ClaimPlaces>;

void add(std::vector<std::string>& folders, const std::string& path) {
    const bool known = std::ranges::find(folders, path) != folders.end();
    if (path.starts_with('/') && !known) folders.push_back(path);
}

void add_all(std::vector<std::string>& folders, const std::vector<std::string>& more) {
    for (const std::string& path : more) add(folders, path);
}

// As Hermes allows them.
bool is_profile(std::string_view name) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= 64 && is_letter(name.front()) &&
           std::ranges::all_of(name, [&](char c) { return is_letter(c) || c == '_' || c == '-'; });
}

bool is_absent(const Error& error) {
    return error.code == std::errc::no_such_file_or_directory ||
           error.code == std::errc::not_a_directory;
}

std::vector<std::string> profiles_of(Uid user, const std::string& home,
                                     std::vector<std::string>& unread) {
    const auto directory = scanner::may_read(user, home)
                               ? scanner::open_claim_home(home)
                               : failure(std::errc::timed_out, "open", home);
    if (!directory) {
        if (!is_absent(directory.error())) unread.push_back(home);
        return {};
    }
    auto names = scanner::list_at(directory->get(), "profiles", kMaxProfiles);
    if (!names) {
        if (!is_absent(names.error())) unread.push_back(home + "/profiles");
        return {};
    }
    std::erase_if(*names, [](const std::string& name) { return !is_profile(name); });
    return *std::move(names);
}

void add_home(ClaimPlaces& places, const std::string& home) {
    add(places.hermes_homes, home);
    add(places.data_homes, home);
    add(places.data_homes, home + "/memos-plugin");
    add(places.plugin_roots, home + "/memos-plugin");
    add(places.plugin_roots, home + "/plugins/memos-local-plugin");
}

void add_with_profiles(ClaimPlaces& places, const std::string& home,
                       std::vector<std::string>& unread) {
    add_home(places, home);
    for (const std::string& name : profiles_of(places.uid, home, unread))
        add_home(places, fmt::format("{}/profiles/{}", home, name));
}

void add_usual(ClaimPlaces& places, const std::string& user_home,
               std::vector<std::string>& unread) {
    if (!user_home.starts_with('/')) return;
    add_with_profiles(places, user_home + "/.hermes", unread);
    add(places.lock_folders, user_home + "/.local/state/hermes/gateway-locks");
    add(places.openclaw_homes, user_home + "/.openclaw/memos-plugin");
}

// The homes in the password file. Where two users have one uid, the first counts.
std::map<Uid, std::string> all_recorded_homes() {
    std::map<Uid, std::string> homes;
    for (auto& user : scanner::list_users()) homes.emplace(user.uid, std::move(user.home));
    return homes;
}

Uid owner_of(const std::string& folder) {
    struct stat status{};
    const bool known =
        scanner::may_read(::geteuid(), folder) && ::stat(folder.c_str(), &status) == 0;
    return known ? status.st_uid : ::geteuid();
}

// The environment that one of these programs kept is its caller's, not root's. (su leaves no such
// mark, and a container's exec gives what the container was given.)
bool came_from_caller() {
    constexpr const char* kMarks[] = {"SUDO_UID", "SUDO_USER", "DOAS_USER", "PKEXEC_UID"};
    return std::ranges::any_of(kMarks,
                               [](const char* name) { return std::getenv(name) != nullptr; });
}

// The environment speaks of this user, not of another one that root asks about.
bool is_own(Uid uid) {
    return uid == ::geteuid() && (uid != 0 || !came_from_caller());
}

// Returns the user whose files are looked for in a folder that the environment of `uid` names: root
// runs commands in homes of others.
Uid owner_for(Uid uid, const std::string& folder) {
    return uid == 0 ? owner_of(folder) : uid;
}

void add_own_environment(Uid uid, PlacesOf& users, std::vector<std::string>& unread) {
    if (!is_own(uid)) return;
    const auto places_for = [&](const std::string& folder) -> ClaimPlaces& {
        return users[owner_for(uid, folder)];
    };
    if (const std::string home = variable("HOME"); home != recorded_home(uid).value_or(""))
        add_usual(places_for(home + "/.hermes"), home, unread);
    if (const std::string home = variable("HERMES_HOME"); !home.empty())
        add_with_profiles(places_for(home), home, unread);
    if (const std::string home = variable("MEMOS_HOME"); !home.empty())
        add(places_for(home).data_homes, home);
    if (const std::string folder = variable("HERMES_GATEWAY_LOCK_DIR"); !folder.empty())
        add(places_for(folder).lock_folders, folder);
    if (std::string folder = variable("XDG_STATE_HOME"); !folder.empty()) {
        folder += "/hermes/gateway-locks";
        add(places_for(folder).lock_folders, folder);
    }
}

void add_running(const scanner::Facts& facts, const Setup& setup, PlacesOf& users) {
    for (const ClaimPlaces& running : claim_places(policy::find_members(facts, setup.rules))) {
        ClaimPlaces& places = users[running.uid];
        add_all(places.data_homes, running.data_homes);
        add_all(places.hermes_homes, running.hermes_homes);
        add_all(places.plugin_roots, running.plugin_roots);
        add_all(places.socket_folders, running.socket_folders);
    }
}

void add_wanted(const Setup& setup, PlacesOf& users, std::vector<std::string>& unread) {
    for (const std::string& home : setup.settings.homes) {
        const Uid user = setup.uid.value_or(owner_of(home));
        users[user].uid = user;
        add_with_profiles(users[user], home, unread);
    }
}

void add_everything(const scanner::Facts& facts, const Setup& setup, PlacesOf& users,
                    std::vector<std::string>& unread) {
    const auto homes =
        setup.uid ? std::map<Uid, std::string>{{*setup.uid, recorded_home(*setup.uid).value_or("")}}
                  : all_recorded_homes();
    add_running(facts, setup, users);
    for (const auto& [uid, home] : homes) {
        users[uid].uid = uid;
        add_usual(users[uid], home, unread);
        add_own_environment(uid, users, unread);
    }
}

// An update of one home replaces what all homes of its user share. Its marker is at the root, of
// which ROOT/profiles/NAME/memos-plugin is the home that lies deepest.
ClaimPlaces marker_places(const ClaimPlaces& places) {
    ClaimPlaces markers{places.uid, {}, places.hermes_homes};
    for (std::string_view folder : places.hermes_homes) {
        for (int up = 0; up < 3; ++up) {
            folder = scanner::folder_of(folder);
            add(markers.hermes_homes, std::string(folder));
        }
    }
    const std::string user_home = recorded_home(places.uid).value_or("");
    if (!user_home.empty()) add(markers.hermes_homes, user_home + "/.hermes");
    if (!is_own(::geteuid())) return markers;
    for (const std::string& home : {variable("HOME").append("/.hermes"), variable("HERMES_HOME")}) {
        if (owner_for(::geteuid(), home) == places.uid) add(markers.hermes_homes, home);
    }
    return markers;
}

}  // namespace

std::vector<std::string> remarks_on_home(const Setup& setup) {
    if (setup.uid != Uid{0}) return {};
    std::vector<std::pair<std::string_view, std::string>> named;
    for (const char* name : {"HERMES_HOME", "MEMOS_HOME", "HOME"}) {
        if (is_own(0)) named.emplace_back(name, variable(name));
    }
    for (const std::string& home : setup.settings.homes) named.emplace_back("--home", home);
    if (!setup.settings.under.empty()) named.emplace_back("--under", setup.settings.under.front());
    std::vector<std::string> remarks;
    for (const auto& [name, folder] : named) {
        if (folder.empty()) continue;
        const auto owner = read_bounded<Uid>([&] { return Result<Uid>(owner_of(folder)); });
        if (!owner || *owner == 0) continue;
        remarks.push_back(fmt::format(
            "{} is {}, which belongs to user id {}: processes of that user were not looked at "
            "(--user {})",
            name, policy::escape(folder, 200), *owner, *owner));
    }
    return remarks;
}

PidFilePlaces pid_file_places(const scanner::Facts& facts, const Setup& setup) {
    PlacesOf users;
    PidFilePlaces found;
    if (setup.settings.homes.empty())
        add_everything(facts, setup, users, found.unread);
    else
        add_wanted(setup, users, found.unread);
    for (auto& [uid, places] : users) {
        places.uid = uid;
        found.markers.push_back(marker_places(places));
        found.places.push_back(std::move(places));
    }
    return found;
}

std::vector<scanner::Claim> read_update_markers(const scanner::ProcessTable& table,
                                                const PidFilePlaces& places) {
    std::vector<scanner::Claim> markers;
    for (const ClaimPlaces& of_user : places.markers)
        std::ranges::move(scanner::read_update_markers(table, of_user),
                          std::back_inserter(markers));
    return markers;
}

}  // namespace reaper::agent
