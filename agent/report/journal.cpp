#include "agent/report/journal.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "agent/report/text/process_line.hpp"
#include "agent/system/system_calls.hpp"
#include "agent/system/text_file.hpp"
#include "agent/system/unix_socket.hpp"
#include "scanner/fd.hpp"

namespace reaper::agent {

namespace {

// A zombie has ended, and only its parent can collect it.
bool is_left(const ReportedProcess& process) {
    return section_of(process) == ReportSection::reported &&
           process.judgement.verdict != policy::Verdict::zombie;
}

// One for each kind of event, and never changed: journalctl finds entries by it.
constexpr const char* kEnded = "67514b5d1c33429d9edf09a1eac429de";
constexpr const char* kFailed = "b80f7f0456b8440c917e1e0e6f06cce3";
constexpr const char* kRefused = "b0cca653e4d3406581fcd1e75393a182";
constexpr const char* kLeft = "45e3c866ddc64105b1b0ed0e0aff238a";

const char* message_id(const ReportedProcess& process) {
    if (!process.outcome) return kLeft;
    if (process.outcome->respawned_as) return kFailed;
    switch (process.outcome->result) {
        case OutcomeResult::ended_on_term:
        case OutcomeResult::ended_on_kill:
        case OutcomeResult::already_gone: return kEnded;
        case OutcomeResult::denied:
        case OutcomeResult::survived:
        case OutcomeResult::unkillable: return kFailed;
        case OutcomeResult::refused:
        case OutcomeResult::changed: return kRefused;
        case OutcomeResult::would_reap: return kLeft;
    }
    return kLeft;
}

// The line of an entry as stderr has it, which is of the same urgency.
std::string line_of(const JournalEntry& entry) {
    std::string urgency;
    std::string message;
    for (const auto& [name, value] : entry) {
        if (name == "PRIORITY")
            urgency = mark_of(value == "4" ? Urgency::warning : Urgency::information);
        if (name == "MESSAGE") message = value;
    }
    return fmt::format("{}{}\n", urgency, message);
}

// The journal takes a limited number of entries that it has not read.
bool send_soon(int socket, std::string_view datagram) {
    constexpr int kLongest = 1000;  // ms
    for (;;) {
        if (::send(socket, datagram.data(), datagram.size(), MSG_NOSIGNAL) >= 0) return true;
        if (errno == EINTR) continue;
        struct pollfd place{socket, POLLOUT, 0};
        if (errno != EAGAIN || ::poll(&place, 1, kLongest) <= 0) return false;
    }
}

}  // namespace

bool wait_until_read(int stream, std::chrono::milliseconds longest) {
    constexpr timespec kPause{0, 2'000'000};
    const auto last = std::chrono::steady_clock::now() + longest;
    while (unread_bytes(stream).value_or(0) > 0) {
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

JournalEntry journal_entry(const Report& report, const ReportedProcess& process) {
    const policy::Judgement& judgement = process.judgement;
    const bool fine = process.outcome && is_as_it_should_be(*process.outcome);
    JournalEntry entry{
        {"MESSAGE", action_line(report, process)},
        {"MESSAGE_ID", message_id(process)},
        {"PRIORITY", fine ? "6" : "4"},
        {"SYSLOG_IDENTIFIER", "orphan-reaper"},
        {"ORPHAN_REAPER_PID", fmt::format("{}", process.facts.row.pid)},
        {"ORPHAN_REAPER_IDENTITY", to_string(judgement.identity)},
        {"ORPHAN_REAPER_FAMILY", judgement.family},
        {"ORPHAN_REAPER_ROLE", judgement.role},
        {"ORPHAN_REAPER_HOME", judgement.home},
        {"ORPHAN_REAPER_USER", process.facts.user},
        {"ORPHAN_REAPER_VERDICT", std::string(policy::to_string(judgement.verdict))},
        {"ORPHAN_REAPER_REASON", why(process)},
        {"ORPHAN_REAPER_MEMORY_BYTES", fmt::format("{}", memory_bytes(process.facts))},
    };
    if (!report.from.empty()) entry.emplace_back("ORPHAN_REAPER_FROM", report.from);
    if (process.outcome)
        entry.emplace_back("ORPHAN_REAPER_RESULT", to_string(process.outcome->result));
    return entry;
}

// A value with a newline has its length before it, as eight bytes, the lowest first.
std::string journal_datagram(const JournalEntry& entry) {
    std::string text;
    for (const auto& [name, value] : entry) {
        if (value.find('\n') == std::string::npos) {
            text += fmt::format("{}={}\n", name, value);
            continue;
        }
        text += name + "\n";
        for (unsigned shift = 0; shift < 64; shift += 8)
            text += static_cast<char>(std::uint64_t{value.size()} >> shift & 0xff);
        text += value + "\n";
    }
    return text;
}

void send_to_journal(const std::vector<JournalEntry>& entries, const char* socket_path) {
    const Fd socket = connect_to(socket_path, SOCK_DGRAM);
    bool is_taken = static_cast<bool>(socket);  // one that hangs is waited for once, not each time
    std::string lines;
    for (const JournalEntry& entry : entries) {
        is_taken = is_taken && send_soon(socket.get(), journal_datagram(entry));
        if (!is_taken) lines += line_of(entry);
    }
    if (!lines.empty()) std::ignore = write_all(STDERR_FILENO, lines, "the journal");
    // The journal asks the process of which unit an entry is, so it has to live until then. For
    // stderr let_journal_read() waits.
    if (socket) wait_until_read(socket.get(), std::chrono::seconds(1));
}

void tell_journal(const Report& report) {
    std::vector<JournalEntry> entries;
    for (const ReportedProcess& process : report.processes) {
        if (process.outcome || is_left(process)) entries.push_back(journal_entry(report, process));
    }
    if (!entries.empty()) send_to_journal(entries);
}

}  // namespace reaper::agent
