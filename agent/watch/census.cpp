#include "agent/watch/census.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/system/format.hpp"
#include "agent/system/json_values.hpp"
#include "policy/match/member.hpp"
#include "policy/text/escape.hpp"
#include "scanner/json/strict_json.hpp"

namespace reaper::agent {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using policy::Member;

CensusKey key_of(const policy::Judgement& judgement, const scanner::Facts& facts) {
    CensusKey key{judgement.host, 0, judgement.family, judgement.home};
    if (const auto* row = policy::find_row(facts, key.host))
        key.host_start_ticks = row->start_ticks;
    return key;
}

constexpr std::string_view kSchema = "orphan-reaper/census/1";

ordered_json group_json(const CensusKey& key, std::size_t members, std::size_t most) {
    ordered_json group;
    group["host"] = key.host;
    group["host_start_ticks"] = key.host_start_ticks;
    group["family"] = key.family;
    group["home"] = key.home;
    group["members"] = members;
    group["most"] = most;
    return group;
}

}  // namespace

CensusCount census_of(const Judged& judged) {
    CensusCount count;
    const scanner::Facts& facts = judged.look.facts;
    for (const Member& member : policy::find_members(facts, judged.look.rules)) {
        const policy::Judgement* judgement = find_judgement(judged, member.pid());
        const bool one_of_ours = judgement != nullptr && !policy::is_never_ended(member);
        if (one_of_ours && judgement->verdict != policy::Verdict::zombie && !member.launcher)
            ++count[key_of(*judgement, facts)];
    }
    return count;
}

// The last line may have been cut short.
void Census::resume(std::string_view lines) {
    while (!lines.empty()) {
        const std::size_t end =
            lines.size() > 1 ? lines.rfind('\n', lines.size() - 2) : std::string_view::npos;
        const std::size_t begin = end == std::string_view::npos ? 0 : end + 1;
        const bool is_line = !scanner::json::is_nested_deeper(lines.substr(begin), 8);
        const auto line = is_line ? json::parse(lines.substr(begin), nullptr, false) : json();
        if (line.is_object() && text_of(line, "schema") == kSchema) return resume_line(line);
        lines = lines.substr(0, begin);
    }
}

void Census::resume_line(const json& line) {
    const auto largest = line.find("largest");
    if (largest == line.end() || !largest->is_array()) return;
    for (const json& one : *largest) {
        if (!one.is_object()) continue;
        const CensusKey where{number_of<scanner::Pid>(one, "host"),
                              number_of<std::uint64_t>(one, "host_start_ticks"),
                              text_of(one, "family"), text_of(one, "home")};
        largest_[where.family] = {number_of<std::size_t>(one, "members"), where};
    }
}

std::size_t Census::members() const {
    std::size_t sum = 0;
    for (const auto& [key, members] : now_) sum += members;
    return sum;
}

bool Census::update(CensusCount now) {
    const bool changed = now != now_;
    std::erase_if(most_, [&](const auto& group) { return !now.contains(group.first); });
    for (const auto& [key, members] : now) {
        most_[key] = std::max(most_[key], members);
        if (key.host == 0) continue;
        Largest& largest = largest_[key.family];
        if (members > largest.members) largest = {members, key};
    }
    now_ = std::move(now);
    return changed;
}

std::string Census::line(double epoch) const {
    ordered_json line;
    line["schema"] = kSchema;
    line["at"] = time_text(epoch);
    line["groups"] = ordered_json::array();
    for (const auto& [key, members] : now_)
        line["groups"].push_back(group_json(key, members, most_.at(key)));
    line["largest"] = ordered_json::array();
    for (const auto& [family, largest] : largest_)
        line["largest"].push_back(group_json(largest.where, largest.members, largest.members));
    return line.dump(-1, ' ', true, ordered_json::error_handler_t::replace) + "\n";
}

std::string Census::text() const {
    std::string text = now_.empty() ? "census: no helpers\n" : "";
    for (const auto& [key, members] : now_) {
        const std::string host =
            key.host == 0 ? std::string("no host") : fmt::format("host {}", key.host);
        text += fmt::format("census: {}: {} {} of {} (most: {})\n", host, members,
                            policy::escape(key.family, 60), policy::escape(key.home, 200),
                            most_.at(key));
    }
    for (const auto& [family, largest] : largest_)
        text += fmt::format("census: never more than {} {} of one host and home\n", largest.members,
                            policy::escape(family, 60));
    return text;
}

}  // namespace reaper::agent
