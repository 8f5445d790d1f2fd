#include <map>
#include <string>

#include "agent/doctor/view.hpp"
#include "agent/report/prometheus_totals.hpp"

namespace reaper::agent {

std::string render_doctor_prometheus(const DoctorView& view, const Run& run) {
    MetricText text;
    text.add_build(view.version, view.commit);
    text.describe("doctor_findings", "gauge", "What each check of doctor found, by status.");
    std::map<std::string, std::map<FindingStatus, int>> findings;  // a check may find several
    for (const Finding& finding : view.findings) ++findings[finding.id][finding.status];
    for (const auto& [check, found] : findings) {
        for (const FindingStatus status :
             {FindingStatus::ok, FindingStatus::warn, FindingStatus::fail, FindingStatus::skip})
            text.add({{"check", check}, {"status", to_string(status)}},
                     found.contains(status) ? found.at(status) : 0);
    }
    Totals totals;
    count(run, totals);
    add_last_runs(totals, text);
    return text.text();
}

}  // namespace reaper::agent
