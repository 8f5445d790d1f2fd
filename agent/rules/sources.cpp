#include "agent/rules/sources.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "agent/reading/bounded_reader.hpp"
#include "agent/rules/trust.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/fd.hpp"
#include "scanner/regular_file.hpp"
#include "scanner/users.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kMostFiles = 256;
constexpr std::size_t kMostText = 1024 * 1024;        // of all files of a folder
constexpr std::size_t kMostTextOfOthers = 64 * 1024;  // of which a tree takes some 100 times that
constexpr const char* kPlace = ".config/orphan-reaper/rules.d";  // below a home

// The user that looks for rules: whose files count beside root's, and how they are reached.
struct Reader {
    uid_t owner;
    Result<scanner::FoundFile> (*find)(int folder, const char* name);
    std::size_t most_text;  // of a folder
};

// Of one's own links, what is at their end is what has to be trusted: it is looked at and read
// through one descriptor.
Reader oneself() {
    return {::geteuid(), scanner::find_through_links, kMostText};
}

tl::unexpected<std::string> refusal(const std::string& path, const Error& error) {
    return tl::unexpected(describe({error.code, "read", path}));
}

tl::expected<RuleSource, std::string> read_rules_at(const Reader& reader, int folder,
                                                    const std::string& name,
                                                    const std::string& path, std::size_t limit) {
    if (!scanner::may_read(reader.owner, path)) return tl::unexpected(unanswered_text(path));
    const auto file = reader.find(folder, name.c_str());
    if (!file) return refusal(path, file.error());
    const std::string why =
        S_ISREG(file->status.st_mode) ? distrust(file->status, reader.owner) : "is no regular file";
    if (!why.empty()) return tl::unexpected(fmt::format("{} {}", path, why));
    auto text = scanner::read_found(*file, limit);
    if (!text) return refusal(path, text.error());
    return RuleSource{path, std::move(*text), file->status.st_dev, file->status.st_ino};
}

bool is_rule_file(std::string_view name) {
    return name.ends_with(".json") && !name.starts_with('.');
}

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

tl::expected<std::vector<std::string>, std::string> rule_files_in(const Folder& folder,
                                                                  const std::string& path) {
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(folder.get())) {
        if (is_rule_file(entry->d_name)) names.emplace_back(entry->d_name);
        if (names.size() > kMostFiles)
            return tl::unexpected(fmt::format("{} has more than {} rule files", path, kMostFiles));
    }
    if (errno != 0) return refusal(path, system_failure("read", path).value());
    std::ranges::sort(names);
    return names;
}

tl::expected<void, std::string> add_folder(const Reader& reader, const Folder& folder,
                                           const std::string& path,
                                           std::vector<RuleSource>& sources) {
    struct stat status{};
    if (!folder || ::fstat(::dirfd(folder.get()), &status) != 0) {
        return refusal(path, system_failure("read", path).value());
    }
    const std::string why = distrust(status, reader.owner);
    if (!why.empty()) return tl::unexpected(fmt::format("{} {}", path, why));
    const auto names = rule_files_in(folder, path);
    if (!names) return tl::unexpected(names.error());
    std::size_t left = reader.most_text;
    for (const std::string& name : *names) {
        auto source = read_rules_at(reader, ::dirfd(folder.get()), name,
                                    fmt::format("{}/{}", path, name), left);
        if (!source) return tl::unexpected(std::move(source.error()));
        left -= source->text.size();
        sources.push_back(std::move(*source));
    }
    return {};
}

// True if there is a folder of rules at `path`. The folder above it must be trusted as soon as that
// exists: a user that can change it can take this one away.
tl::expected<bool, std::string> is_there(const std::string& path, uid_t owner) {
    for (const std::string& place : {path.substr(0, path.rfind('/')), path}) {
        auto way = way_to(place, owner);
        if (!way) return tl::unexpected(std::move(way.error()));
        if (!way->exists) return false;
        if (!way->distrust.empty()) return tl::unexpected(std::move(way->distrust));
    }
    return true;
}

// The same below the home of another user, whose links could point anywhere.
tl::expected<bool, std::string> is_there_below(const scanner::FoundFile& top,
                                               const std::string& home, uid_t owner,
                                               std::string distrusted) {
    for (const std::string place : {".config", ".config/orphan-reaper", kPlace}) {
        const auto found = scanner::find_below(top.path.get(), place.c_str());
        const bool absent = !found && found.error().code == std::errc::no_such_file_or_directory;
        if (absent && (place != kPlace || distrusted.empty())) return false;
        if (!found && !absent) return refusal(fmt::format("{}/{}", home, kPlace), found.error());
        const std::string why = found ? distrust_above(found->status, owner) : std::string();
        if (distrusted.empty() && !why.empty())
            distrusted = fmt::format("{}/{} {}", home, place, why);
    }
    if (!distrusted.empty()) return tl::unexpected(std::move(distrusted));
    return true;
}

