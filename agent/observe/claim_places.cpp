#include "agent/observe/claim_places.hpp"

#include <map>
#include <set>

#include "policy/match/member.hpp"
#include "scanner/parse/script_path.hpp"

namespace reaper::agent {

namespace {

struct Folders {
    std::set<std::string> data_homes;
    std::set<std::string> hermes_homes;
    std::set<std::string> plugin_roots;
    std::set<std::string> socket_folders;
};

void add(std::set<std::string>& folders, const std::string& path) {
    if (path.starts_with('/')) folders.insert(path);
}

// The folder of bridge.cts, or the one above dist/bridge.cjs.
std::string plugin_root_of(const std::string& script) {
    const std::string_view folder = scanner::folder_of(script);
    return std::string(folder.ends_with("/dist") ? scanner::folder_of(folder) : folder);
}

// The root above a profile holds what all profiles share: locks, ledger, update marker.
void add_hermes_home(Folders& folders, const std::string& path) {
    add(folders.hermes_homes, path);
    const std::string_view profiles = scanner::folder_of(path);
    if (profiles.ends_with("/profiles"))
        add(folders.hermes_homes, std::string(scanner::folder_of(profiles)));
}

// A profile's home lies in ~/.hermes/profiles/NAME, its plugin's one below that; locks of the
// machine lie in ~/.hermes itself.
void add_folders(Folders& folders, const policy::Member& member) {
    add_hermes_home(folders, policy::variable(*member.facts, "HERMES_HOME").value_or(""));
    if (const auto user_home = policy::variable(*member.facts, "HOME")) {
        add(folders.hermes_homes, *user_home + "/.hermes");
    }
    const auto& script = member.facts->script;
    if (script.ok() && !member.rule().daemon_roles.empty())
        add(folders.plugin_roots, plugin_root_of(script.value));
    if (member.home.empty()) return;
    if (member.rule().needs_owner) {
        add(folders.socket_folders, member.home);
    } else if (member.rule().daemon_roles.empty()) {
        add_hermes_home(folders, member.home);
    } else {
        add(folders.data_homes, member.home);
        add_hermes_home(folders, std::string(scanner::folder_of(member.home)));
    }
}

}  // namespace

scanner::NamedFolders named_folders(const scanner::ProcessFacts& process,
                                    const policy::Rules& rules) {
    auto match = policy::match(rules, process.row, process.environment);
    if (!match) return {};
    policy::Member member;
    member.facts = &process;
    member.home = policy::named_home(process, *match);
    member.match = std::move(*match);
    Folders folders;
    add_folders(folders, member);
    scanner::NamedFolders named{member.home, {}};
    for (const auto* some : {&folders.data_homes, &folders.hermes_homes, &folders.plugin_roots,
                             &folders.socket_folders})
        named.records.insert(named.records.end(), some->begin(), some->end());
    return named;
}

std::vector<scanner::ClaimPlaces> claim_places(const std::vector<policy::Member>& members) {
    std::map<scanner::Uid, Folders> by_user;
    for (const policy::Member& member : members)
        add_folders(by_user[member.facts->row.uid], member);
    std::vector<scanner::ClaimPlaces> places;
    places.reserve(by_user.size());
    for (const auto& [uid, folders] : by_user) {
        places.push_back({uid,
                          {folders.data_homes.begin(), folders.data_homes.end()},
                          {folders.hermes_homes.begin(), folders.hermes_homes.end()},
                          {folders.plugin_roots.begin(), folders.plugin_roots.end()},
                          {folders.socket_folders.begin(), folders.socket_folders.end()}});
    }
    return places;
}

}  // namespace reaper::agent
