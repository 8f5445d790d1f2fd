// Requests for a sweep that meet: one process waits for hosts, and takes the requests of all
// others. They meet at a socket that only one process can have.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "agent/cli/options.hpp"
#include "scanner/fd.hpp"
#include "scanner/pid_handle.hpp"

namespace reaper::agent {

// The minimum age of all families that are ended by default.
inline constexpr std::chrono::minutes kUsualMinAge{3};

struct SweepRequest {
    std::string from;                        // --from; empty: not said
    std::optional<scanner::PidHandle> host;  // to be waited for; none: nothing
};

// Returns where requests of this user with these options meet: one sweep serves them all. The
// name in --from and the host are no part of that.
[[nodiscard]] std::string meeting_place(const SweepOptions& options, const DetachOptions& own);

// Becomes the process that takes requests at `place`. Empty: another one is, or there is no socket.
[[nodiscard]] Fd take_place(const std::string& place);

enum class Offer {
    taken,    // another process of this user or of root will sweep for it
    nobody,   // none takes requests there, or it has just ended
    refused,  // it does not answer, or is that of another user
};

// Offers the request to the process that takes requests at `place`, within a few seconds.
[[nodiscard]] Offer hand_over(const std::string& place, const SweepRequest& request);

// Takes a request that has come to `socket`, and says so to its sender. None: none has come, or it
// is that of another user.
[[nodiscard]] std::optional<SweepRequest> take_request(const Fd& socket);

}  // namespace reaper::agent