// A path that is not absolute names no folder, says the XDG base directory specification.
std::string absolute_variable(const char* name) {
    const char* value = ::geteuid() == 0 ? nullptr : std::getenv(name);
    return value != nullptr && *value == '/' ? value : std::string();
}

// Empty: there is none.
std::string configuration_folder() {
    std::string folder = absolute_variable("XDG_CONFIG_HOME");
    if (!folder.empty()) return folder;
    const std::string home = own_home();
    return home.empty() ? home : home + "/.config";
}

}  // namespace

RulePlaces usual_rule_places(std::string config) {
    RulePlaces places{{"/etc/orphan-reaper/rules.d"}, std::move(config)};
    const std::string own = configuration_folder();
    if (!own.empty()) places.folders.push_back(own + "/orphan-reaper/rules.d");
    return places;
}

std::string own_home() {
    std::string home = absolute_variable("HOME");
    if (home.empty()) home = recorded_home(::geteuid()).value_or("");
    return home.starts_with('/') ? home : std::string();
}

bool same_file(const RuleSource& left, const RuleSource& right) {
    return left.device == right.device && left.inode == right.inode;
}

tl::expected<RuleSource, std::string> read_rule_file(const std::string& path) {
    return read_rules_at(oneself(), AT_FDCWD, path, path, kMostText);
}

tl::expected<std::vector<RuleSource>, std::string> read_rule_sources(const RulePlaces& places) {
    std::vector<RuleSource> sources;
    for (const std::string& path : places.folders) {
        if (!scanner::may_read(::geteuid(), path)) return tl::unexpected(unanswered_text(path));
        const auto found = is_there(path, ::geteuid());
        if (!found) return tl::unexpected(found.error());
        if (!*found) continue;
        const Folder folder(::opendir(path.c_str()));
        if (auto added = add_folder(oneself(), folder, path, sources); !added)
            return tl::unexpected(std::move(added.error()));
    }
    if (places.config.empty()) return sources;
    auto source = read_rule_file(places.config);
    if (!source) return tl::unexpected(std::move(source.error()));
    sources.push_back(std::move(*source));
    return sources;
}

tl::expected<std::vector<RuleSource>, std::string> read_rules_of_user(const std::string& home,
                                                                      uid_t user) {
    std::vector<RuleSource> sources;
    auto way = way_to(home, user);
    if (!way) return tl::unexpected(std::move(way.error()));
    if (!way->exists) return sources;
    const auto top = scanner::find_through_links(AT_FDCWD, home.c_str());
    if (!top) return refusal(home, top.error());
    if (!S_ISDIR(top->status.st_mode)) return sources;  // /dev/null: no home at all
    const auto there = is_there_below(*top, home, user, std::move(way->distrust));
    if (!there) return tl::unexpected(there.error());
    if (!*there) return sources;
    const std::string path = fmt::format("{}/{}", home, kPlace);
    const auto found = scanner::find_below(top->path.get(), kPlace);
    if (!found) return refusal(path, found.error());
    Fd listed(::openat(found->path.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const Folder folder(listed ? ::fdopendir(listed.get()) : nullptr);
    if (folder) std::ignore = listed.release();
    if (auto added =
            add_folder({user, scanner::find_below, kMostTextOfOthers}, folder, path, sources);
        !added)
        return tl::unexpected(std::move(added.error()));
    return sources;
}

Result<std::string> recorded_home(uid_t user) {
    auto found = scanner::find_user(user);
    if (!found) return tl::unexpected(std::move(found.error()));
    return *found ? std::move((*found)->home) : std::string();
}

tl::expected<policy::Rules, std::string> combine_rules(const std::vector<RuleSource>& sources) {
    policy::Rules rules = policy::built_in_rules();
    for (const RuleSource& source : sources) {
        auto overlaid = policy::overlay_rules(std::move(rules), source.text, source.path);
        if (!overlaid) return tl::unexpected(std::move(overlaid.error().message));
        rules = std::move(*overlaid);
    }
    return rules;
}

}  // namespace reaper::agent
