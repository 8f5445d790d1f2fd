// The desktop of a user, which org.freedesktop.Notifications shows a line.
#pragma once

#include <optional>
#include <string>

#include "agent/report/report.hpp"

namespace reaper::agent {

// Plain ASCII, one line each; the body is markup.
struct DesktopNote {
    std::string summary;  // "2 leaked helpers ended"
    std::string body;     // of what kind, why, and how much memory came back

    bool operator==(const DesktopNote&) const = default;
};

// Says which processes of `user` a sweep has ended, and why. Names no argument. None: it has ended
// none of them.
[[nodiscard]] std::optional<DesktopNote> desktop_note(const Report& report, scanner::Uid user);

// Shows such a note to the user of this process, on the session bus that DBUS_SESSION_BUS_ADDRESS
// or the runtime folder names. Takes at most a second. Does nothing where
// nothing was ended, or where there is no such bus, no notification service or no busctl.
void notify_desktop(const Report& report);

}  // namespace reaper::agent
