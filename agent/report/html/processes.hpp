// The processes of a report, one row each, with their evidence behind a click.
#pragma once

#include <cstddef>

#include "agent/report/html/groups.hpp"
#include "agent/report/html/markup.hpp"
#include "agent/report/report.hpp"

namespace reaper::agent::html {

// How much of a page processes may still take, so that a browser shows it at once.
class Room {
   public:
    static constexpr std::size_t kMostRows = 1000;
    static constexpr std::size_t kMostBytes = 1'320'000;

    // Takes the room of one row. False: there is none left.
    [[nodiscard]] bool take(std::size_t bytes);
    // Counts what stands around rows.
    void add(std::size_t bytes) { bytes_ += bytes; }

   private:
    std::size_t rows_ = 0;
    std::size_t bytes_ = 0;
};

// How the rows of a list are put together.
enum class Folding { equals, by_verdict, open };

// Returns a list of `processes`, as long as there is room: equal ones in one row that opens, or all
// of one verdict, or each with its evidence open. Says how many more there are.
[[nodiscard]] Markup process_list(const Report& report, const Processes& processes, Folding folding,
                                  Room& room);

}  // namespace reaper::agent::html
