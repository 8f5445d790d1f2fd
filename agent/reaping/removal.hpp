// The result of removing a file.
#pragma once

#include <string>
#include <string_view>

namespace reaper::agent {

enum class RemovalResult {
    removed,
    put_back,  // it was left aside by another run, and is in its place again
    gone,      // something else removed it first
    changed,   // it is not the same any more, or not stale any more: it stays
    locked,    // a gateway holds the lock now
    failed,    // the system did not let us
    refused,   // the decision could not be written down
};

[[nodiscard]] std::string_view to_string(RemovalResult result);

struct Removal {
    RemovalResult result = RemovalResult::failed;
    std::string detail;  // for people

    bool operator==(const Removal&) const = default;
};

}  // namespace reaper::agent
