#include "policy/breaker.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "policy/parentage.hpp"

namespace reaper::policy {

namespace {

using scanner::Facts;
using scanner::Keepalive;
using scanner::ProcessFacts;

// A pid alone may be another host's by now.
bool is_by_its_host(const Keepalive& keepalive, const Judgement& judgement, const Facts& facts) {
    const scanner::ProcessRow* host = find_row(facts, judgement.host);
    return host != nullptr && keepalive.host == host->pid && keepalive.host_start_ticks == host->start_ticks;
}

bool is_recent(const Keepalive& keepalive, const scanner::Machine& machine) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(kRespawnTime).count();
    return machine.now_ticks < keepalive.last_ticks + static_cast<std::uint64_t>(seconds) * machine.ticks_per_second;
}

bool concerns(const Keepalive& keepalive, const Judgement& judgement, const ProcessFacts& process, const Facts& facts) {
    const bool of_these = keepalive.uid == process.row.uid && keepalive.family == judgement.family &&
                          keepalive.home == judgement.home && keepalive.ends >= kMostRespawns;
    if (!of_these) return false;
    if (judgement.host != 0) return is_by_its_host(keepalive, judgement, facts);
    return judgement.verdict == Verdict::superseded && keepalive.host == 0 && is_recent(keepalive, facts.machine);
}

std::string times_text(const Keepalive& keepalive) {
    return fmt::format("started it again after each of {} ends within {} minutes", keepalive.ends,
                       kRespawnTime.count());
}

// A service's cgroup is inherited: whoever started it is in there as well, or was.
std::string unknown_host_text(const ProcessFacts& process) {
    const bool in_service = process.unit.ok() && process.unit.value.name.ends_with(".service");
    return in_service ? fmt::format("somebody in {}", process.unit.value.name) : std::string("somebody");
}

std::string detail_of(const Keepalive& keepalive, const ProcessFacts& process) {
    if (keepalive.host == 0)
        return fmt::format(
            "{} {}; who that is cannot be told of nobody's child, so once more is tried {} minutes after",
            unknown_host_text(process), times_text(keepalive), kRespawnTime.count());
    return fmt::format("pid {} ({}) {}: end or mend that first", keepalive.host, keepalive.host_command,
                       times_text(keepalive));
}

}  // namespace

bool can_respawn(const Judgement& judgement) {
    return judgement.action == Action::reap && (judgement.host != 0 || judgement.verdict == Verdict::superseded);
}

std::optional<Evidence> respawn_veto(const Judgement& judgement, const ProcessFacts& process, const Facts& facts) {
    const auto found = std::ranges::find_if(
        facts.keepalives, [&](const Keepalive& keepalive) { return concerns(keepalive, judgement, process, facts); });
    if (found == facts.keepalives.end()) return std::nullopt;
    return Evidence{std::string(kRespawnVeto), Weight::veto, detail_of(*found, process)};
}

const Evidence* find_respawn_veto(const Judgement& judgement) {
    const auto found = std::ranges::find(judgement.evidence, kRespawnVeto, &Evidence::code);
    return found == judgement.evidence.end() ? nullptr : &*found;
}

}  // namespace reaper::policy
