#include <pwd.h>

#include <array>
#include <cerrno>

#include "scanner/users.hpp"

namespace reaper::scanner {

namespace {

User user_of(const passwd& entry) {
    return {entry.pw_uid, entry.pw_gid, entry.pw_name, entry.pw_dir};
}

// Which error says that there is no such user depends on the system.
template <class Look>
Result<std::optional<User>> look_up(Look look, const std::string& subject) {
    std::array<char, 16384> space;
    struct passwd entry{};
    struct passwd* found = nullptr;
    const int error = look(&entry, space.data(), space.size(), &found);
    if (found != nullptr) return user_of(*found);
    if (error == 0 || error == ENOENT || error == ESRCH) return std::nullopt;
    return failure(static_cast<std::errc>(error), "look up", subject);
}

}  // namespace

Result<std::optional<User>> find_user(Uid uid) {
    return look_up([uid](auto... more) { return ::getpwuid_r(uid, more...); },
                   "user id " + std::to_string(uid));
}

Result<std::optional<User>> find_user(const std::string& name) {
    return look_up([&name](auto... more) { return ::getpwnam_r(name.c_str(), more...); },
                   "user " + name);
}

std::vector<User> list_users() {
    std::vector<User> users;
    ::setpwent();
    while (const passwd* entry = ::getpwent()) users.push_back(user_of(*entry));
    ::endpwent();
    return users;
}

}  // namespace reaper::scanner
