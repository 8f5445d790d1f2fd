// libproc2 reads the same table with code of its own: an independent witness.
#include <libproc2/pids.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <map>
#include <thread>

#include "scanner/process_table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/subprocess.hpp"

using namespace reaper::scanner;
using reaper::test::RunningCat;

namespace {

// What both sides say of a process, and what does not change while it lives (but when its parent
// ends).
struct Record {
    Pid ppid = 0;
    Pid pgrp = 0;
    Pid session = 0;
    std::uint64_t start_ticks = 0;
    Uid uid = 0;

    bool operator==(const Record&) const = default;
};

using Table = std::map<Pid, Record>;

Table read_with_libproc2() {
    std::array items = {PIDS_ID_PID,     PIDS_ID_PPID,    PIDS_ID_PGRP,
                        PIDS_ID_SESSION, PIDS_TICS_BEGAN, PIDS_ID_EUID};
    pids_info* info = nullptr;
    REQUIRE(procps_pids_new(&info, items.data(), static_cast<int>(items.size())) == 0);
    const pids_fetch* fetched = procps_pids_reap(info, PIDS_FETCH_TASKS_ONLY);
    REQUIRE(fetched != nullptr);
    Table table;
    for (int i = 0; i < fetched->counts->total; ++i) {
        const pids_result* fields = fetched->stacks[i]->head;
        table[fields[0].result.s_int] = {fields[1].result.s_int, fields[2].result.s_int,
                                         fields[3].result.s_int, fields[4].result.ull_int,
                                         fields[5].result.u_int};
    }
    procps_pids_unref(&info);
    return table;
}

Table read_with_rows(const Table& pids) {
    const auto table = ProcessTable::open().value();
    Table rows;
    for (const auto& [pid, ignored] : pids) {
        const auto row = read_row(table, pid);
        if (row) rows[pid] = {row->ppid, row->pgrp, row->session, row->start_ticks, row->uid};
    }
    return rows;
}

// Only what was the same before and after can be held against the other reader.
std::size_t count_disagreements(const Table& before, const Table& ours, const Table& after) {
    std::size_t disagreements = 0;
    for (const auto& [pid, record] : before) {
        const auto later = after.find(pid);
        if (later == after.end() || later->second != record) continue;
        const auto own = ours.find(pid);
        if (own == ours.end() || own->second != record) ++disagreements;
    }
    return disagreements;
}

}  // namespace

TEST_CASE("every row agrees with libproc2") {
    const RunningCat cat;
    const Table before = read_with_libproc2();
    const Table ours = read_with_rows(before);
    const Table after = read_with_libproc2();
    REQUIRE(before.contains(cat.pid()));
    REQUIRE(ours.contains(cat.pid()));
    CHECK(count_disagreements(before, ours, after) == 0);
}

// Processes come and go: one quiet moment in which both count the same is enough, and a wrong count
// never has one.
TEST_CASE("the walk sees as many processes as libproc2") {
    const auto table = ProcessTable::open().value();
    bool agreed = false;
    for (int attempt = 0; attempt < 50 && !agreed; ++attempt) {
        const std::size_t before = read_with_libproc2().size();
        const std::size_t seen = walk(table, {}).value().count.seen;
        agreed = before == seen && read_with_libproc2().size() == before;
        if (!agreed) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    CHECK(agreed);
}
