#include "agent/doctor/finding.hpp"

namespace reaper::agent {

std::string_view to_string(FindingStatus status) {
    switch (status) {
        case FindingStatus::ok: return "ok";
        case FindingStatus::warn: return "warn";
        case FindingStatus::fail: return "fail";
        case FindingStatus::skip: break;
    }
    return "skip";
}

FindingCount count(const Findings& findings) {
    FindingCount counted;
    for (const Finding& finding : findings) {
        switch (finding.status) {
            case FindingStatus::ok: ++counted.ok; break;
            case FindingStatus::warn: ++counted.warn; break;
            case FindingStatus::fail: ++counted.fail; break;
            case FindingStatus::skip: ++counted.skip; break;
        }
    }
    return counted;
}

ExitStatus exit_status_of(const Findings& findings, bool looked, bool strict) {
    if (!looked) return ExitStatus::incomplete;
    const FindingCount counted = count(findings);
    const bool wrong = counted.fail > 0 || (strict && counted.warn > 0);
    return wrong ? ExitStatus::leaks_left : ExitStatus::clean;
}

}  // namespace reaper::agent
