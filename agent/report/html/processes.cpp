#include "agent/report/html/processes.hpp"

#include <algorithm>
#include <map>

#include "agent/redaction/argv.hpp"
#include "agent/report/headline.hpp"
#include "agent/report/html/evidence.hpp"
#include "agent/report/text/process_line.hpp"
#include "agent/system/format.hpp"

namespace reaper::agent::html {

namespace {

// All that a closed row shows.
struct Row {
    Mark mark = Mark::kept;
    std::string what;
    std::string more;  // beside it, small
    std::string size;
    std::string why;
};

Markup summary_of(const Row& row) {
    const Markup what = element("span", {{"class", "what"}},
                                text(row.what) + literal(" ") + element("small", text(row.more)));
    const Markup state =
        element("b", {{"class", "pill " + class_of(row.mark)}}, text(word_of(row.mark)));
    return element("summary",
                   mark_icon(row.mark) + what +
                       element("span", {{"class", "size"}}, text(row.size)) +
                       element("span", {{"class", "why"}}, state + text(": " + row.why, 600)));
}

Markup folded(const Row& row, const Markup& inside) {
    return element("details", summary_of(row) + inside) + literal("\n");
}

Markup process_row(const Report& report, const ReportedProcess& process, bool open) {
    const scanner::ProcessFacts& facts = process.facts;
    const std::string age = age_text(age_seconds(report.machine, facts));
    const Row row{
        mark_of(process), fmt::format("pid {}", facts.row.pid),
        fmt::format("{} of {}, {} old", kind_text(process), shown_home(report, process), age),
        size_text(memory_bytes(facts)),
        process.outcome ? outcome_line(process) + ": " + why(process) : why(process)};
    const Markup inside = summary_of(row) + evidence_of(report, process);
    return (open ? element("details", {{"open", "open"}}, inside) : element("details", inside)) +
           literal("\n");
}

std::string sum_text(const Processes& processes) {
    std::uint64_t bytes = 0;
    for (const ReportedProcess* process : processes) bytes += memory_bytes(process->facts);
    return size_text(bytes);
}

// Rows as long as there is room.
class List {
   public:
    List(const Report& report, Room& room) : report_(report), room_(room) {}

    [[nodiscard]] Markup rows(const Processes& processes, bool open = false) {
        Markup rows;
        for (const ReportedProcess* process : processes) {
            Markup row = full_ ? Markup() : process_row(report_, *process, open);
            full_ = full_ || !room_.take(row.size());
            if (full_) {
                ++left_out_;
            } else {
                rows += row;
            }
        }
        return rows;
    }

    [[nodiscard]] Markup fold(const Row& row, const Processes& processes) {
        const Markup inside = rows(processes);
        if (inside.empty()) return {};
        room_.add(summary_of(row).size());
        return folded(row, element("div", {{"class", "inside"}},
                                   element("div", {{"class", "list"}}, inside)));
    }

    [[nodiscard]] Markup whole(const Markup& rows) const {
        Markup list = rows.empty() ? Markup() : element("div", {{"class", "card list"}}, rows);
        if (left_out_ > 0)
            list += element(
                "p", {{"class", "lead"}},
                text(fmt::format("and {} more: ", left_out_)) +
                    element("code", text(next_command(report_, report_.command + " --json"))));
        return list;
    }

    [[nodiscard]] const Report& report() const { return report_; }

   private:
    const Report& report_;
    Room& room_;
    bool full_ = false;
    std::size_t left_out_ = 0;
};

Markup equals(const Processes& processes, List& list) {
    Markup rows;
    for (const Group& group : group_equals(list.report(), processes)) {
        if (group.members.size() == 1) {
            rows += list.rows(group.members);
            continue;
        }
        const ReportedProcess& first = *group.members.front();
        const policy::Judgement& judgement = first.judgement;
        const std::string_view words = verdict_words(judgement.verdict);
        rows +=
            list.fold({group.mark, title_of(list.report(), group), judgement.role,
                       size_text(memory_bytes(group)), fmt::format("{}: {}", words, why(first))},
                      group.members);
    }
    return rows;
}

Markup by_verdict(const Processes& processes, List& list) {
    std::map<policy::Verdict, Processes> verdicts;
    for (const ReportedProcess* process : processes)
        verdicts[process->judgement.verdict].push_back(process);
    Markup rows;
    for (const auto& [verdict, members] : verdicts) {
        rows += list.fold({mark_of(*members.front()), std::string(verdict_words(verdict)),
                           count_text(members.size(), "helper"), sum_text(members),
                           why(*members.front()) + (members.size() > 1 ? "; and others" : "")},
                          members);
    }
    return rows;
}

}  // namespace

bool Room::take(std::size_t bytes) {
    if (rows_ == kMostRows || bytes_ + bytes > kMostBytes) return false;
    ++rows_;
    bytes_ += bytes;
    return true;
}

Markup process_list(const Report& report, const Processes& processes, Folding folding, Room& room) {
    List list(report, room);
    switch (folding) {
        case Folding::equals: return list.whole(equals(processes, list));
        case Folding::by_verdict: return list.whole(by_verdict(processes, list));
        case Folding::open: return list.whole(list.rows(processes, true));
    }
    return {};
}

}  // namespace reaper::agent::html
