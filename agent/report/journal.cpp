#include "agent/report/journal.hpp"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "agent/report/text/process_line.hpp"
#include "agent/system/text_file.hpp"

namespace reaper::agent {

namespace {

// A zombie has ended, and only its parent can collect it.
bool is_left(const ReportedProcess& process) {
    return section_of(process) == ReportSection::reported &&
           process.judgement.verdict != policy::Verdict::zombie;
}

}  // namespace

bool wait_until_read(int stream, std::chrono::milliseconds longest) {
    constexpr timespec kPause{0, 2'000'000};
    const auto last = std::chrono::steady_clock::now() + longest;
    int left = 0;
    while (::ioctl(stream, SIOCOUTQ, &left) == 0 && left > 0) {
        if (std::chrono::steady_clock::now() > last) return false;
        ::nanosleep(&kPause, nullptr);
    }
    return true;
}

bool stderr_is_journal() {
    const char* stream = std::getenv("JOURNAL_STREAM");
    struct stat status{};
    return stream != nullptr && ::fstat(STDERR_FILENO, &status) == 0 &&
           fmt::format("{}:{}", status.st_dev, status.st_ino) == stream;
}

std::string_view mark_of(Urgency urgency) {
    static const bool is_journal = stderr_is_journal();
    if (!is_journal) return {};
    return urgency == Urgency::warning ? "<4>" : "<6>";
}

void tell_journal(const Report& report) {
    std::string lines;
    for (const ReportedProcess& process : report.processes) {
        if (!process.outcome && !is_left(process)) continue;
        const bool fine = process.outcome && is_as_it_should_be(*process.outcome);
        lines += fmt::format("{}{}\n", mark_of(fine ? Urgency::information : Urgency::warning),
                             action_line(report, process));
    }
    if (!lines.empty()) std::ignore = write_all(STDERR_FILENO, lines, "the journal");
}

}  // namespace reaper::agent
