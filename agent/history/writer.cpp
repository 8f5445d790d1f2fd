#include "agent/history/writer.hpp"

#include <unistd.h>

#include <chrono>
#include <tuple>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/reading/bounded_reader.hpp"
#include "agent/redaction/argv.hpp"
#include "agent/system/text_file.hpp"
#include "policy/text/escape.hpp"
#include "policy/verdict/reason.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/json/bytes.hpp"
#include "scanner/machine.hpp"

namespace reaper::agent {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestText =
    1024;  // of a file that is removed: enough to write it again by hand

std::string now_utc() {
    const auto now =
        std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const auto part = now.time_since_epoch() % std::chrono::seconds(1);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)), part.count());
}

json entry(std::string_view event) {
    const std::uint64_t ticks =
        scanner::ticks_since_boot(static_cast<std::uint32_t>(::sysconf(_SC_CLK_TCK)));
    return {{"schema", kHistorySchema}, {"at", now_utc()}, {"ticks", ticks}, {"event", event}};
}

// Names of files and words of command lines may be no text; they are compared byte by byte when
// they are read again.
json exactly(const std::string& bytes) {
    if (scanner::json::is_utf8(bytes)) return bytes;
    return {{"hex", scanner::json::to_hex(bytes)}};
}

json exactly(const std::vector<std::string>& words) {
    json list = json::array();
    for (const std::string& word : words) list.push_back(exactly(word));
    return list;
}

json entry(std::string_view event, const policy::Judgement& step) {
    json record = entry(event);
    record["pid"] = step.identity.pid;
    record["identity"] = to_string(step.identity);
    record["family"] = step.family;
    record["role"] = step.role;
    record["home"] = exactly(step.home);
    record["verdict"] = policy::to_string(step.verdict);
    return record;
}

void add_memory(const scanner::ProcessFacts& facts, json& record) {
    record["rss_bytes"] = facts.rss_bytes;
    record["swap_bytes"] = facts.swap_bytes;
}

// What a person needs to find out which process that was.
void add_facts(const scanner::ProcessFacts& facts, json& record) {
    record["uid"] = facts.row.uid;
    record["user"] = facts.user;
    record["argv"] = exactly(redact(facts.row.command_line.value.argv));
    record["start_ticks"] = facts.row.start_ticks;
    add_memory(facts, record);
}

void add_host(const Host& host, json& record) {
    if (host.pid == 0) return;
    record["host"] = host.pid;
    record["host_start_ticks"] = host.start_ticks;
    record["host_argv"] = exactly(host.argv);
}

json entry(std::string_view event, const scanner::ClaimFile& file) {
    json record = entry(event);
    record["path"] = exactly(file.path);
    record["kind"] = policy::kind_word(file.kind);
    record["home"] = exactly(file.home);
    return record;
}

std::string line_of(json record, const Program& by, const std::string& from = {}) {
    record["by"] = by.pid;
    record["by_identity"] = by.identity;
    if (!from.empty()) record["from"] = from;
    return record.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
}

json codes(const std::vector<policy::Evidence>& evidence) {
    json list = json::array();
    for (const policy::Evidence& piece : evidence) list.push_back(piece.code);
    return list;
}

}  // namespace

HistoryWriter::HistoryWriter(HistoryUse use, const std::string& folder, HistoryEcho echo,
                             std::string from)
    : use_(use), echo_(echo), from_(std::move(from)), folder_(folder) {
    if (use_ == HistoryUse::none) return;
    const bool in_place = BoundedReader::of_program().reads_in_place() || ::geteuid() == 0;
    auto file = in_place ? HistoryFile::open(folder) : tl::unexpected(Error{});
    const auto opened =
        in_place ? file.map([&](HistoryFile& kept) { file_ = std::move(kept); }) : append({});
    is_open_ = opened.has_value();
    if (!opened)
        complaint_ = fmt::format(
            "the history cannot be kept, so helpers that are started again go unnoticed: {}",
            policy::escape(describe(opened.error()), 400));
}

// A home can hang at any time, and with it the history that it keeps.
Result<void> HistoryWriter::append(const std::string& line) {
    if (file_) return file_->append(line);
    return read_bounded<void>([&]() -> Result<void> {
        if (!scanner::may_read(::geteuid(), folder_)) return unanswered(folder_);
        return HistoryFile::open(folder_).and_then(
            [&](HistoryFile file) { return line.empty() ? Result<void>() : file.append(line); });
    });
}

