#include "agent/report/html/marks.hpp"

#include "agent/report/text/process_line.hpp"

namespace reaper::agent::html {

namespace {

std::string shape_of(Mark mark) {
    return "#m-" + class_of(mark);
}

}  // namespace

Mark mark_of(const ReportedProcess& process) {
    if (has_failed(process)) return Mark::failed;
    if (is_ended(process)) return Mark::ended;
    switch (section_of(process)) {
        case ReportSection::leaked: return Mark::leaked;
        case ReportSection::reported: return Mark::look;
        case ReportSection::kept: return Mark::kept;
    }
    return Mark::look;
}

std::string_view word_of(Mark mark) {
    switch (mark) {
        case Mark::failed: return "did not end";
        case Mark::leaked: return "leaked";
        case Mark::look: return "to look at";
        case Mark::kept: return "kept";
        case Mark::ended: return "ended";
    }
    return "to look at";
}

std::string class_of(Mark mark) {
    switch (mark) {
        case Mark::failed: return "failed";
        case Mark::leaked: return "leaked";
        case Mark::look: return "look";
        case Mark::kept: return "kept";
        case Mark::ended: return "ended";
    }
    return "look";
}

// An octagon, a diamond, a triangle, a disc, a square, and a window for a host.
Markup mark_shapes() {
    return literal(R"(<svg class="shapes" aria-hidden="true" width="0" height="0">
<symbol id="m-failed" viewBox="0 0 16 16">
<path class="fill failed" d="M5 .5h6L15.5 5v6L11 15.5H5L.5 11V5z"/>
<path class="cut" d="M8 4v5M8 11.2v.8"/></symbol>
<symbol id="m-leaked" viewBox="0 0 16 16">
<path class="fill leaked" d="M8 0l8 8-8 8-8-8z"/>
<path class="cut" d="M5.5 5.5l5 5m0-5l-5 5"/></symbol>
<symbol id="m-look" viewBox="0 0 16 16">
<path class="fill look" d="M8 .8L15.8 15H.2z"/>
<path class="cut" d="M8 5.8v4.2M8 12v.8"/></symbol>
<symbol id="m-kept" viewBox="0 0 16 16">
<circle class="fill kept" cx="8" cy="8" r="7.5"/>
<path class="cut" d="M4.5 8.3l2.4 2.4 4.6-5"/></symbol>
<symbol id="m-ended" viewBox="0 0 16 16">
<rect class="fill ended" x="1" y="1" width="14" height="14" rx="3"/>
<path class="cut" d="M4.5 8h7"/></symbol>
<symbol id="m-host" viewBox="0 0 16 16">
<rect class="line" x="1" y="2" width="14" height="12" rx="2.5"/>
<path class="line" d="M4 6l2.2 2L4 10M8 10.5h4"/></symbol>
</svg>
)");
}

Markup mark_icon(Mark mark) {
    return element("svg",
                   {{"class", "mark"}, {"width", "16"}, {"height", "16"}, {"aria-hidden", "true"}},
                   empty_element("use", {{"href", shape_of(mark)}}));
}

Markup mark_at(Mark mark, double x, double y) {
    return empty_element("use", {{"href", shape_of(mark)},
                                 {"x", coordinate(x)},
                                 {"y", coordinate(y)},
                                 {"width", "16"},
                                 {"height", "16"}});
}

}  // namespace reaper::agent::html
