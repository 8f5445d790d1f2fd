// libproc2 knows the names of users and terminals, and how memory is counted. What decides anything
// is read elsewhere.
extern "C" {
#include <libproc2/pids.h>
}
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "scanner/inspector.hpp"
#include "scanner/linux/late_library.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kMaxSelect = 255;  // the most pids that libproc2 takes at once (FILL_ID_MAX)

enum Column { kPid, kBegan, kMemory, kSwap, kUser, kTerminal, kTicks, kColumns };

// The functions of libproc2. Incomplete: it is not installed, or has another interface.
struct Procps {
    decltype(&procps_pids_new) open;
    decltype(&procps_pids_select) select;
    decltype(&procps_pids_unref) close;

    [[nodiscard]] bool complete() const {
        return open != nullptr && select != nullptr && close != nullptr;
    }
};

Procps load_procps() {
    const LateLibrary library("libproc2.so.0");
    return {library.function<decltype(procps_pids_new)>("procps_pids_new"),
            library.function<decltype(procps_pids_select)>("procps_pids_select"),
            library.function<decltype(procps_pids_unref)>("procps_pids_unref")};
}

struct CloseTable {
    const Procps* procps;
    void operator()(pids_info* info) const { procps->close(&info); }
};
using Table = std::unique_ptr<pids_info, CloseTable>;

Table open_table(const Procps& procps) {
    std::array<pids_item, kColumns> items{};
    items[kPid] = PIDS_ID_PID;
    items[kBegan] = PIDS_TICS_BEGAN;
    items[kMemory] = PIDS_MEM_RES;
    items[kSwap] = PIDS_VM_SWAP;
    items[kUser] = PIDS_ID_EUSER;
    items[kTerminal] = PIDS_TTY_NAME;
    items[kTicks] = PIDS_TICS_ALL;
    pids_info* info = nullptr;
    if (procps.open(&info, items.data(), kColumns) < 0) info = nullptr;
    return Table(info, CloseTable{&procps});
}

// "-" and "?" are what libproc2 says for "none".
std::string text_of(const char* text) {
    const std::string_view view = text == nullptr ? "" : text;
    return view == "-" || view == "?" ? std::string() : std::string(view);
}

// The library looks up by pid; the start tells whether that still was the candidate.
void take_row(const pids_result* row, ProcessFacts& facts) {
    if (row[kBegan].result.ull_int != facts.identity.start_ticks) return;
    static const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    facts.rss_bytes = std::uint64_t{row[kMemory].result.ul_int} * 1024;
    facts.swap_bytes = std::uint64_t{row[kSwap].result.ul_int} * 1024;
    facts.user = text_of(row[kUser].result.str);
    facts.tty_name = text_of(row[kTerminal].result.str);
    facts.cpu_seconds = static_cast<double>(row[kTicks].result.ull_int) / ticks_per_second;
}

void add_some(const Table& table, std::span<ProcessFacts> candidates) {
    std::vector<unsigned> pids;
    std::unordered_map<int, ProcessFacts*> by_pid;
    for (ProcessFacts& facts : candidates) {
        pids.push_back(static_cast<unsigned>(facts.identity.pid));
        by_pid.emplace(facts.identity.pid, &facts);
    }
    const auto count = static_cast<int>(pids.size());
    const pids_fetch* fetched =
        table.get_deleter().procps->select(table.get(), pids.data(), count, PIDS_SELECT_PID);
    if (fetched == nullptr) return;
    for (int i = 0; i < fetched->counts->total; ++i) {
        const pids_result* row = fetched->stacks[i]->head;
        const auto found = by_pid.find(row[kPid].result.s_int);
        if (found != by_pid.end()) take_row(row, *found->second);
    }
}

}  // namespace

void add_details(std::span<ProcessFacts> candidates) {
    if (candidates.empty()) return;
    const Procps procps = load_procps();
    if (!procps.complete()) return;
    const Table table = open_table(procps);
    if (!table) return;
    while (!candidates.empty()) {
        const auto some = candidates.first(std::min(candidates.size(), kMaxSelect));
        add_some(table, some);
        candidates = candidates.subspan(some.size());
    }
}

}  // namespace reaper::scanner
