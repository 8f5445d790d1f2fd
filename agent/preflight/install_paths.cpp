#include "agent/preflight/install_paths.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "policy/match/member.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/parse/script_path.hpp"

namespace reaper::agent {

namespace {

using Folders = std::vector<std::string>;

bool may_read(const std::string& path) {
    return scanner::may_read(::geteuid(), path);
}

std::string real_path(const std::string& path) {
    if (!may_read(path)) return {};
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                           &std::free);
    return real ? real.get() : std::string();
}

void add_one(Folders& folders, std::string path) {
    while (path.ends_with('/')) path.pop_back();
    const bool is_new = std::ranges::find(folders, path) == folders.end();
    if (path.starts_with('/') && is_new) folders.push_back(std::move(path));
}

// Leaves out paths that do not exist, and /.
void add(Folders& folders, const std::string& path) {
    struct stat status{};
    if (!may_read(path) || ::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return;
    add_one(folders, path);
    add_one(folders, real_path(path));
}

// Its virtual environment can be a link to somewhere else.
void add_install(Folders& installs, const std::string& path) {
    add(installs, path);
    for (const char* environment : {"/venv", "/.venv"}) {
        const std::string real = real_path(path + environment);
        if (!real.empty() && !real.starts_with(real_path(path) + "/")) add(installs, real);
    }
}

// "/x/hermes-agent" of "/x/hermes-agent/venv/bin/python"; a virtual environment that lies elsewhere
// is an install by itself.
std::string install_of(std::string_view program) {
    const std::string_view bin = scanner::folder_of(program);
    const std::string_view environment = scanner::folder_of(bin);
    if (!bin.ends_with("/bin") || environment == "/") return {};
    struct stat status{};
    const bool is_environment =
        may_read(std::string(environment)) &&
        ::stat((std::string(environment) + "/pyvenv.cfg").c_str(), &status) == 0;
    if (!is_environment) return {};
    const std::string_view above = scanner::folder_of(environment);
    return std::string(above.ends_with("/hermes-agent") ? above : environment);
}

// Returns the path of a command: the first in PATH, as a shell would run it. Empty: there is none.
std::string find_command(const char* name) {
    const char* path = std::getenv("PATH");
    for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
        const std::string file = std::string(folder) + "/" + name;
        if (folder.starts_with('/') && may_read(std::string(folder)) &&
            ::access(file.c_str(), X_OK) == 0)
            return file;
    }
    return {};
}

void add_command(Folders& installs) {
    const std::string file = find_command("hermes");
    if (file.empty()) return;
    add_install(installs, install_of(file));
    add_install(installs, install_of(real_path(file)));
}

void add_members(Folders& installs, const scanner::Facts& facts, const policy::Rules& rules) {
    for (const policy::Member& member : policy::find_members(facts, rules)) {
        const auto& argv = member.facts->row.command_line.value.argv;
        if (member.rule().pack == "hermes" && !argv.empty() && argv.front().starts_with('/'))
            add_install(installs, install_of(argv.front()));
    }
}

}  // namespace

scanner::InstallPaths find_install_paths(const PidFilePlaces& places, const scanner::Facts& facts,
                                         const policy::Rules& rules) {
    scanner::InstallPaths install_paths;
    for (const scanner::ClaimPlaces& of_user : places.markers) {
        // Among them are folders above a home, where a checkout of its sources can lie.
        for (const std::string& home : of_user.hermes_homes) {
            if (home.ends_with("/.hermes"))
                add_install(install_paths.installs, home + "/hermes-agent");
        }
    }
    for (const scanner::ClaimPlaces& of_user : places.places) {
        for (const std::string& home : of_user.hermes_homes) {
            add_install(install_paths.installs, home + "/hermes-agent");
            add(install_paths.homes, home);
        }
        for (const std::string& home : of_user.data_homes) add(install_paths.homes, home);
    }
    add_install(install_paths.installs, "/usr/local/lib/hermes-agent");
    add_command(install_paths.installs);
    add_members(install_paths.installs, facts, rules);
    return install_paths;
}

}  // namespace reaper::agent
