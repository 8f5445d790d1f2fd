// What the command line asked for. A plain value: parse() fills it in, the commands read it.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "policy/verdict.hpp"
#include "scanner/identity.hpp"

namespace reaper::agent {

enum class Command { report, sweep, preflight, run, watch, explain, rules, pid_files, history };
enum class Format { text, json, jsonl, prometheus, html };
enum class Events { automatic, pidfd, connector, scan };
enum class Color { automatic, always, never };

struct Options {
    Command command = Command::report;
    bool dry_run = false;
    bool clean = false;  // pidfiles
    Format format = Format::text;
    std::string output;  // empty: stdout
    std::string config;
    std::string facts;       // where to write the facts; empty: nowhere
    std::string from_facts;  // where to read them, instead of looking at the machine
    std::vector<std::string> homes;
    std::vector<std::string> families;
    std::string user;
    bool all_users = false;
    std::optional<std::chrono::milliseconds> min_age;
    std::optional<std::chrono::milliseconds> grace;
    std::optional<std::chrono::milliseconds> grace_cap;
    std::chrono::milliseconds settle{2000};
    std::chrono::milliseconds lock_wait{60'000};  // for another sweep to end
    std::chrono::milliseconds timeout{300'000};   // preflight
    std::chrono::milliseconds interval{60'000};   // watch: between two looks
    Events events = Events::automatic;            // watch: how it learns that a host died
    std::string census;                           // watch: where to write how many there are; empty: nowhere
    bool report_only = false;                     // watch
    std::size_t max_kills = 256;
    std::set<policy::Verdict> also_reap;
    bool reap_inside_services = false;
    bool quiet = false;
    bool verbose = false;
    Color color = Color::automatic;
    bool no_history = false;
    std::chrono::milliseconds since = std::chrono::hours(7 * 24);  // history
    std::vector<scanner::Pid> pids;                                // explain
    std::vector<std::string> program;                              // preflight: what to run when ready; run
    std::optional<scanner::Pid> parent;                            // run; none: the caller
    std::optional<std::chrono::milliseconds> idle;                 // run
    std::string rule_file;                                         // rules check; empty: rules show
};

}  // namespace reaper::agent
