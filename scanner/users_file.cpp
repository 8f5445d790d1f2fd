// Without the services that know users (NSS): the C library loads them as libraries, which a
// program that is linked statically must not do.
#include <pwd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "scanner/users.hpp"

namespace reaper::scanner {

namespace {

constexpr const char* kPasswords = "/etc/passwd";

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

Result<std::vector<User>> read_users() {
    std::vector<User> users;
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(kPasswords, "re"));
    if (!file) {
        if (errno == ENOENT) return users;
        return system_failure("open", kPasswords);
    }
    while (const passwd* entry = ::fgetpwent(file.get()))
        users.push_back({entry->pw_uid, entry->pw_gid, entry->pw_name, entry->pw_dir});
    return users;
}

template <class Fits>
Result<std::optional<User>> find_first(Fits fits) {
    auto users = read_users();
    if (!users) return tl::unexpected(std::move(users.error()));
    const auto found = std::ranges::find_if(*users, fits);
    if (found == users->end()) return std::nullopt;
    return std::move(*found);
}

}  // namespace

Result<std::optional<User>> find_user(Uid uid) {
    return find_first([uid](const User& user) { return user.uid == uid; });
}

Result<std::optional<User>> find_user(const std::string& name) {
    return find_first([&name](const User& user) { return user.name == name; });
}

std::vector<User> list_users() {
    return read_users().value_or(std::vector<User>());
}

}  // namespace reaper::scanner
