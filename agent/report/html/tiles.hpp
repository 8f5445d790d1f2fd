// The numbers at the top of a page.
#pragma once

#include <string>
#include <vector>

#include "agent/report/html/marks.hpp"
#include "agent/report/html/markup.hpp"
#include "agent/report/report.hpp"

namespace reaper::agent::html {

struct Tile {
    Mark mark = Mark::kept;
    std::string name;
    std::string value;
    std::string note;
};

[[nodiscard]] Markup render(const std::vector<Tile>& tiles);

// What the report of that command is about: what is leaked or was ended, the memory of that, what
// is kept, and the last sweep.
[[nodiscard]] std::vector<Tile> tiles_of(const Report& report);

}  // namespace reaper::agent::html
