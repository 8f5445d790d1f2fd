// A fact that was looked for: its value, or why there is none. "Could not look" is never the same
// as "empty".
#pragma once

#include <string_view>
#include <system_error>
#include <utility>

namespace reaper::scanner {

enum class Access {
    not_read,   // not asked for
    ok,         // the value is what the system said
    denied,     // EACCES, EPERM, EIO, ESTALE, a timeout: proves nothing
    gone,       // ENOENT, ESRCH: the file or the process is not there
    malformed,  // present, but cut off or not in the promised form
};

[[nodiscard]] std::string_view to_string(Access access);

// Translates an error. Only ENOENT and ESRCH prove absence; every other failure proves nothing, so
// it is `denied`.
[[nodiscard]] Access access_of(std::error_code code);

template <class T>
struct Reading {
    Access access = Access::not_read;
    T value{};

    [[nodiscard]] bool ok() const { return access == Access::ok; }
    [[nodiscard]] static Reading of(T value) { return {Access::ok, std::move(value)}; }
    [[nodiscard]] static Reading failed(Access why) { return {why, T{}}; }

    bool operator==(const Reading&) const = default;
};

}  // namespace reaper::scanner
