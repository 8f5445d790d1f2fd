#include "agent/reaping/removal.hpp"

namespace reaper::agent {

std::string_view to_string(RemovalResult result) {
    switch (result) {
        case RemovalResult::removed: return "removed";
        case RemovalResult::put_back: return "put_back";
        case RemovalResult::gone: return "gone";
        case RemovalResult::changed: return "changed";
        case RemovalResult::locked: return "locked";
        case RemovalResult::failed: return "failed";
        case RemovalResult::refused: return "refused";
    }
    return "failed";
}

}  // namespace reaper::agent
