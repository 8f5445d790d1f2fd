// What all pages have in common: the frame around their sections.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/report/html/marks.hpp"
#include "agent/report/html/markup.hpp"

namespace reaper::agent::html {

// A section of a page. Nothing is shown of one without content.
struct Section {
    Literal id;
    std::string title = {};
    std::string lead = {};  // a sentence below the title; empty: none
    std::size_t count = 0;  // beside its link at the top; 0: no number
    Markup content = {};
};

struct Page {
    std::string title;  // of the window
    std::string what;   // "report", "dry run of sweep"
    Mark mark = Mark::kept;
    std::string headline;
    Markup facts;    // of which machine and when
    Markup opening;  // before the first section
    std::vector<Section> sections;
    std::string last_line;
};

// Returns the whole document.
[[nodiscard]] std::string render(const Page& page);

// "2026-01-31 12:00 UTC", for a browser and for people.
[[nodiscard]] Markup time_markup(double epoch);
// A box with sentences that a reader must know; empty without any.
[[nodiscard]] Markup remarks_box(const std::vector<std::string>& remarks);

// A name, and what there is to say of it. An empty value is left out.
struct Fact {
    std::string_view name;
    Markup value;
};
[[nodiscard]] Markup facts_card(const std::vector<Fact>& facts);

}  // namespace reaper::agent::html
