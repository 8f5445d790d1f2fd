// Facts of an invented machine. Everything that it adds is complete and consistent: a helper that
// it calls an orphan is one in every respect, so that a test states only what it changes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scanner/model/record.hpp"

namespace reaper::test {

inline constexpr scanner::Uid kUser = 1000;
inline constexpr scanner::Pid kHost = 50;      // a Hermes gateway that lives
inline constexpr scanner::Pid kGonePid = 999;  // no process has it
inline constexpr std::uint64_t kNow = 10'000'000;
inline constexpr std::uint64_t kHour = 360'000;  // in ticks
inline constexpr double kNowEpoch = 1'800'000'000;
inline const std::string kHermesHome = "/home/u/.hermes";
inline const std::string kHome = "/home/u/.hermes/memos-plugin";

// The far end of it is held by no process, or by one.
[[nodiscard]] scanner::Reading<scanner::StdioEnd> dead_end();
[[nodiscard]] scanner::Reading<scanner::StdioEnd> live_end();
[[nodiscard]] scanner::Reading<scanner::StdioEnd> null_end();

[[nodiscard]] scanner::ProcessRow row(scanner::Pid pid, scanner::Pid ppid, const std::string& exe,
                                      std::vector<std::string> argv);

class FactsBuilder {
   public:
    FactsBuilder();  // an init, a living host, and nothing leaked

    FactsBuilder& orphan(scanner::ProcessRow row);  // of any program: both ends dead
    FactsBuilder& orphan_bridge(scanner::Pid pid);  // headless, adopted by init, both ends dead
    FactsBuilder& orphan_worker(scanner::Pid pid,
                                scanner::Pid recorded);  // of slash commands, --parent-pid=recorded
    FactsBuilder& orphan_pair(scanner::Pid launcher, scanner::Pid bridge);  // tsx and what it runs
    FactsBuilder& attached_bridge(scanner::Pid pid,
                                  scanner::Pid host);  // headless, both ends alive
    FactsBuilder& daemon(scanner::Pid pid);            // adopted by init, stdin /dev/null, silent
    FactsBuilder& listening_daemon(scanner::Pid pid);  // the same, and owns port 18800
    FactsBuilder& relative(scanner::ProcessRow row);
    FactsBuilder& claim(scanner::Claim claim);
    FactsBuilder& keepalive(scanner::Keepalive keepalive);
    FactsBuilder& wrapper(scanner::ProcessRow row);  // a relative that merely runs a candidate
    FactsBuilder& below(scanner::ProcessRow row);    // a descendant that is no candidate
    FactsBuilder& unread(scanner::Pid pid);          // looked up, but not to be read
    FactsBuilder& unanswered(const std::string& path);
    FactsBuilder& real_home(const std::string& named, const std::string& real);

    // Turns all that was added into the facts of a Mac. What launchd has adopted lost the process
    // that started it.
    FactsBuilder& on_mac();

    // The candidate with that pid, which must have been added.
    [[nodiscard]] scanner::ProcessFacts& operator[](scanner::Pid pid);
    [[nodiscard]] scanner::ProcessFacts& last_below() { return facts_.descendants.back(); }
    FactsBuilder& unseen_below(scanner::Pid pid);
    [[nodiscard]] scanner::ProcessRow& first_process() { return facts_.relatives.front(); }
    [[nodiscard]] scanner::Machine& machine() { return facts_.machine; }
    [[nodiscard]] const scanner::Record& facts() const { return facts_; }

   private:
    scanner::ProcessFacts& add(scanner::ProcessRow row);

    scanner::Record facts_;
};

void set_start(scanner::ProcessFacts& process, std::uint64_t start_ticks);
void set_uid(scanner::ProcessFacts& process, scanner::Uid uid);
void set_home(scanner::ProcessFacts& process, const std::string& home);
void add_argument(scanner::ProcessFacts& process, const std::string& argument);
void listen_on(scanner::ProcessFacts& process, std::uint16_t port);

// A readable file of the user, younger than the process that it names.
[[nodiscard]] scanner::Claim claim_of(scanner::ClaimKind kind, const std::string& home,
                                      scanner::Pid pid);

}  // namespace reaper::test
