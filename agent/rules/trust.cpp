#include "agent/rules/trust.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "scanner/model/result.hpp"

namespace reaper::agent {

namespace {

tl::unexpected<std::string> unreadable(const std::string& path) {
    return tl::unexpected(describe(system_failure("read", path).value()));
}

std::string distrust_owner(const struct stat& status, uid_t owner) {
    if (status.st_uid == 0 || status.st_uid == owner) return {};
    const std::string whose = owner == ::geteuid() ? "you" : fmt::format("user id {}", owner);
    return fmt::format("belongs to user id {}, not to {} or root", status.st_uid, whose);
}

// The names in a path, the first one last.
std::vector<std::string> names_of(std::string_view path) {
    std::vector<std::string> names;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        const std::string_view name = path.substr(0, end);
        if (!name.empty() && name != ".") names.emplace_back(name);
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    std::ranges::reverse(names);
    return names;
}

// Goes from / down, one name after the other.
class Walk {
   public:
    Walk(const std::string& path, uid_t owner, bool strict)
        : left_(names_of(path)), owner_(owner), strict_(strict) {}

    tl::expected<Way, std::string> walk() {
        struct stat status{};
        if (::lstat("/", &status) != 0) return unreadable("/");
        note("/", status);
        while (!left_.empty() && way_.exists) {
            if (auto taken = take_name(); !taken) return tl::unexpected(std::move(taken.error()));
        }
        return std::move(way_);
    }

   private:
    tl::expected<void, std::string> take_name() {
        const std::string name = std::move(left_.back());
        left_.pop_back();
        if (name == "..") {
            reached_.resize(std::min(reached_.rfind('/'), reached_.size()));
            return {};
        }
        std::string path = reached_ + "/" + name;
        struct stat status{};
        if (::lstat(path.c_str(), &status) != 0) {
            way_.exists = false;
            return errno == ENOENT ? tl::expected<void, std::string>() : unreadable(path);
        }
        note(path, status);
        if (S_ISLNK(status.st_mode)) return take_link(path);
        reached_ = std::move(path);
        return {};
    }

    // That it leads somewhere is asked at once: so a name that is not there is not one that a link
    // needs, and links end.
    tl::expected<void, std::string> take_link(const std::string& path) {
        struct stat status{};
        std::array<char, PATH_MAX> target;
        if (::stat(path.c_str(), &status) != 0) {
            if (errno != ENOENT) return unreadable(path);
            return tl::unexpected(fmt::format("{} is a link that leads nowhere", path));
        }
        const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
        if (length < 0) return unreadable(path);
        const std::string_view text(target.data(), static_cast<std::size_t>(length));
        if (text.starts_with('/')) reached_.clear();
        const auto names = names_of(text);
        left_.insert(left_.end(), names.begin(), names.end());
        return {};
    }

    void note(const std::string& path, const struct stat& status) {
        if (!way_.distrust.empty()) return;
        std::string why = distrust_above(status, owner_);
        if (why.empty() && strict_ && is_open_to_group(status))
            why = "can be written by its group (chmod g-w would do)";
        if (!why.empty()) way_.distrust = fmt::format("{} {}", path, why);
    }

    [[nodiscard]] bool is_open_to_group(const struct stat& status) const {
        const bool own = status.st_gid == 0 || status.st_gid == owner_;
        return !own && !S_ISLNK(status.st_mode) && (status.st_mode & S_IWGRP) != 0 &&
               (status.st_mode & S_ISVTX) == 0;
    }

    std::vector<std::string> left_;
    uid_t owner_;
    bool strict_;
    std::string reached_;  // without links; empty: /
    Way way_;
};

}  // namespace

std::string distrust(const struct stat& status, uid_t owner) {
    const std::string why = distrust_owner(status, owner);
    // An access list that lets others write shows in the bits of the group.
    const bool open = why.empty() && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    return open ? "can be written by others (chmod go-w would do)" : why;
}

std::string distrust_above(const struct stat& status, uid_t owner) {
    const std::string why = distrust_owner(status, owner);
    const bool open = !S_ISLNK(status.st_mode) && (status.st_mode & S_IWOTH) != 0 &&
                      (status.st_mode & S_ISVTX) == 0;
    return why.empty() && open ? "can be written by others (chmod o-w would do)" : why;
}

tl::expected<Way, std::string> way_to(const std::string& path, uid_t owner) {
    return Walk(path, owner, false).walk();
}

tl::expected<Way, std::string> strict_way_to(const std::string& path, uid_t owner) {
    return Walk(path, owner, true).walk();
}

}  // namespace reaper::agent
