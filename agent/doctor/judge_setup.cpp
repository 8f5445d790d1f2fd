// The rules, the history and the homes.
#include <fmt/format.h>

#include "agent/cli/cli.hpp"
#include "agent/doctor/judge.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent {

namespace {

using enum FindingStatus;

std::string as_owner(const Observations& seen, const std::string& path,
                     const std::string& command) {
    return path.starts_with("/etc/") ? as_root(seen, command) : command;
}

// "FILE can be written by others (chmod go-w would do)"
std::string trust_fix(const Observations& seen, const std::string& trouble) {
    constexpr std::string_view kOpen = " can be written by others (";
    constexpr std::string_view kEnd = " would do)";
    const std::size_t end = trouble.find(kOpen);
    if (end == std::string::npos || !trouble.ends_with(kEnd)) return {};
    const std::string path = trouble.substr(0, end);
    const std::size_t begin = end + kOpen.size();
    std::string command = trouble.substr(begin, trouble.size() - kEnd.size() - begin);
    // Of the folder itself more is asked than of those above it.
    if (path.ends_with("/rules.d")) command = "chmod go-w";
    return as_owner(seen, path, fmt::format("{} {}", command, shell_word(path)));
}

// "FILE: families.bridge.graze: unknown key". The command shows whether an edit has mended it.
std::string mistake_fix(const std::string& trouble) {
    constexpr std::string_view kEnding = ".json";
    const std::size_t end = trouble.find(".json:");
    if (!trouble.starts_with('/') || end == std::string::npos) return {};
    return "orphan-reaper rules check " + shell_word(trouble.substr(0, end + kEnding.size()));
}

Finding rules_finding(const Observations& seen) {
    Finding finding{.id = "rules"};
    finding.facts = {{"files", static_cast<std::int64_t>(seen.rule_files)}};
    if (seen.rules_trouble.empty()) {
        finding.message = seen.rule_files == 0
                              ? "the built-in ones; there are no rule files"
                              : fmt::format("{}, valid and in the right hands",
                                            count_text(seen.rule_files, "rule file"));
        return finding;
    }
    finding.status = fail;
    finding.message = seen.rules_trouble + "; until that is mended, nothing is done";
    finding.fix = trust_fix(seen, seen.rules_trouble);
    if (finding.fix.empty()) finding.fix = mistake_fix(seen.rules_trouble);
    return finding;
}

Finding user_rules_finding(scanner::Uid uid, const std::string& why) {
    return {.id = "user_rules",
            .status = warn,
            .message = fmt::format("the rules of user id {} count for nothing, so that all of its "
                                   "processes are kept: {}",
                                   uid, why)};
}

std::string history_trouble(const HistoryFolder& history) {
    switch (history.state) {
        case HistoryPlaceState::nowhere: return "neither HOME nor XDG_STATE_HOME is a full path";
        case HistoryPlaceState::foreign: return history.place + " is no plain file of this user";
        case HistoryPlaceState::closed: return history.place + " may not be written to";
        case HistoryPlaceState::read_only: return history.place + " is read-only";
        case HistoryPlaceState::full: return "there is no room left below " + history.place;
        case HistoryPlaceState::unanswered: return history.folder + " did not answer in time";
        case HistoryPlaceState::writable: break;
    }
    return {};
}

// Another owner of what is there could lead what root does elsewhere. What lies above the folder
// stays as it is.
std::string closed_fix(const Observations& seen) {
    const HistoryFolder& history = seen.history;
    const bool is_own = history.owner == seen.own_uid;
    if (is_own && history.place.starts_with(history.folder))
        return "chmod u+rwx " + shell_word(history.place);
    if (!history.in_home || (!is_own && history.owner != 0)) return {};
    return as_root(
        seen, fmt::format("install -d -o {} -m 700 {}", seen.own_uid, shell_word(history.folder)));
}

std::string history_fix(const Observations& seen) {
    const HistoryFolder& history = seen.history;
    const std::string path = shell_word(history.place);
    if (history.state == HistoryPlaceState::nowhere) return "export HOME=~";
    if (history.state == HistoryPlaceState::full) return "df -h " + path;
    if (history.state == HistoryPlaceState::foreign && history.exists)
        return fmt::format("mv {0} {0}.aside", path);
    return history.state == HistoryPlaceState::closed ? closed_fix(seen) : std::string();
}

Finding history_finding(const Observations& seen) {
    const HistoryFolder& history = seen.history;
    Finding finding{.id = "history", .facts = {{"folder", history.folder}}};
    const std::string trouble = history_trouble(history);
    if (trouble.empty()) {
        finding.message = fmt::format("what is ended can be written down in {}", history.folder);
        return finding;
    }
    finding.status = fail;
    finding.message = fmt::format(
        "what is ended cannot be written down: {}; what comes again is "
        "then ended each time",
        trouble);
    finding.fix = history_fix(seen);
    return finding;
}

Finding home_finding(const HomeState& home) {
    Finding finding{.id = "home",
                    .facts = {{"path", home.path},
                              {"exists", home.exists},
                              {"looks_like_hermes", home.looks_like_hermes}}};
    if (home.exists && home.readable && home.looks_like_hermes) {
        finding.message = home.path + " is a home of Hermes";
        return finding;
    }
    finding.status = warn;
    if (!home.exists) {
        finding.message = home.path + ", which HERMES_HOME names, is not there";
    } else if (!home.readable) {
        finding.message = home.path + " may not be read: pid files and ledgers in it are not known";
        finding.fix = "chmod u+rx " + shell_word(home.path);
    } else {
        finding.message = home.path + " holds nothing that a home of Hermes has";
    }
    return finding;
}

bool counts(const Observations& seen, const HomeState& home) {
    return home.exists || home.path == seen.hermes_home;
}

}  // namespace

void add_rules(const Observations& seen, Findings& findings) {
    findings.push_back(rules_finding(seen));
    for (const auto& [uid, why] : seen.sight.users_with_unreadable_rules)
        findings.push_back(user_rules_finding(uid, why));
}

void add_history(const Observations& seen, Findings& findings) {
    findings.push_back(history_finding(seen));
}

void add_homes(const Observations& seen, Findings& findings) {
    const auto first = findings.size();
    for (const HomeState& home : seen.homes) {
        if (counts(seen, home)) findings.push_back(home_finding(home));
    }
    if (findings.size() == first)
        findings.push_back({.id = "home",
                            .status = skip,
                            .message = "there is no home of Hermes; --home DIR names one that lies "
                                       "elsewhere"});
}

}  // namespace reaper::agent
