#include "agent/report/json/parts.hpp"

#include <string_view>

#include <fmt/format.h>

#include "agent/redaction/argv.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"
#include "policy/match/clock.hpp"
#include "policy/verdict/claim_vetoes.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::ordered_json;
using scanner::Access;
using scanner::Claim;
using scanner::ClaimFile;
using scanner::LockState;

constexpr std::size_t kLongestText = 1024;

// Of the process that started what it names, for files that name only that one.
const scanner::Reading<scanner::ProcessRow>& row_of(const Claim& claim) {
    return claim.kind == scanner::ClaimKind::browser_owner ? claim.spawner_row : claim.named;
}

Json names(const ClaimFile& file) {
    const bool readable = !file.claims.empty() && file.claims.front().access == Access::ok;
    if (!readable) return nullptr;
    const Claim& claim = file.claims.front();
    return claim.kind == scanner::ClaimKind::browser_owner ? claim.spawner : claim.pid;
}

// What the pid is now, whatever it was.
Json process_json(const Claim& claim, const scanner::Machine& machine) {
    const auto& row = row_of(claim);
    if (!row.ok()) return nullptr;
    return {{"pid", row.value.pid},
            {"uid", row.value.uid},
            {"exe", row.value.exe.ok() ? Json(row.value.exe.value) : Json(nullptr)},
            {"argv", list(redact(row.value.command_line.value.argv))},
            {"started_at", time_text(policy::start_epoch(row.value.start_ticks, machine))}};
}

std::string_view to_string(LockState state) {
    switch (state) {
        case LockState::not_read: return "not_read";
        case LockState::absent: return "absent";
        case LockState::free: return "free";
        case LockState::held: return "held";
        case LockState::unknown: return "unknown";
    }
    return "unknown";
}

void add_details(const ClaimFile& file, const scanner::Machine& machine, Json& json) {
    json["owner"] = file.stamp.owner;
    json["mode"] = fmt::format("{:04o}", file.stamp.mode);
    json["links"] = file.stamp.links;
    json["written_at"] = time_text(static_cast<double>(file.stamp.written_s));
    json["text"] = file.text.substr(0, kLongestText);
    json["processes"] = Json::array();
    for (const Claim& claim : file.claims)
        json["processes"].push_back(process_json(claim, machine));
    if (file.lock.state == LockState::not_read) return;
    // Of a container, only locks of processes in there are seen.
    const bool unseen = file.lock.state == LockState::free && policy::is_nested(machine);
    json["lock"] = {{"state", to_string(unseen ? LockState::unknown : file.lock.state)},
                    {"holder", file.lock.holder > 0 ? Json(file.lock.holder) : Json(nullptr)}};
}

}  // namespace

Json evidence_json(const std::vector<policy::Evidence>& evidence) {
    Json all = Json::array();
    for (const policy::Evidence& piece : evidence) {
        all.push_back({{"code", piece.code},
                       {"for", piece.weight == policy::Weight::for_kill},
                       {"weight", to_string(piece.weight)},
                       {"detail", piece.detail}});
    }
    return all;
}

Json pid_file_json(const ReportedFile& reported, const scanner::Machine& machine) {
    const ClaimFile& file = reported.file;
    const policy::FileJudgement& judgement = reported.judgement;
    const auto& removal = reported.removal;
    Json json = {{"path", file.path},
                 {"kind", policy::kind_word(file.kind)},
                 {"home", file.home},
                 {"names_pid", names(file)},
                 {"state", to_string(judgement.state)},
                 {"action", judgement.remove ? "remove" : "keep"},
                 {"removed", removal && removal->result == RemovalResult::removed},
                 {"reason", judgement.reason},
                 {"evidence", evidence_json(judgement.evidence)}};
    if (removal)
        json["outcome"] = {{"result", to_string(removal->result)}, {"detail", removal->detail}};
    if (file.found) add_details(file, machine, json);
    return json;
}

}  // namespace reaper::agent
