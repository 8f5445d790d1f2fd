// The reports of many machines as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/report/report.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// A leak of some machine, in the words of its report.
struct FleetProcess {
    std::int64_t pid = 0;
    std::string user;
    std::string kind;  // "bridge/daemon"
    std::string home;
    std::string verdict;
    std::string result;  // what a sweep came to; empty: it was not to end it
    std::uint64_t age = 0;
    std::uint64_t memory_bytes = 0;
};

// What one file says. All texts are as they are in there: a machine can write what it likes.
struct FleetMachine {
    std::string file;
    std::string trouble;  // why there is no more than the file's name; empty: there is
    std::string name;
    std::string system;  // its boot and pid namespace: containers share name and boot
    std::string scope;   // which processes were looked at
    std::string command;
    bool dry_run = false;
    std::string started_at;  // "2026-01-31T12:00:00Z"
    std::string version;
    bool complete = false;
    std::uint64_t to_reap = 0;
    std::uint64_t reaped = 0;
    std::uint64_t reported = 0;
    std::uint64_t kept = 0;
    std::uint64_t failed = 0;
    std::uint64_t reclaimable_bytes = 0;
    std::uint64_t reclaimed_bytes = 0;
    std::optional<bool> ready;  // for an update; none: it was not asked
    std::vector<std::string> in_the_way;
    std::vector<std::string> remarks;
    std::vector<FleetProcess> leaks;
    int exit_status = 0;
};

struct Fleet {
    std::string version;
    std::vector<FleetMachine> machines;  // worst first, then by name
    std::vector<std::string> remarks;
    ExitStatus exit_status = ExitStatus::clean;
};

// How much of what all machines have together.
struct FleetSum {
    std::size_t unread = 0;
    std::size_t leaking = 0;  // machines
    std::size_t not_ready = 0;
    std::uint64_t left = 0;  // leaked processes that still run
    std::uint64_t reported = 0;
    std::uint64_t reaped = 0;
    std::uint64_t failed = 0;
    std::uint64_t reclaimable_bytes = 0;  // of what is left
    std::uint64_t reclaimed_bytes = 0;
};

// Reads what `report`, `sweep` or `preflight` printed with --json. What is no such text is trouble.
[[nodiscard]] FleetMachine read_report(const std::string& file, const Result<std::string>& text);

// Of two reports of the same command and scope by one system the newer one counts.
[[nodiscard]] Fleet merge(std::vector<FleetMachine> machines);

[[nodiscard]] FleetSum sum_of(const Fleet& fleet);
// Leaked processes of this machine that still run.
[[nodiscard]] std::uint64_t left_of(const FleetMachine& machine);
// The machine by its own name, or the file where that is not known.
[[nodiscard]] const std::string& name_of(const FleetMachine& machine);
// "3 machines: 5 leaked helpers on 2 of them, 412 MB would come back"
[[nodiscard]] std::string headline(const Fleet& fleet);

[[nodiscard]] std::string render_fleet(const Fleet& fleet, const RenderOptions& options);
// Valid ASCII JSON.
[[nodiscard]] std::string render_fleet_json(const Fleet& fleet);
[[nodiscard]] std::string render_fleet_html(const Fleet& fleet);

}  // namespace reaper::agent
