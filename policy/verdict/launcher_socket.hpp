// Recognises the socket on which tsx listens only for the half that it runs itself, so that it is
// no service.
#pragma once

#include "policy/match/member.hpp"

namespace reaper::policy {

// tsx listens on tsx-EUID/PID.pipe in its temporary folder, which its environment names. The socket
// is its own only with exactly that path, made by its own user, and with no client but what it
// runs. If anything is not known, it counts as a service.
[[nodiscard]] bool is_own_socket(const scanner::Listener& listener, const Member& member);

// Returns the first of its listeners that is a service. Null: there is none, or they could not be
// read.
[[nodiscard]] const scanner::Listener* find_service(const Member& member);

}  // namespace reaper::policy
