#include "scanner/parse/claim_text.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include <nlohmann/json.hpp>

#include "scanner/model/number.hpp"

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

// Never throws. Numbers too large for the integers of JSON become reals, so they are no pid.
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
    if (found->is_number_unsigned() &&
        found->get<std::uint64_t>() > std::numeric_limits<Pid>::max())
        return std::nullopt;
    return possible_pid(found->get<std::int64_t>());
}

// Reads a number of ticks. False: the member is there, but is no such number.
bool take_ticks(const json& object, const char* key, std::optional<std::uint64_t>& ticks) {
    if (absent(object, key)) return true;
    if (!object[key].is_number_unsigned()) return false;
    ticks = object[key].get<std::uint64_t>();
    return true;
}

// False: it is no start.
bool take_start_time(const json& record, const char* key, RecordedStart& start) {
    std::optional<std::uint64_t> number;
    if (!take_ticks(record, key, number)) return false;
    if (number) start = recorded_start(*number);
    return true;
}

bool has_host_role(const json& record) {
    constexpr std::string_view kRoles[] = {"gateway", "serve", "desktop-serve"};
    const auto role = record.find("role");
    return role != record.end() && role->is_string() &&
           std::ranges::find(kRoles, role->get_ref<const std::string&>()) != std::end(kRoles);
}

tl::unexpected<Error> malformed(std::string_view what) {
    return failure(std::errc::invalid_argument, "parse", what);
}

}  // namespace

RecordedStart recorded_start(std::uint64_t number) {
    constexpr std::uint64_t kFirstEpoch = 100'000'000'000;
    if (number < kFirstEpoch) return {number, std::nullopt};
    return {std::nullopt, static_cast<double>(number) / 100};
}

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
    RecordedStart start;
    if (!take_start_time(record, "start_time", start))
        return malformed("the start time of a gateway");
    GatewayRecord gateway{*pid, start.ticks, start.epoch};
    const auto home = record.find("hermes_home");
    if (home != record.end() && home->is_string()) gateway.home = home->get<std::string>();
    return gateway;
}

Result<HostRecord> parse_host_record(std::string_view text) {
    const json record = parse_json(text);
    if (!record.is_object()) return malformed("a host record");
    const auto pid = pid_of(record, "pid");
    const bool known = has_host_role(record) && record.value("protocolVersion", json()) == 1;
    if (!pid || !known) return malformed("the pid of a host record");
    HostRecord host{*pid, std::nullopt, 0};
    if (!absent(record, "createTime")) {
        if (!record["createTime"].is_number()) return malformed("the start of a host record");
        host.start_epoch = record["createTime"].get<double>();
    }
    const auto profiles = record.find("profiles");
    if (profiles != record.end() && profiles->is_array()) host.profiles = profiles->size();
    return host;
}

std::vector<double> parse_gateway_starts(std::string_view text) {
    std::vector<double> starts;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const json number = parse_json(line);
        if (number.is_number()) starts.push_back(number.get<double>());
    }
    return starts;
}

Result<GatewayRecord> parse_whatsapp_pid(std::string_view text) {
    const std::string_view first = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(first.size() + 1, text.size()));
    const auto pid = pid_in(first);
    if (!pid) return malformed("WhatsApp's pid file");
    const auto number = to_number<std::uint64_t>(trimmed(text));
    const RecordedStart start = number ? recorded_start(*number) : RecordedStart{};
    return GatewayRecord{*pid, start.ticks, start.epoch};
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

Result<LedgerEntry> parse_compute_host_registry(std::string_view text) {
    const json record = parse_json(text);
    const auto pid = record.is_object() ? pid_of(record, "host_pid") : std::nullopt;
    if (!pid) return malformed("the registry of a compute host");
    RecordedStart start;
    RecordedStart of_owner;
    const auto owner = pid_of(record, "owner_pid");
    const bool whole = take_start_time(record, "process_start_time", start) &&
                       take_start_time(record, "owner_start_time", of_owner) &&
                       (owner || absent(record, "owner_pid"));
    if (!whole) return malformed("the owner of a compute host");
    return LedgerEntry{*pid,           start.epoch, owner.value_or(0),
                       of_owner.epoch, start.ticks, of_owner.ticks};
}

Result<GatewayRecord> parse_meet_bot_record(std::string_view text) {
    const json record = parse_json(text);
    const auto pid = record.is_object() ? pid_of(record, "pid") : std::nullopt;
    if (!pid) return malformed("the record of a meet bot");
    RecordedStart start;
    if (!take_start_time(record, "pid_start_time", start))
        return malformed("the start time of a meet bot");
    return GatewayRecord{*pid, start.ticks, start.epoch};
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
