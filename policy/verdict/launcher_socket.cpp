#include "policy/verdict/launcher_socket.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "policy/rules/rules.hpp"
#include "scanner/parse/script_path.hpp"

namespace reaper::policy {

namespace {

using scanner::Listener;
using scanner::ProcessFacts;

// Follows os.tmpdir() of node: the first variable that is not empty.
std::string temporary_folder(const ProcessFacts& process) {
    for (const std::string_view name : kTemporaryFolderKeys) {
        const auto folder = variable(process, std::string(name));
        if (folder && !folder->empty()) return *folder;
    }
    return "/tmp";
}

bool is_of_what_it_runs(std::uint64_t client, const Member& member) {
    return std::ranges::any_of(member.runs, [client](const ProcessFacts* half) {
        return std::ranges::find(half->sockets, client) != half->sockets.end();
    });
}

}  // namespace

bool is_own_socket(const Listener& listener, const Member& member) {
    const ProcessFacts& facts = *member.facts;
    const bool known = facts.environment.ok() && facts.uids.ok() && listener.clients.ok();
    if (!member.match.invocation.launcher || !known || listener.transport != "unix") return false;
    const scanner::Uid uid = facts.uids.value.effective;
    // Follows path.join() of node; a relative folder gives none.
    const std::string path = scanner::resolve_script(
        fmt::format("{}/tsx-{}/{}.pipe", temporary_folder(facts), uid, member.pid()), {});
    if (path.empty() || listener.address != path || listener.owner != uid) return false;
    return std::ranges::all_of(listener.clients.value, [&](std::uint64_t client) {
        return is_of_what_it_runs(client, member);
    });
}

const Listener* find_service(const Member& member) {
    const auto& listeners = member.facts->listeners.value;
    const auto found = std::ranges::find_if(
        listeners, [&](const Listener& one) { return !is_own_socket(one, member); });
    return found == listeners.end() ? nullptr : &*found;
}

}  // namespace reaper::policy
