#include "scanner/claim_text.hpp"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "scanner/number.hpp"

namespace reaper::scanner {

namespace {

using nlohmann::json;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::optional<Pid> possible_pid(std::optional<std::int64_t> number) {
    if (!number || *number < 1 || *number > std::numeric_limits<Pid>::max()) return std::nullopt;
    return static_cast<Pid>(*number);
}

std::optional<Pid> pid_in(std::string_view text) {
    return possible_pid(to_number<std::int64_t>(trimmed(text)));
}

// Never throws. Numbers too large for JSON's integers are reals, and no pid.
json parse_json(std::string_view text) {
    return json::parse(text, nullptr, /*allow_exceptions=*/false);
}

bool absent(const json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null();
}

std::optional<Pid> pid_of(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    if (found->is_number_unsigned() && found->get<std::uint64_t>() > std::numeric_limits<Pid>::max())
        return std::nullopt;
    return possible_pid(found->get<std::int64_t>());
}

// False: there, but no sensible point in time.
bool take_epoch(const json& object, const char* key, std::optional<double>& epoch) {
    if (absent(object, key)) return true;
    if (!object[key].is_number() || object[key].get<double>() < 0) return false;
    epoch = object[key].get<double>();
    return true;
}

// False: there, but no number of ticks.
bool take_ticks(const json& object, const char* key, std::optional<std::uint64_t>& ticks) {
    if (absent(object, key)) return true;
    if (!object[key].is_number_unsigned()) return false;
    ticks = object[key].get<std::uint64_t>();
    return true;
}

// A machine that has been up for thirty years has fewer ticks than 2001 has hundredths of a second. False: neither.
bool take_start_time(const json& record, GatewayRecord& gateway) {
    constexpr std::uint64_t kFirstEpoch = 100'000'000'000;
    std::optional<std::uint64_t> number;
    if (!take_ticks(record, "start_time", number)) return false;
    if (!number) return true;
    if (*number < kFirstEpoch)
        gateway.start_ticks = number;
    else
        gateway.start_epoch = static_cast<double>(*number) / 100;
    return true;
}

// Who was started, and by whom; the times are left to the caller.
std::optional<LedgerEntry> pids_of(const json& object, const char* spawner_key) {
    if (!object.is_object()) return std::nullopt;
    const auto pid = pid_of(object, "pid");
    const auto spawner = pid_of(object, spawner_key);
    if (!pid || (!spawner && !absent(object, spawner_key))) return std::nullopt;
    return LedgerEntry{*pid, std::nullopt, spawner.value_or(0), std::nullopt};
}

std::optional<LedgerEntry> ledger_entry(const json& object) {
    auto entry = pids_of(object, "spawner_pid");
    const bool timed = entry && take_epoch(object, "create_time", entry->start_epoch) &&
                       take_epoch(object, "spawner_create", entry->spawner_start_epoch);
    return timed ? entry : std::nullopt;
}

std::optional<LedgerEntry> headless_entry(const json& object) {
    auto entry = pids_of(object, "parentPid");
    return entry && take_epoch(object, "startedAt", entry->start_epoch) ? entry : std::nullopt;
}

std::optional<LedgerEntry> process_entry(const json& object) {
    auto entry = pids_of(object, "owner_pid");
    const bool timed = entry && take_ticks(object, "host_start_time", entry->start_ticks) &&
                       take_ticks(object, "owner_started_at", entry->spawner_start_ticks);
    return timed ? entry : std::nullopt;
}

// One bad entry does not hide the others.
template <class EntryOf>
void add_entry(Ledger& ledger, const json& object, EntryOf entry_of) {
    const auto entry = entry_of(object);
    if (entry) ledger.entries.push_back(*entry);
    if (!entry) ++ledger.malformed;
}

bool is_of_host(const json& object) {
    const auto scope = object.find("pid_scope");
    return scope != object.end() && *scope == "host";
}

tl::unexpected<Error> malformed(std::string_view what) {
    return failure(std::errc::invalid_argument, "parse", what);
}

}  // namespace

Result<Pid> parse_bare_pid(std::string_view text) {
    const auto pid = pid_in(text);
    if (!pid) return malformed("a pid file");
    return *pid;
}

Result<GatewayRecord> parse_gateway_record(std::string_view text) {
    if (const auto bare = pid_in(text)) return GatewayRecord{*bare, std::nullopt};
    const json record = parse_json(text);
    if (!record.is_object()) return malformed("a gateway's pid file");
    const auto pid = pid_of(record, "pid");
    if (!pid) return malformed("the pid of a gateway");
    GatewayRecord gateway{*pid, std::nullopt};
    if (!take_start_time(record, gateway)) return malformed("the start time of a gateway");
    const auto home = record.find("hermes_home");
    if (home != record.end() && home->is_string()) gateway.home = home->get<std::string>();
    return gateway;
}

Result<GatewayRecord> parse_whatsapp_pid(std::string_view text) {
    const std::string_view first = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(first.size() + 1, text.size()));
    const auto pid = pid_in(first);
    if (!pid) return malformed("WhatsApp's pid file");
    return GatewayRecord{*pid, to_number<std::uint64_t>(trimmed(text))};
}

Result<Pid> parse_viewer_lock(std::string_view text) {
    constexpr std::string_view kName = "pid=";
    if (!text.starts_with(kName)) return malformed("the owner of a lock");
    text.remove_prefix(kName.size());
    return parse_bare_pid(text.substr(0, text.find(' ')));
}

Result<Pid> parse_desktop_lock(std::string_view text) {
    const json record = parse_json(text);
    const auto pid = record.is_object() ? pid_of(record, "pid") : std::nullopt;
    if (!pid) return malformed("a desktop lock");
    return *pid;
}

Result<Ledger> parse_ledger(std::string_view text) {
    const json list = parse_json(text);
    if (!list.is_array()) return malformed("a spawn ledger");
    Ledger ledger;
    for (const json& object : list) add_entry(ledger, object, ledger_entry);
    return ledger;
}

Result<Ledger> parse_headless_registry(std::string_view text) {
    const json registry = parse_json(text);
    if (!registry.is_object() || !registry.contains("bridges") || !registry["bridges"].is_array())
        return malformed("a registry of headless bridges");
    Ledger ledger;
    for (const json& object : registry["bridges"]) add_entry(ledger, object, headless_entry);
    return ledger;
}

Result<Ledger> parse_process_registry(std::string_view text) {
    const json list = parse_json(text);
    if (!list.is_array()) return malformed("a registry of processes");
    Ledger ledger;
    for (const json& object : list) {
        const bool other_scope = object.is_object() && !is_of_host(object);
        if (!other_scope) add_entry(ledger, object, process_entry);
    }
    return ledger;
}

Result<UpdateMarker> parse_update_marker(std::string_view text) {
    const std::string_view first = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(first.size() + 1, text.size()));
    const auto pid = pid_in(first);
    const auto seconds = to_number<std::uint32_t>(trimmed(text.substr(0, text.find('\n'))));
    if (!pid || !seconds) return malformed("an update marker");
    return UpdateMarker{*pid, static_cast<double>(*seconds)};
}

}  // namespace reaper::scanner
