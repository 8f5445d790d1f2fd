#include "policy/verdict/respawn_veto.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "policy/match/parentage.hpp"

namespace reaper::policy {

namespace {

using scanner::Facts;
using scanner::Keepalive;
using scanner::ProcessFacts;

// A pid alone may be another host's by now.
bool is_by_its_host(const Keepalive& keepalive, const Judgement& judgement, const Facts& facts) {
    const scanner::ProcessRow* host = find_row(facts, judgement.host);
    return host != nullptr && keepalive.host == host->pid &&
           keepalive.host_start_ticks == host->start_ticks;
}

bool is_retry_due(const Keepalive& keepalive, const scanner::Machine& machine) {
    const auto wait = static_cast<std::uint64_t>(std::chrono::seconds(kRetryOfUnknown).count());
    return keepalive.host == 0 && machine.now_ticks >= keepalive.last_ticks &&
           machine.now_ticks - keepalive.last_ticks >= wait * machine.ticks_per_second;
}

bool concerns(const Keepalive& keepalive, const Judgement& judgement, const ProcessFacts& process,
              const Facts& facts) {
    const bool of_these = keepalive.uid == process.row.uid &&
                          keepalive.family == judgement.family &&
                          keepalive.home == judgement.home && keepalive.ends >= kMostRespawns;
    if (!of_these) return false;
    if (judgement.host != 0) return is_by_its_host(keepalive, judgement, facts);
    return judgement.verdict == Verdict::superseded && keepalive.host == 0;
}

std::string times_text(const Keepalive& keepalive) {
    return fmt::format("started it again within {} s of each of {} ends", kRespawnTime.count(),
                       keepalive.ends);
}

// A service's cgroup is inherited: what started it is in there as well, or was.
std::string unknown_host_text(const ProcessFacts& process) {
    const bool in_service = process.unit.ok() && process.unit.value.name.ends_with(".service");
    return in_service ? fmt::format("an unknown process of {}", process.unit.value.name)
                      : std::string("an unknown process");
}

std::string starter_text(const Keepalive& keepalive, const ProcessFacts& process) {
    const std::string starter =
        keepalive.host == 0 ? unknown_host_text(process)
                            : fmt::format("pid {} ({})", keepalive.host, keepalive.host_command);
    return starter + " " + times_text(keepalive);
}

std::string_view advice_of(const Keepalive& keepalive) {
    return keepalive.host == 0 ? "; what started it is not known: its parent has ended"
                               : ": end or mend that first";
}

}  // namespace

bool can_respawn(const Judgement& judgement) {
    const bool by_host =
        judgement.verdict == Verdict::abandoned || judgement.verdict == Verdict::duplicate;
    return (by_host && judgement.host != 0) || judgement.verdict == Verdict::superseded;
}

std::optional<Evidence> respawn_evidence(const Judgement& judgement, const ProcessFacts& process,
                                         const Facts& facts, const PastEnds& past_ends) {
    if (!can_respawn(judgement)) return std::nullopt;
    const auto found = std::ranges::find_if(past_ends, [&](const Keepalive& keepalive) {
        return concerns(keepalive, judgement, process, facts);
    });
    if (found == past_ends.end()) return std::nullopt;
    std::string text = starter_text(*found, process);
    if (is_retry_due(*found, facts.machine))
        return Evidence{std::string(kRespawnNote), Weight::note,
                        text + ": it may be tried once more"};
    return Evidence{std::string(kRespawnVeto), Weight::veto, text.append(advice_of(*found))};
}

const Evidence* find_respawn_veto(const Judgement& judgement) {
    const auto found = std::ranges::find(judgement.evidence, kRespawnVeto, &Evidence::code);
    return found == judgement.evidence.end() ? nullptr : &*found;
}

}  // namespace reaper::policy
