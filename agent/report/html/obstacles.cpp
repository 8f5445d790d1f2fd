#include "agent/report/html/obstacles.hpp"

#include <algorithm>

#include "agent/redaction/argv.hpp"

namespace reaper::agent::html {

namespace {

using policy::Obstacle;
using policy::ObstacleKind;

constexpr std::size_t kMostObstacles = 40;
constexpr std::size_t kMostFiles = 30;

std::string_view kind_words(ObstacleKind kind) {
    switch (kind) {
        case ObstacleKind::leak: return "A leaked helper is still there";
        case ObstacleKind::young: return "A helper is too young to be judged";
        case ObstacleKind::stale_file: return "A stale file could not be removed";
        case ObstacleKind::sweep: return "Another sweep is running";
        case ObstacleKind::update: return "An update is running already";
        case ObstacleKind::gateways: return "A home has more than one gateway";
        case ObstacleKind::deleted_database: return "A process writes to a deleted database log";
        case ObstacleKind::occupant: return "A process would go on with the old version";
    }
    return "Something is in the way";
}

std::string subject_of(const Obstacle& obstacle) {
    std::string words;
    if (!obstacle.pids.empty()) words = fmt::format("pid {}", fmt::join(obstacle.pids, ", "));
    if (!obstacle.user.empty()) words += (words.empty() ? "of " : " of ") + obstacle.user;
    return words;
}

Markup card_of(const Obstacle& obstacle) {
    Markup card = element("h3", text(kind_words(obstacle.kind)));
    const std::string subject = subject_of(obstacle);
    if (!subject.empty()) card += element("p", {{"class", "lead"}}, text(subject, 200));
    if (!obstacle.argv.empty())
        card += element("p", element("code", text(redacted_line(obstacle.argv), 200)));
    card += element("p", text(obstacle.detail, 300));
    if (!obstacle.help.empty())
        card += element("p", {{"class", "do"}},
                        element("b", text("What to do: ")) + text(obstacle.help, 300));
    return element("div", {{"class", "card obstacle"}}, card) + literal("\n");
}

Markup and_more(std::size_t all, std::size_t shown) {
    if (all <= shown) return {};
    return element("p", {{"class", "lead"}},
                   text(fmt::format("and {} more: ", all - shown)) +
                       element("code", text("orphan-reaper preflight --dry-run --json")));
}

bool is_stale(const ReportedFile& file) {
    return file.judgement.remove || file.judgement.paused;
}

std::string_view removal_words(const ReportedFile& file) {
    if (!file.removal) return file.judgement.paused ? "left alone for now" : "not removed yet";
    switch (file.removal->result) {
        case RemovalResult::removed: return "removed";
        case RemovalResult::put_back: return "put back in its place";
        case RemovalResult::gone: return "gone already";
        case RemovalResult::changed:
        case RemovalResult::locked: return "left alone";
        case RemovalResult::failed:
        case RemovalResult::refused: return "could not be removed";
    }
    return "could not be removed";
}

Markup row_of(const ReportedFile& file) {
    Markup result = text(removal_words(file));
    if (file.removal && !file.removal->detail.empty())
        result += element("small", text(file.removal->detail, 200));
    return element("tr", element("td", element("code", text(file.file.path, 200)) +
                                           element("small", text(file.judgement.reason, 200))) +
                             element("td", result)) +
           literal("\n");
}

}  // namespace

Markup obstacles_of(const Report& report) {
    Markup cards;
    const std::size_t shown = std::min(report.obstacles.size(), kMostObstacles);
    for (std::size_t at = 0; at < shown; ++at) cards += card_of(report.obstacles[at]);
    return cards + and_more(report.obstacles.size(), shown);
}

Markup stale_files_of(const Report& report) {
    Markup rows;
    std::size_t count = 0;
    for (const ReportedFile& file : report.files) {
        if (is_stale(file) && count++ < kMostFiles) rows += row_of(file);
    }
    if (rows.empty()) return {};
    const Markup head = literal(R"(<caption>Files that name processes which are gone</caption>
<thead><tr><th scope="col">File</th><th scope="col">What became of it</th></tr></thead>
)");
    return element("table", head + element("tbody", rows)) + and_more(count, kMostFiles);
}

}  // namespace reaper::agent::html
