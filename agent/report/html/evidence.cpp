#include "agent/report/html/evidence.hpp"

#include <algorithm>

#include "agent/redaction/argv.hpp"
#include "agent/report/headline.hpp"
#include "agent/report/html/groups.hpp"
#include "agent/report/text/process_line.hpp"

namespace reaper::agent::html {

namespace {

constexpr std::size_t kMostPieces = 24;
constexpr std::size_t kLongestDetail = 300;
constexpr std::size_t kLongestCommand = 300;

struct WeightWords {
    Literal shown;
    Literal style;
};

WeightWords words_of(policy::Weight weight) {
    switch (weight) {
        case policy::Weight::for_kill: return {"leaked", "pill leaked"};
        case policy::Weight::against: return {"in use", "pill kept"};
        case policy::Weight::veto: return {"protected", "pill kept"};
        case policy::Weight::note: return {"noted", "pill note"};
    }
    return {"noted", "pill note"};
}

Markup piece_row(const policy::Evidence& piece) {
    const WeightWords words = words_of(piece.weight);
    return element(
        "li",
        element("span", {{"class", std::string(words.style.view())}}, text(words.shown.view())) +
            element("span", text(piece.detail, kLongestDetail) +
                                element("small", element("code", text(piece.code, 60)))));
}

Markup pieces_of(const ReportedProcess& process) {
    const auto& evidence = process.judgement.evidence;
    Markup rows;
    for (std::size_t at = 0; at < std::min(evidence.size(), kMostPieces); ++at)
        rows += piece_row(evidence[at]);
    if (evidence.size() > kMostPieces)
        rows += element("li", text(fmt::format("and {} more: explain lists all",
                                               evidence.size() - kMostPieces)));
    if (rows.empty()) return {};
    return element("ul", {{"class", "evidence"}}, rows);
}

Markup labelled(std::string_view label, const Markup& value) {
    return element("p", element("span", {{"class", "label"}}, text(label)) + value);
}

}  // namespace

Markup evidence_of(const Report& report, const ReportedProcess& process) {
    const scanner::Pid pid = process.facts.row.pid;
    const policy::Judgement& judgement = process.judgement;
    Markup body =
        labelled("Verdict", element("code", text(to_string(judgement.verdict))) +
                                text(fmt::format(": {}", verdict_words(judgement.verdict))));
    if (process.outcome) body += labelled("What came of it", text(outcome_line(process)));
    if (const std::string cure = remedy(report, process); !cure.empty())
        body += labelled("What would help", text(cure, 800));
    body += pieces_of(process);
    const std::string command = redacted_line(process.facts.row.command_line.value.argv);
    if (!command.empty())
        body += labelled("Command line", element("code", text(command, kLongestCommand)));
    const bool explains = report.command != "explain" && !is_ended(process);
    if (explains)
        body += labelled("See every fact about it",
                         element("code", {{"class", "type"}},
                                 text(next_command(report, fmt::format("explain {}", pid)))));
    return element("div", {{"class", "body"}}, body);
}

}  // namespace reaper::agent::html
