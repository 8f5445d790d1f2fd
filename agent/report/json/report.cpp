#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "agent/redaction/argv.hpp"
#include "agent/report/json/parts.hpp"
#include "agent/report/report.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent {

namespace {

using Json = nlohmann::ordered_json;

// `replace` is the only handler that cannot throw half-way through a document; ASCII only, so that
// no terminal is driven by it.
std::string dump(const Json& json, int indent) {
    return json.dump(indent, ' ', true, Json::error_handler_t::replace);
}

// The macros of macOS take the address of the status, as that of an int that is not const.
Json exit_code(const Outcome& outcome) {
    int status = outcome.wait_status.value_or(0);
    if (!outcome.wait_status || !WIFEXITED(status)) return nullptr;
    return WEXITSTATUS(status);
}

Json ending_signal(const Outcome& outcome) {
    int status = outcome.wait_status.value_or(0);
    if (!outcome.wait_status || !WIFSIGNALED(status)) return nullptr;
    return WTERMSIG(status);
}

Json to_json(const std::optional<Outcome>& outcome) {
    if (!outcome) return nullptr;
    Json signals = Json::array();
    for (const Signal signal : outcome->signals) signals.push_back(to_string(signal));
    return {{"result", to_string(outcome->result)},
            {"signals", signals},
            {"took_ms", static_cast<double>(outcome->took.count()) / 1000},
            {"exit_status", exit_code(*outcome)},
            {"ended_by_signal", ending_signal(*outcome)},
            {"respawned_as", outcome->respawned_as ? Json(*outcome->respawned_as) : Json(nullptr)},
            {"detail", outcome->detail}};
}

Json to_json(const Report& report, const ReportedProcess& process) {
    const scanner::ProcessFacts& facts = process.facts;
    const policy::Judgement& judgement = process.judgement;
    const std::uint64_t age = age_seconds(report.machine, facts);
    Json json = {{"pid", facts.row.pid},
                 {"ppid", facts.row.ppid},
                 {"uid", facts.row.uid},
                 {"user", facts.user},
                 {"identity", scanner::to_string(judgement.identity)},
                 {"family", judgement.family},
                 {"role", judgement.role},
                 {"home", judgement.home},
                 {"comm", facts.row.comm},
                 {"exe", facts.row.exe.ok() ? Json(facts.row.exe.value) : Json(nullptr)},
                 {"argv", list(redact(facts.row.command_line.value.argv))},
                 {"started_at", time_text(report.machine.now_epoch - static_cast<double>(age))},
                 {"age_s", age},
                 {"rss_bytes", facts.rss_bytes},
                 {"swap_bytes", facts.swap_bytes},
                 {"verdict", to_string(judgement.verdict)},
                 {"action", to_string(judgement.action)}};
    json["evidence"] = evidence_json(judgement.evidence);
    json["ends_with"] = list(judgement.ends_with);
    json["outcome"] = to_json(process.outcome);
    return json;
}

Json to_json(const policy::Obstacle& obstacle) {
    return {{"kind", to_string(obstacle.kind)},
            {"pids", list(obstacle.pids)},
            {"user", obstacle.user},
            {"unit", obstacle.unit},
            {"argv", list(redact(obstacle.argv))},
            {"detail", obstacle.detail},
            {"help", obstacle.help}};
}

Json opening(const Report& report) {
    const scanner::Machine& machine = report.machine;
    const scanner::ScanCount& count = report.count;
    return {{"schema", "orphan-reaper/report/1"},
            {"version", report.version},
            {"command", report.command},
            {"dry_run", report.dry_run},
            {"host",
             {{"name", machine.name},
              {"os", machine.os},
              {"kernel", machine.kernel},
              {"boot_id", machine.boot_id},
              {"pid_namespace", machine.pid_namespace}}},
            {"started_at", time_text(report.started_epoch)},
            {"elapsed_ms", report.elapsed_ms},
            {"scope",
             {{"uids", list(report.uids)},
              {"all_users", report.uids.empty()},
              {"homes", list(report.homes)},
              {"under", list(report.under)},
              {"families", list(report.families)}}},
            {"scan",
             {{"seen", count.seen},
              {"vanished", count.vanished},
              {"denied", count.denied},
              {"foreign", count.foreign},
              {"complete", report.complete}}}};
}

// Of what is listed apart.
Json other_hosts_json(const Report& report) {
    std::size_t in_use = 0;
    for (const ReportedProcess& process : report.others)
        in_use += section_of(process) == ReportSection::kept ? 1U : 0U;
    return {
        {"packs", list(report.other_packs)}, {"matched", report.others.size()}, {"in_use", in_use}};
}

void add_closing(const Report& report, Json& json) {
    const ReportSummary& summary = report.summary;
    json["pidfiles"] = Json::array();
    for (const ReportedFile& file : report.files)
        json["pidfiles"].push_back(pid_file_json(file, report.machine));
    if (report.command == "preflight") {
        json["ready"] = report.exit_status == ExitStatus::clean;
        json["obstacles"] = Json::array();
        for (const policy::Obstacle& obstacle : report.obstacles)
            json["obstacles"].push_back(to_json(obstacle));
    }
    if (!report.other_packs.empty()) json["other_hosts"] = other_hosts_json(report);
    if (report.command == "report") {
        json["hosts"] = Json::array();
        for (const HostTally& host : report.hosts) json["hosts"].push_back(host_json(host));
        json["diagnosis"] = report.diagnosis ? diagnosis_json(*report.diagnosis) : Json(nullptr);
    }
    json["remarks"] = list(report.remarks);
    json["summary"] = {{"matched", summary.matched},
                       {"to_reap", summary.to_reap},
                       {"reaped", summary.reaped},
                       {"reported", summary.reported},
                       {"kept", summary.kept},
                       {"failed", summary.failed},
                       {"reclaimable_bytes", summary.reclaimable_bytes},
                       {"reclaimed_bytes", summary.reclaimed_bytes},
                       {"files_stale", summary.files_stale},
                       {"files_removed", summary.files_removed},
                       {"files_failed", summary.files_failed}};
    json["interrupted"] = report.interrupted;
    json["exit_status"] = static_cast<int>(report.exit_status);
}

}  // namespace

std::string render_json(const Report& report) {
    Json json = opening(report);
    json["processes"] = Json::array();
    for (const ReportedProcess& process : report.processes)
        json["processes"].push_back(to_json(report, process));
    add_closing(report, json);
    for (const ReportedProcess& process : report.others)
        json["other_hosts"]["processes"].push_back(to_json(report, process));
    return dump(json, 2) + "\n";
}

std::string render_jsonl(const Report& report) {
    std::string text;
    for (const ReportedProcess& process : report.processes) {
        Json line = {{"type", "process"}};
        line.update(to_json(report, process));
        text += dump(line, -1) + "\n";
    }
    for (const ReportedProcess& process : report.others) {
        Json line = {{"type", "other_host"}};
        line.update(to_json(report, process));
        text += dump(line, -1) + "\n";
    }
    Json line = {{"type", "summary"}};
    line.update(opening(report));
    add_closing(report, line);
    return text + dump(line, -1) + "\n";
}

}  // namespace reaper::agent
