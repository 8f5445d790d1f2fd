// How many helpers each host has, and the most that were ever seen at once: "never more than one bridge per host" as a number.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "agent/commands.hpp"

namespace reaper::agent {

struct CensusKey {
    scanner::Pid host = 0;  // 0: nobody; its host is gone
    std::uint64_t host_start_ticks = 0;
    std::string family;
    std::string home;

    auto operator<=>(const CensusKey&) const = default;
};

// Helpers that live, among those that were judged; the two halves of a unit are one. What is never ended is none.
using CensusCount = std::map<CensusKey, std::size_t>;
[[nodiscard]] CensusCount census_of(const Judged& judged);

class Census {
   public:
    // What an earlier watch has written: by the last line that is one, the most that it ever saw counts on.
    void resume(std::string_view lines);
    // True: it is another count than the one before.
    bool update(CensusCount now);
    [[nodiscard]] std::size_t members() const;

    // One JSON line, with its newline; and the same for people.
    [[nodiscard]] std::string line(double epoch) const;
    [[nodiscard]] std::string text() const;

   private:
    struct Largest {
        std::size_t members = 0;
        CensusKey where;
    };

    void resume_line(const nlohmann::json& line);

    CensusCount now_;
    CensusCount most_;                        // of the groups that there are now
    std::map<std::string, Largest> largest_;  // by family, of one living host, ever
};

}  // namespace reaper::agent
