#include "scanner/json/record_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "scanner/model/fraction.hpp"
#include "scanner/model/number.hpp"

namespace reaper::scanner {

namespace {

using json::Token;
using json::TokenKind;

// Numbers too large for an integer are no pid.
bool take_pid(std::string_view text, Pid& pid) {
    const auto number = to_number<std::int64_t>(text);
    if (!number || *number < 1 || *number > std::numeric_limits<Pid>::max()) return false;
    pid = static_cast<Pid>(*number);
    return true;
}

bool take_epoch(std::string_view text, std::optional<double>& epoch) {
    const auto seconds = to_fraction(text);
    if (!seconds || *seconds < 0) return false;
    epoch = seconds;
    return true;
}

bool take_start(std::string_view text, std::optional<std::uint64_t>& ticks,
                std::optional<double>& epoch) {
    const auto number = to_number<std::uint64_t>(text);
    if (!number) return false;
    const RecordedStart start = recorded_start(*number);
    ticks = start.ticks;
    epoch = start.epoch;
    return true;
}

Result<Ledger> parse_record(RecordForm form, std::string_view text) {
    RecordReader reader(form, nullptr);
    if (auto fed = reader.feed(text); !fed) return tl::unexpected(std::move(fed.error()));
    return reader.finish();
}

}  // namespace

RecordReader::RecordReader(RecordForm form, const std::vector<Pid>* living)
    : form_(form),
      living_(living),
      stream_(*this),
      list_depth_(form == RecordForm::headless_registry ? 2 : 1) {}

Result<void> RecordReader::feed(std::string_view piece) {
    return checked(stream_.feed(piece));
}

Result<Ledger> RecordReader::finish() {
    if (auto end = checked(stream_.finish()); !end) return tl::unexpected(std::move(end.error()));
    if (!had_list_) return failure(std::errc::invalid_argument, "find the list in", "a record");
    if (!compact()) return failure(std::errc::file_too_large, "read", "so many entries");
    return std::move(ledger_);
}

Result<void> RecordReader::checked(Result<void> result) const {
    if (!result && too_many_) return failure(std::errc::file_too_large, "read", "so many entries");
    return result;
}

bool RecordReader::take(const Token& token) {
    too_many_ = ++tokens_ > kMostTokens;
    if (too_many_) return false;
    switch (token.kind) {
        case TokenKind::open_object: return open(true);
        case TokenKind::open_array: return open(false);
        case TokenKind::close: return close();
        case TokenKind::key: take_key(token); return true;
        default: break;
    }
    if (depth_ == list_depth_ + 1 && in_entry_) take_field(token);
    if (depth_ == list_depth_ && in_list_) {
        begin_entry(false);
        return end_entry();
    }
    return depth_ > 0 && !(list_comes_ && depth_ == 1);
}

// False: a list in the place of an object, or the other way round.
bool RecordReader::open(bool object) {
    ++depth_;
    if (depth_ < list_depth_) return object;
    if (depth_ == list_depth_) {
        const bool is_list = list_depth_ == 1 || list_comes_;
        list_comes_ = false;
        if (!is_list) return true;
        if (object || had_list_) return false;
        in_list_ = had_list_ = true;
    } else if (depth_ == list_depth_ + 1 && in_list_) {
        begin_entry(object);
    } else if (depth_ == list_depth_ + 2 && in_entry_ && field_ != Field::none) {
        good_ = false;
        scope_clear_ = scope_clear_ && field_ != Field::scope;
    }
    return true;
}

bool RecordReader::close() {
    const std::size_t closed = depth_--;
    if (closed == list_depth_) in_list_ = false;
    return closed != list_depth_ + 1 || !in_list_ || end_entry();
}

void RecordReader::begin_entry(bool object) {
    entry_ = {};
    field_ = Field::none;
    seen_ = 0;
    in_entry_ = good_ = scope_clear_ = object;
    of_host_ = form_ != RecordForm::process_registry;
}

bool RecordReader::end_entry() {
    in_entry_ = false;
    too_many_ = ++count_ > kMostEntries;
    if (too_many_) return false;
    if (scope_clear_ && !of_host_) return true;  // its pid is one of a container
    if (good_ && entry_.pid > 0) return keep();
    ++ledger_.malformed;
    return true;
}

void RecordReader::take_key(const Token& token) {
    static constexpr Name kOfLedger[] = {{"pid", Field::pid},
                                         {"create_time", Field::start_epoch},
                                         {"spawner_pid", Field::spawner},
                                         {"spawner_create", Field::spawner_start_epoch}};
    static constexpr Name kOfHeadless[] = {
        {"pid", Field::pid}, {"parentPid", Field::spawner}, {"startedAt", Field::start_epoch}};
    static constexpr Name kOfProcesses[] = {{"pid", Field::pid},
                                            {"pid_scope", Field::scope},
                                            {"host_start_time", Field::recorded_start},
                                            {"owner_pid", Field::spawner},
                                            {"owner_started_at", Field::spawner_recorded_start}};
    if (list_depth_ == 2 && depth_ == 1) list_comes_ = token.text == "bridges";
    if (!in_entry_ || depth_ != list_depth_ + 1) return;
    const std::span<const Name> names =
        form_ == RecordForm::ledger              ? std::span<const Name>(kOfLedger)
        : form_ == RecordForm::headless_registry ? std::span<const Name>(kOfHeadless)
                                                 : std::span<const Name>(kOfProcesses);
    const auto found = std::ranges::find(names, token.text, &Name::text);
    field_ = found == names.end() ? Field::none : found->field;
    const unsigned bit = field_ == Field::none ? 0 : 1U << static_cast<unsigned>(field_);
    // No writer escapes a name, and a name that occurs twice contradicts itself.
    if (!token.whole || (seen_ & bit) != 0) good_ = scope_clear_ = false;
    seen_ |= bit;
}

void RecordReader::take_field(const Token& token) {
    if (field_ == Field::none || token.kind == TokenKind::null) return;
    if (!understand(token)) good_ = false;
}

bool RecordReader::understand(const Token& token) {
    if (field_ == Field::scope) {
        of_host_ = token.text == "host";
        scope_clear_ = scope_clear_ && token.kind == TokenKind::string && token.whole;
        return scope_clear_;
    }
    if (token.kind != TokenKind::number) return false;
    switch (field_) {
        case Field::pid: return take_pid(token.text, entry_.pid);
        case Field::spawner: return take_pid(token.text, entry_.spawner);
        case Field::start_epoch: return take_epoch(token.text, entry_.start_epoch);
        case Field::spawner_start_epoch: return take_epoch(token.text, entry_.spawner_start_epoch);
        case Field::recorded_start:
            return take_start(token.text, entry_.start_ticks, entry_.start_epoch);
        case Field::spawner_recorded_start:
            return take_start(token.text, entry_.spawner_start_ticks, entry_.spawner_start_epoch);
        default: return true;
    }
}

// Keeps the entry. Duplicates are removed only when the list has grown to twice the allowed size.
bool RecordReader::keep() {
    if (living_ != nullptr && !std::ranges::binary_search(*living_, entry_.pid)) return true;
    ledger_.entries.push_back(entry_);
    if (ledger_.entries.size() < 2 * kMostKept) return true;
    too_many_ = !compact();
    return !too_many_;
}

bool RecordReader::compact() {
    auto& entries = ledger_.entries;
    std::ranges::sort(entries, std::less<>());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    for (std::size_t at = kMostOfOnePid; at < entries.size(); ++at) {
        if (entries[at].pid == entries[at - kMostOfOnePid].pid) return false;
    }
    return entries.size() <= kMostKept;
}

Result<Ledger> parse_ledger(std::string_view text) {
    return parse_record(RecordForm::ledger, text);
}

Result<Ledger> parse_headless_registry(std::string_view text) {
    return parse_record(RecordForm::headless_registry, text);
}

Result<Ledger> parse_process_registry(std::string_view text) {
    return parse_record(RecordForm::process_registry, text);
}

}  // namespace reaper::scanner
