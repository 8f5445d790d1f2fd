#include "agent/history.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <tuple>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "policy/escape.hpp"

namespace reaper::agent {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestText = 1024;  // of a file that is removed: enough to write it again by hand

std::string now_utc() {
    const auto now = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    const auto part = now.time_since_epoch() % std::chrono::seconds(1);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                       part.count());
}

json entry(std::string_view event) {
    return {{"schema", "orphan-reaper/history/1"}, {"at", now_utc()}, {"event", event}, {"by", ::getpid()}};
}

json entry(std::string_view event, const Target& target) {
    json record = entry(event);
    record["pid"] = target.step.identity.pid;
    record["identity"] = to_string(target.step.identity);
    record["family"] = target.step.family;
    record["role"] = target.step.role;
    record["home"] = target.step.home;
    record["verdict"] = policy::to_string(target.step.verdict);
    return record;
}

json entry(std::string_view event, const scanner::ClaimFile& file) {
    json record = entry(event);
    record["path"] = file.path;
    record["kind"] = policy::kind_word(file.kind);
    record["home"] = file.home;
    return record;
}

std::string line_of(const json& value) {
    return value.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
}

json codes(const std::vector<policy::Evidence>& evidence) {
    json list = json::array();
    for (const policy::Evidence& piece : evidence) list.push_back(piece.code);
    return list;
}

bool write_all(int fd, const std::string& line) {
    ssize_t written = 0;
    do {
        written = ::write(fd, line.data(), line.size());
    } while (written < 0 && errno == EINTR);
    return written == static_cast<ssize_t>(line.size());
}

Result<Fd> open_file(const std::string& folder) {
    if (folder.empty()) return failure(std::errc::no_such_file_or_directory, "find", "a folder for the history");
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return tl::unexpected(Error{error, "create", folder});
    const std::string path = folder + "/history.jsonl";
    Fd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    struct stat status{};
    if (!file || ::fstat(file.get(), &status) != 0) return system_failure("open", path);
    const bool ours = S_ISREG(status.st_mode) && status.st_uid == ::geteuid() && status.st_nlink == 1;
    if (!ours) return failure(std::errc::operation_not_permitted, "use", path);
    return file;
}

}  // namespace

std::string history_folder() {
    if (::geteuid() == 0) return "/var/lib/orphan-reaper";
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && *state == '/') return std::string(state) + "/orphan-reaper";
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home != '/') return {};
    return std::string(home) + "/.local/state/orphan-reaper";
}

History::History(HistoryUse use, const std::string& folder, HistoryVoice voice) : use_(use), voice_(voice) {
    if (use_ == HistoryUse::none) return;
    auto file = open_file(folder);
    if (file)
        file_ = std::move(*file);
    else
        complaint_ = fmt::format("the history cannot be kept: {}", policy::escape(describe(file.error()), 400));
}

bool History::write(const std::string& line) {
    if (!file_) return false;
    if (write_all(file_.get(), line) && ::fdatasync(file_.get()) == 0) return true;
    complaint_ = fmt::format("the history cannot be written: {}", std::generic_category().message(errno));
    return false;
}

Result<void> History::about_to_signal(const Target& target, Signal signal) {
    if (signal == Signal::resume) return {};
    const policy::Judgement& step = target.step;
    json record = entry("signal", target);
    record["signal"] = to_string(signal);
    record["evidence"] = codes(step.evidence);
    return announce(line_of(record),
                    fmt::format("orphan-reaper: {} to pid {} ({}, {}, {})\n", to_string(signal), step.identity.pid,
                                step.family, to_string(step.verdict), policy::escape(step.home, 200)));
}

Result<void> History::announce(const std::string& line, const std::string& words) {
    const bool kept = use_ == HistoryUse::keep && write(line);
    const bool must_tell = use_ == HistoryUse::keep && !kept;
    if (!voice_.always && !must_tell) return {};
    const bool told = write_all(voice_.fd, words);
    if (must_tell && !told) return failure(std::errc::io_error, "write down", "the decision anywhere");
    return {};
}

void History::ended(const Target& target, const Outcome& outcome) {
    // A denied signal was announced, so its line must not stand alone.
    if (outcome.signals.empty() && outcome.result != OutcomeResult::denied) return;
    json record = entry("ended", target);
    record["result"] = to_string(outcome.result);
    record["took_ms"] = static_cast<double>(outcome.took.count()) / 1000.0;
    if (use_ == HistoryUse::keep) std::ignore = write(line_of(record));
}

Result<void> History::about_to_remove(const scanner::ClaimFile& file, const policy::FileJudgement& judgement) {
    json record = entry("remove", file);
    record["text"] = file.text.substr(0, kLongestText);
    record["reason"] = judgement.reason;
    record["evidence"] = codes(judgement.evidence);
    return announce(line_of(record), fmt::format("orphan-reaper: removing {} ({})\n", policy::escape(file.path, 200),
                                                 policy::escape(judgement.reason)));
}

void History::removed(const scanner::ClaimFile& file, const Removal& removal) {
    if (removal.result == RemovalResult::refused || use_ != HistoryUse::keep) return;
    json record = entry("removed", file);
    record["result"] = to_string(removal.result);
    std::ignore = write(line_of(record));
}

}  // namespace reaper::agent
