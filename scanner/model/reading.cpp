#include "scanner/model/reading.hpp"

namespace reaper::scanner {

std::string_view to_string(Access access) {
    switch (access) {
        case Access::not_read: return "not_read";
        case Access::ok: return "ok";
        case Access::denied: return "denied";
        case Access::gone: return "gone";
        case Access::malformed: return "malformed";
    }
    return "denied";
}

Access access_of(std::error_code code) {
    if (code == std::errc::no_such_file_or_directory || code == std::errc::no_such_process)
        return Access::gone;
    return Access::denied;
}

}  // namespace reaper::scanner
