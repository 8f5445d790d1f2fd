#include "agent/history.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "agent/outcome.hpp"
#include "agent/removal.hpp"

namespace reaper::agent {

namespace {

// The last one that the same program began and has not finished. A pid comes again, so that only the last one can be meant.
Deed* find_open(std::vector<Deed>& deeds, const Event& event) {
    const auto found = std::find_if(deeds.rbegin(), deeds.rend(), [&](const Deed& deed) {
        return deed.begin.by == event.by && deed.begin.identity == event.identity && deed.begin.path == event.path;
    });
    return found == deeds.rend() || found->end ? nullptr : &*found;
}

// Each program sends TERM once to whomever it ends: another TERM is another program that has got the same pid.
bool begins(const Event& event) {
    return event.kind == EventKind::remove || (event.kind == EventKind::signal && event.signal == "TERM");
}

// Whoever noticed it: that may have been a later program.
void add_respawn(std::vector<Deed>& deeds, const Event& event) {
    const auto found = std::find_if(deeds.rbegin(), deeds.rend(),
                                    [&](const Deed& deed) { return deed.begin.identity == event.identity; });
    if (found != deeds.rend()) found->respawn = event;
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

std::vector<Deed> deeds_of(const std::vector<Event>& events) {
    std::vector<Deed> deeds;
    for (const Event& event : events) {
        if (event.kind == EventKind::respawned) {
            add_respawn(deeds, event);
            continue;
        }
        Deed* open = begins(event) ? nullptr : find_open(deeds, event);
        // A line without the one before it has lost that one to rotation: it has to do for both.
        if (open == nullptr) open = &deeds.emplace_back(Deed{event, {}, std::nullopt, std::nullopt});
        if (event.kind == EventKind::signal) open->signals.push_back(event.signal);
        if (event.kind == EventKind::ended || event.kind == EventKind::removed) open->end = event;
    }
    return deeds;
}

bool is_about_process(const Deed& deed) {
    return deed.begin.path.empty();
}

bool has_ended(const Deed& deed) {
    return deed.end && is_one_of(deed.end->result,
                                 {to_string(OutcomeResult::ended_on_term), to_string(OutcomeResult::ended_on_kill)});
}

bool has_failed(const Deed& deed) {
    if (!deed.end) return false;
    const std::string& result = deed.end->result;
    if (!is_about_process(deed)) return is_one_of(result, {to_string(RemovalResult::failed)});
    return deed.respawn || is_one_of(result, {to_string(OutcomeResult::denied), to_string(OutcomeResult::survived),
                                              to_string(OutcomeResult::unkillable), to_string(OutcomeResult::refused)});
}

}  // namespace reaper::agent
