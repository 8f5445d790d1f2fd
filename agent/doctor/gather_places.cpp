// Files and folders that a user controls: the history, homes, and programs in PATH.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "agent/doctor/gather.hpp"
#include "agent/history/file.hpp"
#include "agent/rules/trust.hpp"
#include "agent/system/lock_file.hpp"
#include "agent/system/system_calls.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/directory.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kMostFolders = 64;  // of PATH
constexpr std::size_t kMostHomes = 32;

bool may_read(const std::string& path) {
    return scanner::may_read(::geteuid(), path);
}

bool may_use(const std::string& path, int how) {
    return ::faccessat(AT_FDCWD, path.c_str(), how, AT_EACCESS) == 0;
}

std::string above(const std::string& path) {
    const std::size_t end = path.rfind('/');
    return end == 0 || end == std::string::npos ? "/" : path.substr(0, end);
}

// By its owner, permissions and file system. `how`: as of access(2).
HistoryPlaceState state_of(const std::string& path, int how) {
    if (!may_use(path, how))
        return errno == EROFS ? HistoryPlaceState::read_only : HistoryPlaceState::closed;
    struct statvfs space{};
    const bool known = ::statvfs(path.c_str(), &space) == 0 && space.f_blocks > 0;
    return known && space.f_bavail == 0 ? HistoryPlaceState::full : HistoryPlaceState::writable;
}

// No link on the way, and no "..", leads out of it.
bool is_below(const std::string& folder, const std::string& place, const std::string& home) {
    if (home.size() < 2 || !folder.starts_with(home + "/")) return false;
    if ((folder + "/").find("/../") != std::string::npos) return false;
    std::error_code error;
    const std::string top = std::filesystem::canonical(home, error).string();
    if (error || top.size() < 2) return false;
    const std::string real = std::filesystem::canonical(place, error).string();
    return !error && (real + "/").starts_with(top + "/");
}

// The folder, or the nearest one above it that is there: the others would be made in it.
HistoryPlaceState look_at_folder(HistoryFolder& history, std::string path) {
    struct stat status{};
    while (::stat(path.c_str(), &status) != 0) {
        if (path == "/" || (errno != ENOENT && errno != EACCES)) break;
        path = above(path);
    }
    history.place = path;
    history.owner = status.st_uid;
    if (!S_ISDIR(status.st_mode)) return HistoryPlaceState::foreign;
    return state_of(path, W_OK | X_OK);
}

bool has_a_marker(const std::string& home) {
    constexpr std::array kMarkers = {"config.yaml",        ".env",         "state.db",
                                     "hermes-agent",       "gateway.pid",  "gateway.lock",
                                     "profiles",           "memos-plugin", "installs",
                                     "gateway_state.json", "plugins",      "daemon"};
    return std::ranges::any_of(kMarkers, [&](const char* name) {
        struct stat status{};
        return ::lstat((home + "/" + name).c_str(), &status) == 0;
    });
}

HomeState state_of_home(const std::string& path) {
    HomeState home{.path = path};
    struct stat status{};
    home.exists = ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
    home.readable = home.exists && may_use(path, R_OK | X_OK);
    home.looks_like_hermes = home.readable && has_a_marker(path);
    return home;
}

using FileId = std::pair<dev_t, ino_t>;

// Only what this user and root can have put there.
bool is_trusted(const std::string& path, const struct stat& status) {
    const auto way = way_to(above(path), ::geteuid());
    return distrust(status, ::geteuid()).empty() && way && way->exists && way->distrust.empty();
}

}  // namespace

HistoryFolder read_history_place(const std::string& folder, const std::string& home) {
    HistoryFolder history;
    history.folder = history.place = folder;
    if (folder.empty()) {
        history.state = HistoryPlaceState::nowhere;
        return history;
    }
    if (!may_read(folder)) return history;
    const std::string file = folder + "/" + std::string(kHistoryFile);
    struct stat status{};
    if (::lstat(file.c_str(), &status) != 0) {
        history.state = look_at_folder(history, folder);
        history.exists = ::lstat(history.place.c_str(), &status) == 0;
        history.in_home = is_below(folder, history.place, home) && may_use(history.place, X_OK);
        return history;
    }
    history.place = file;
    history.exists = true;
    history.owner = status.st_uid;
    history.state =
        belongs_to(status, ::geteuid()) ? state_of(file, R_OK | W_OK) : HistoryPlaceState::foreign;
    return history;
}

std::vector<HomeState> read_homes(const PidFilePlaces& places) {
    std::vector<HomeState> homes;
    for (const scanner::ClaimPlaces& of_user : places.places) {
        for (const std::string& path : of_user.hermes_homes) {
            if (homes.size() < kMostHomes && scanner::may_read(of_user.uid, path))
                homes.push_back(state_of_home(path));
        }
    }
    return homes;
}

std::vector<OtherProgram> find_other_programs(const std::string& path) {
    std::vector<OtherProgram> others;
    struct stat status{};
    std::set<FileId> known;
    if (::stat(own_program_path().c_str(), &status) == 0)
        known.emplace(status.st_dev, status.st_ino);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < kMostFolders && begin < path.size(); ++i) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        const std::string file = path.substr(begin, end - begin) + "/orphan-reaper";
        begin = end + 1;
        if (!file.starts_with('/') || !may_read(file)) continue;
        const bool is_program =
            ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && may_use(file, X_OK);
        if (is_program && known.emplace(status.st_dev, status.st_ino).second)
            others.push_back({file, is_trusted(file, status), {}});
    }
    return others;
}

}  // namespace reaper::agent
