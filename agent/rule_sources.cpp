#include "agent/rule_sources.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scanner/fd.hpp"
#include "scanner/linux/regular_file.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kLongestFile = 1024 * 1024;

tl::unexpected<std::string> refusal(const std::string& path, const Error& error) {
    return tl::unexpected(describe({error.code, "read", path}));
}

// Why somebody else could have put it there; empty: nobody could.
std::string distrust(const struct stat& status) {
    if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
        return fmt::format("belongs to user id {}, not to you or root", status.st_uid);
    }
    // An access list that lets others write shows in the bits of the group.
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be written by others (chmod go-w would do)";
    return {};
}

// Links are followed, and what is at their end is what has to be trusted: it is looked at and read through one descriptor.
tl::expected<RuleSource, std::string> read_rules_at(int folder, const std::string& name, const std::string& path) {
    // Looked at before it is opened: a FIFO in its place must not hold us up.
    scanner::FoundFile file{Fd(::openat(folder, name.c_str(), O_PATH | O_CLOEXEC)), {}};
    if (!file.path || ::fstat(file.path.get(), &file.status) != 0) {
        return refusal(path, system_failure("read", path).value());
    }
    const std::string why = S_ISREG(file.status.st_mode) ? distrust(file.status) : "is no regular file";
    if (!why.empty()) return tl::unexpected(fmt::format("{} {}", path, why));
    auto text = scanner::read_found(file, kLongestFile);
    if (!text) return refusal(path, text.error());
    return RuleSource{path, std::move(*text), file.status.st_dev, file.status.st_ino};
}

bool is_rule_file(std::string_view name) {
    return name.ends_with(".json") && !name.starts_with('.');
}

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

tl::expected<std::vector<std::string>, std::string> rule_files_in(const Folder& folder, const std::string& path) {
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(folder.get())) {
        if (is_rule_file(entry->d_name)) names.emplace_back(entry->d_name);
    }
    if (errno != 0) return refusal(path, system_failure("read", path).value());
    std::ranges::sort(names);
    return names;
}

tl::expected<void, std::string> add_folder(const std::string& path, std::vector<RuleSource>& sources) {
    const Folder folder(::opendir(path.c_str()));
    if (!folder && errno == ENOENT) return {};
    struct stat status{};
    if (!folder || ::fstat(::dirfd(folder.get()), &status) != 0) {
        return refusal(path, system_failure("read", path).value());
    }
    const std::string why = distrust(status);
    if (!why.empty()) return tl::unexpected(fmt::format("{} {}", path, why));
    const auto names = rule_files_in(folder, path);
    if (!names) return tl::unexpected(names.error());
    for (const std::string& name : *names) {
        auto source = read_rules_at(::dirfd(folder.get()), name, fmt::format("{}/{}", path, name));
        if (!source) return tl::unexpected(std::move(source.error()));
        sources.push_back(std::move(*source));
    }
    return {};
}

// Of the password file.
std::string recorded_home() {
    std::array<char, 16384> space;
    struct passwd entry{};
    struct passwd* found = nullptr;
    ::getpwuid_r(::geteuid(), &entry, space.data(), space.size(), &found);
    return found == nullptr ? std::string() : std::string(entry.pw_dir);
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
    std::string home = absolute_variable("HOME");
    if (home.empty()) home = recorded_home();
    return home.empty() ? home : home + "/.config";
}

}  // namespace

RulePlaces usual_rule_places(std::string config) {
    RulePlaces places{{"/etc/orphan-reaper/rules.d"}, std::move(config)};
    const std::string own = configuration_folder();
    if (!own.empty()) places.folders.push_back(own + "/orphan-reaper/rules.d");
    return places;
}

bool same_file(const RuleSource& left, const RuleSource& right) {
    return left.device == right.device && left.inode == right.inode;
}

tl::expected<RuleSource, std::string> read_rule_file(const std::string& path) {
    return read_rules_at(AT_FDCWD, path, path);
}

tl::expected<std::vector<RuleSource>, std::string> read_rule_sources(const RulePlaces& places) {
    std::vector<RuleSource> sources;
    for (const std::string& folder : places.folders) {
        if (auto added = add_folder(folder, sources); !added) return tl::unexpected(std::move(added.error()));
    }
    if (places.config.empty()) return sources;
    auto source = read_rule_file(places.config);
    if (!source) return tl::unexpected(std::move(source.error()));
    sources.push_back(std::move(*source));
    return sources;
}

tl::expected<policy::Rules, std::string> lay_rules(const std::vector<RuleSource>& sources) {
    policy::Rules rules = policy::built_in_rules();
    for (const RuleSource& source : sources) {
        auto overlaid = policy::overlay_rules(std::move(rules), source.text, source.path);
        if (!overlaid) return tl::unexpected(std::move(overlaid.error().message));
        rules = std::move(*overlaid);
    }
    return rules;
}

}  // namespace reaper::agent
