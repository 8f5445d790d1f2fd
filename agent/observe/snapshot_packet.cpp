#include "agent/observe/snapshot_packet.hpp"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "agent/reading/handle_transfer.hpp"
#include "agent/rules/per_user.hpp"

namespace reaper::agent {

using scanner::Facts;
using scanner::Pid;
using scanner::PidHandle;
using scanner::ProcessFacts;

namespace {

struct LookPacket {
    scanner::Record record;
    std::vector<HandleName> handles;
    std::size_t room = 0;
    std::string trouble;
    bool managers_hang = false;
};

// The lists that are sent whole, in the order of FactsChanges.
auto lists_of(const Facts& facts) {
    return std::tie(facts.relatives, facts.unread, facts.wrappers, facts.plain_wrappers,
                    facts.claims, facts.claim_marks, facts.descendants, facts.unseen_below);
}

template <class T>
void take(std::optional<T>& from, T& to) {
    if (from) to = std::move(*from);
}

Pid pid_of(const ProcessFacts& facts) {
    return facts.row.pid;
}

// In the copy, `self` is the copy, and this program its first ancestor.
void come_back_to_self(scanner::Machine& machine) {
    machine.self = ::getpid();
    if (!machine.own_ancestors.empty() && machine.own_ancestors.front() == machine.self)
        machine.own_ancestors.erase(machine.own_ancestors.begin());
}

// Handles that this process had no room for are those of processes that could not be read.
void take_handles(const std::vector<HandleName>& names, std::vector<Fd> descriptors, Look& look) {
    std::set<Pid> lost;
    for (std::size_t at = 0; at < names.size(); ++at) {
        const Pid pid = names[at].pid;
        std::optional<PidHandle> sent;
        if (at < descriptors.size()) sent = PidHandle::adopt(pid, std::move(descriptors[at]));
        auto handle = handle_of(names[at], std::move(sent));
        if (handle)
            look.handles.emplace(pid, std::move(*handle));
        else
            lost.insert(pid);
    }
    look.facts.count.denied += lost.size();
    std::erase_if(look.facts.candidates,
                  [&](const ProcessFacts& facts) { return lost.contains(facts.row.pid); });
}

}  // namespace

template <>
struct MembersOf<HandleName> {
    static auto tie(Is<HandleName> auto& it) {
        auto& [pid, inode] = it;
        return std::tie(pid, inode);
    }
};

template <>
struct MembersOf<LookPacket> {
    static auto tie(Is<LookPacket> auto& it) {
        auto& [record, handles, room, trouble, managers_hang] = it;
        return std::tie(record, handles, room, trouble, managers_hang);
    }
};

void answer_with(const Result<Look>& look, ReaderLine& line) {
    Result<LookPacket> packet;
    std::vector<int> descriptors;
    if (look) {
        packet->record = {look->facts, background_of(look->rules)};
        packet->room = look->room;
        packet->trouble = look->trouble;
        packet->managers_hang = look->managers_hang;
        for (const auto& [pid, handle] : look->handles) {
            packet->handles.push_back(name_of(handle));
            if (handles_travel()) descriptors.push_back(handle.raw());
        }
    } else {
        packet = tl::unexpected(look.error());
    }
    line.answer(pack(packet), descriptors);
}

Result<Look> look_of(Reply reply, const policy::Rules& rules) {
    auto packet = unpack<Result<LookPacket>>(reply.bytes);
    if (!packet) return failure(std::errc::bad_message, "understand", "a copy of this program");
    if (!*packet) return tl::unexpected(std::move(packet->error()));
    Look look;
    look.rules = with_background(rules, (*packet)->record);
    look.facts = std::move((*packet)->record);
    look.room = (*packet)->room;
    look.trouble = std::move((*packet)->trouble);
    look.managers_hang = (*packet)->managers_hang;
    look.facts.unanswered = std::move(reply.unanswered);
    come_back_to_self(look.facts.machine);
    take_handles((*packet)->handles, std::move(reply.descriptors), look);
    return look;
}

FactsBefore::FactsBefore(const Facts& facts) {
    std::apply([this](const auto&... list) { (lists_.push_back(pack(list)), ...); },
               lists_of(facts));
}

FactsChanges FactsBefore::changes_to(const Facts& now, const std::set<Pid>& read) const {
    FactsChanges changes;
    changes.machine = now.machine;
    for (const ProcessFacts& candidate : now.candidates) {
        changes.candidates.push_back(candidate.row.pid);
        if (read.contains(candidate.row.pid)) changes.read.push_back(candidate);
    }
    auto list = lists_.begin();
    const auto set_if_changed = [&list](const auto& is, auto& change) {
        if (pack(is) != *list++) change = is;
    };
    set_if_changed(now.relatives, changes.relatives);
    set_if_changed(now.unread, changes.unread);
    set_if_changed(now.wrappers, changes.wrappers);
    set_if_changed(now.plain_wrappers, changes.plain_wrappers);
    set_if_changed(now.claims, changes.claims);
    set_if_changed(now.claim_marks, changes.claim_marks);
    set_if_changed(now.descendants, changes.descendants);
    set_if_changed(now.unseen_below, changes.unseen_below);
    return changes;
}

void apply(FactsChanges changes, Facts& facts) {
    const std::set<Pid> left(changes.candidates.begin(), changes.candidates.end());
    std::erase_if(facts.candidates,
                  [&](const ProcessFacts& one) { return !left.contains(one.row.pid); });
    for (ProcessFacts& changed : changes.read) {
        const auto place = std::ranges::lower_bound(facts.candidates, changed.row.pid, {}, pid_of);
        if (place != facts.candidates.end() && place->row.pid == changed.row.pid)
            *place = std::move(changed);
        else
            facts.candidates.insert(place, std::move(changed));
    }
    facts.machine = std::move(changes.machine);
    take(changes.relatives, facts.relatives);
    take(changes.unread, facts.unread);
    take(changes.wrappers, facts.wrappers);
    take(changes.plain_wrappers, facts.plain_wrappers);
    take(changes.claims, facts.claims);
    take(changes.claim_marks, facts.claim_marks);
    take(changes.descendants, facts.descendants);
    take(changes.unseen_below, facts.unseen_below);
}

}  // namespace reaper::agent
