#include "scanner/parse/darwin/process_rows.hpp"

#include <optional>

#include "scanner/parse/darwin/constants.hpp"
#include "scanner/parse/darwin/record.hpp"

namespace reaper::scanner::darwin {

namespace {

constexpr std::int32_t kMicroseconds = 1'000'000;
constexpr std::int64_t kMostSeconds = 1LL << 40;  // no clock goes that far

std::optional<std::uint64_t> start_of(std::string_view row) {
    const std::int64_t seconds = get(row, kinfo::kStartSeconds);
    const std::int32_t rest = get(row, kinfo::kStartMicroseconds);
    const bool possible =
        seconds >= 0 && seconds < kMostSeconds && rest >= 0 && rest < kMicroseconds;
    if (!possible) return std::nullopt;
    return static_cast<std::uint64_t>(seconds * kMicroseconds + rest);
}

char state_of(int state) {
    if (state == kStateZombie) return 'Z';
    return state == kStateStopped ? 'T' : 'R';
}

// The kernel keeps no uid for file systems apart from the effective one.
Uids uids_of(std::string_view row) {
    const Uid effective = get(row, kinfo::kEffectiveUid);
    return {get(row, kinfo::kRealUid), effective, get(row, kinfo::kSavedUid), effective};
}

// None: a value that no process has.
std::optional<KernelRow> parse_row(std::string_view bytes) {
    const auto state = get(bytes, kinfo::kState);
    const auto start = start_of(bytes);
    KernelRow row;
    row.pid = get(bytes, kinfo::kPid);
    row.parent = get(bytes, kinfo::kParent);
    row.parent_before_tracing = get(bytes, kinfo::kParentBeforeTracing);
    row.group = get(bytes, kinfo::kGroup);
    if (!start || row.pid < 0 || row.parent < 0 || row.parent_before_tracing < 0 || row.group < 0)
        return std::nullopt;
    if (state < kStateNewborn || state > kStateZombie) return std::nullopt;
    const std::int32_t terminal = get(bytes, kinfo::kTerminal);
    row.terminal = terminal == -1 ? 0 : terminal;  // NODEV
    row.state = state_of(state);
    row.newborn = state == kStateNewborn;
    const std::uint32_t flags = get(bytes, kinfo::kFlags);
    row.exiting = (flags & kIsExiting) != 0;
    row.traced = (flags & kIsTraced) != 0;
    row.start = *start;
    row.uids = uids_of(bytes);
    row.name = get(bytes, kinfo::kName);
    return row;
}

}  // namespace

Result<std::vector<KernelRow>> parse_process_rows(std::string_view reply) {
    if (reply.size() % kinfo::kSize != 0) return malformed("a process table of that length");
    std::vector<KernelRow> rows;
    rows.reserve(reply.size() / kinfo::kSize);
    for (; !reply.empty(); reply.remove_prefix(kinfo::kSize)) {
        auto row = parse_row(reply.substr(0, kinfo::kSize));
        if (!row) return malformed("a row of the process table");
        rows.push_back(std::move(*row));
    }
    return rows;
}

}  // namespace reaper::scanner::darwin
