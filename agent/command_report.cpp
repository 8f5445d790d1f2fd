#include "agent/commands.hpp"
#include "agent/facts_source.hpp"
#include "agent/history_file.hpp"
#include "agent/keepalive.hpp"

namespace reaper::agent {

Result<Judged> look_and_judge_anew(const Lookout& lookout, const Setup& setup, const Held& held) {
    auto look = lookout.look(held);
    if (!look) return tl::unexpected(look.error());
    look->facts.scope_uids = setup.settings.uids;
    auto judgements = policy::judge(look->facts, look->rules, setup.settings);
    if (lookout.find_holders(look->facts, judgements)) {
        judgements = policy::judge(look->facts, look->rules, setup.settings);
    }
    return Judged{std::move(*look), std::move(judgements)};
}

Result<Judged> look_and_judge(const Lookout& lookout, const Setup& setup, Past& past, const Held& held) {
    auto judged = look_and_judge_anew(lookout, setup, held);
    if (judged) heed_history(*judged, setup, past);
    return judged;
}

Result<Report> run_report(const scanner::Procfs& procfs, const Options& options, const Setup& setup) {
    const Lookout lookout(procfs, setup.rules, setup.uid);
    Past past(history_folder());
    auto judged = look_and_judge(lookout, setup, past, nobody());
    if (!judged) return tl::unexpected(judged.error());
    if (!options.facts.empty()) {
        const auto written = write_facts(options.facts, judged->look.facts, judged->look.rules);
        if (!written) return tl::unexpected(written.error());
    }
    Report report = report_of(*judged, options, setup);
    report.command = "report";
    return report;
}

}  // namespace reaper::agent
