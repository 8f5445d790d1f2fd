// The users that this system knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scanner/model/identity.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner {

struct User {
    Uid uid = 0;
    std::uint32_t group = 0;  // id of the first one
    std::string name;
    std::string home;
};

// Finds a user by number or by name; none: this system knows no such user. Fails where the services
// that know users do not answer. A program that is linked statically reads the password file only.
[[nodiscard]] Result<std::optional<User>> find_user(Uid uid);
[[nodiscard]] Result<std::optional<User>> find_user(const std::string& name);

// Lists all users, in their own order; empty also where they cannot be read.
[[nodiscard]] std::vector<User> list_users();

}  // namespace reaper::scanner
