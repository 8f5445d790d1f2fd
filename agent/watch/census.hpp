// How many helpers each host has, and the most that were ever seen at once: "never more than one
// bridge per host" as a number.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "agent/observe/judged.hpp"

namespace reaper::agent {

// What is counted as one: a host is the process with this pid and start, so that a re-used pid is
// another one.
struct CensusKey {
    scanner::Pid host = 0;  // 0: none; the host has exited
    std::uint64_t host_start_ticks = 0;
    std::string family;
    std::string home;

    auto operator<=>(const CensusKey&) const = default;
};

// The number of live helpers per host, family and home. The two halves of a unit count once.
// Families that are never ended are not counted.
using CensusCount = std::map<CensusKey, std::size_t>;
[[nodiscard]] CensusCount census_of(const Judged& judged);

class Census {
   public:
    // Continues what an earlier watch has written: takes the largest counts from the last line that
    // is complete.
    void resume(std::string_view lines);
    // Replaces the counts. True: they differ from the ones before.
    bool update(CensusCount now);
    // Returns the sum of the counts, helpers without a host included.
    [[nodiscard]] std::size_t members() const;

    // line() returns one JSON line with its newline; text() the same for people.
    [[nodiscard]] std::string line(double epoch) const;
    [[nodiscard]] std::string text() const;

   private:
    struct Largest {
        std::size_t members = 0;
        CensusKey where;
    };

    // Ignores what is missing or of another kind.
    void resume_line(const nlohmann::json& line);

    CensusCount now_;
    CensusCount most_;                        // of the groups that there are now
    std::map<std::string, Largest> largest_;  // by family, of one living host, ever
};

}  // namespace reaper::agent