bool HistoryWriter::write(const std::string& line) {
    if (!is_open_) return false;
    const auto written = append(line);
    if (!written)
        complaint_ = fmt::format(
            "the history cannot be written, so helpers that are started again go unnoticed: {}",
            policy::escape(describe(written.error()), 400));
    return written.has_value();
}

Result<void> HistoryWriter::about_to_signal(const Target& target, Signal signal) {
    if (signal == Signal::resume) return {};
    const policy::Judgement& step = target.step;
    json record = entry("signal", step);
    record["signal"] = to_string(signal);
    record["evidence"] = codes(step.evidence);
    record["reason"] = policy::why(step);
    add_facts(target.facts, record);
    add_host(target.host, record);
    return announce(
        to_string(step.identity), line_of(record, by_, from_),
        fmt::format("{} to pid {} ({}, {}, {})", to_string(signal), step.identity.pid, step.family,
                    to_string(step.verdict), policy::escape(step.home, 200)));
}

void HistoryWriter::ended(const Target& target, const Outcome& outcome) {
    json record = entry("ended", target.step);
    record["result"] = to_string(outcome.result);
    record["detail"] = outcome.detail;
    record["took_ms"] = static_cast<double>(outcome.took.count()) / 1000.0;
    add_memory(target.facts, record);
    conclude(to_string(target.step.identity), line_of(record, by_, from_),
             fmt::format("pid {}: {}", target.step.identity.pid, describe(outcome)));
}

void HistoryWriter::respawned(const Respawn& respawn) {
    const auto& [ended, newcomer] = respawn;
    json record = entry("respawned");
    record["pid"] = ended.pid;
    record["identity"] = ended.identity;
    record["family"] = ended.family;
    record["role"] = ended.role;
    record["home"] = exactly(ended.home);
    record["verdict"] = ended.verdict;
    record["respawned_as"] = newcomer.pid;
    record["respawned_identity"] = newcomer.identity;
    add_host({newcomer.host, newcomer.host_start_ticks, newcomer.host_argv}, record);
    if (use_ == HistoryUse::keep) std::ignore = write(line_of(record, by_));
}

Result<void> HistoryWriter::about_to_remove(const scanner::ClaimFile& file,
                                            const policy::FileJudgement& judgement) {
    json record = entry("remove", file);
    record["text"] = file.text.substr(0, kLongestText);
    record["reason"] = judgement.reason;
    record["evidence"] = codes(judgement.evidence);
    return announce(file.path, line_of(record, by_),
                    fmt::format("removing {} ({})", policy::escape(file.path, 200),
                                policy::escape(judgement.reason)));
}

void HistoryWriter::removed(const scanner::ClaimFile& file, const Removal& removal) {
    json record = entry("removed", file);
    record["result"] = to_string(removal.result);
    record["detail"] = removal.detail;
    conclude(file.path, line_of(record, by_),
             fmt::format("{} {}", policy::escape(file.path, 200), to_string(removal.result)));
}

// Once an interrupt has come, a reader that takes nothing is not waited for again at each line.
bool HistoryWriter::echo(const std::string& words) {
    const std::string line = fmt::format("orphan-reaper: {}\n", words);
    if (!echo_.waits) return offer(echo_.fd, line);
    const auto told = write_all(echo_.fd, line, "the decision");
    echo_.waits = told || told.error().code != std::errc::interrupted;
    return told.has_value();
}

Result<void> HistoryWriter::announce(const std::string& subject, const std::string& line,
                                     const std::string& words) {
    const bool kept = use_ == HistoryUse::keep && write(line);
    const bool must_echo = use_ == HistoryUse::keep && !kept;
    const bool told = (echo_.always || must_echo) && echo(words);
    if (must_echo && !told)
        return failure(std::errc::io_error, "write down", "the decision anywhere");
    announced_.insert(subject);
    return {};
}

void HistoryWriter::conclude(const std::string& subject, const std::string& line,
                             const std::string& words) {
    const bool announced = announced_.erase(subject) > 0;
    if (!announced || use_ == HistoryUse::none || write(line)) return;
    std::ignore = echo(words);
}

}  // namespace reaper::agent
