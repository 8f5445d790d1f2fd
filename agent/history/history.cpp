#include "agent/history/history.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "agent/reaping/outcome.hpp"
#include "agent/reaping/removal.hpp"

namespace reaper::agent {

namespace {

// The last one that the same program began and has not finished. A pid comes again, so that only
// the last one can be meant.
ActionRecord* find_open(std::vector<ActionRecord>& records, const Event& event) {
    const auto found =
        std::find_if(records.rbegin(), records.rend(), [&](const ActionRecord& record) {
            return record.begin.by == event.by && record.begin.identity == event.identity &&
                   record.begin.path == event.path;
        });
    return found == records.rend() || found->end ? nullptr : &*found;
}

// Each program sends TERM once to whomever it ends: another TERM is another program that has got
// the same pid.
bool begins(const Event& event) {
    return event.kind == EventKind::remove ||
           (event.kind == EventKind::signal && event.signal == "TERM");
}

// Whichever program noticed it: that may have been a later one.
void add_respawn(std::vector<ActionRecord>& records, const Event& event) {
    const auto found = std::find_if(
        records.rbegin(), records.rend(),
        [&](const ActionRecord& record) { return record.begin.identity == event.identity; });
    if (found != records.rend()) found->respawn = event;
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::string_view to_string(EventKind kind) {
    switch (kind) {
        case EventKind::signal: return "signal";
        case EventKind::ended: return "ended";
        case EventKind::respawned: return "respawned";
        case EventKind::remove: return "remove";
        case EventKind::removed: return "removed";
    }
    return "signal";
}

std::vector<ActionRecord> records_of(const std::vector<Event>& events) {
    std::vector<ActionRecord> records;
    for (const Event& event : events) {
        if (event.kind == EventKind::respawned) {
            add_respawn(records, event);
            continue;
        }
        ActionRecord* open = begins(event) ? nullptr : find_open(records, event);
        // A line without the one before it has lost that one to rotation: it has to do for both.
        if (open == nullptr)
            open = &records.emplace_back(ActionRecord{event, {}, std::nullopt, std::nullopt});
        if (event.kind == EventKind::signal) open->signals.push_back(event.signal);
        if (event.kind == EventKind::ended || event.kind == EventKind::removed) open->end = event;
    }
    return records;
}

bool is_about_process(const ActionRecord& record) {
    return record.begin.path.empty();
}

bool has_ended(const ActionRecord& record) {
    return record.end && is_one_of(record.end->result, {to_string(OutcomeResult::ended_on_term),
                                                        to_string(OutcomeResult::ended_on_kill)});
}

bool has_failed(const ActionRecord& record) {
    if (!record.end) return false;
    const std::string& result = record.end->result;
    if (!is_about_process(record)) return is_one_of(result, {to_string(RemovalResult::failed)});
    return record.respawn ||
           is_one_of(result,
                     {to_string(OutcomeResult::denied), to_string(OutcomeResult::survived),
                      to_string(OutcomeResult::unkillable), to_string(OutcomeResult::refused)});
}

}  // namespace reaper::agent
