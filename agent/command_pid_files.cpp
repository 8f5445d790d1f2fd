#include <unistd.h>

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "agent/commands.hpp"
#include "agent/history_file.hpp"
#include "agent/history_writer.hpp"
#include "agent/pid_file_cleaner.hpp"
#include "agent/pid_file_places.hpp"
#include "policy/escape.hpp"

namespace reaper::agent {

namespace {

using scanner::ClaimFile;

// Two ways to one folder show every file of it twice.
void drop_repeated(std::vector<ClaimFile>& files) {
    std::set<std::tuple<std::uint64_t, std::uint64_t>> seen;
    std::set<std::string> paths;
    std::erase_if(files, [&](const ClaimFile& file) {
        const bool is_new =
            file.found ? seen.insert({file.stamp.device, file.stamp.inode}).second : paths.insert(file.path).second;
        return !is_new;
    });
}

std::vector<ClaimFile> read_all(const scanner::Procfs& procfs, const std::vector<scanner::ClaimPlaces>& places) {
    std::vector<ClaimFile> files;
    for (const scanner::ClaimPlaces& of_user : places)
        std::ranges::move(scanner::read_claim_files(procfs, of_user), std::back_inserter(files));
    std::ranges::sort(files, {}, &ClaimFile::path);
    drop_repeated(files);
    return files;
}

class Cleaning {
   public:
    Cleaning(const scanner::Procfs& procfs, const Options& options, const Setup& setup, const PidFilePlaces& found)
        : procfs_(procfs),
          setup_(setup),
          found_(found),
          history_(options.no_history ? HistoryUse::none : HistoryUse::keep, history_folder(),
                   {STDERR_FILENO, ::isatty(STDERR_FILENO) == 0 && !options.quiet}) {}

    void run(Report& report) {
        machine_ = report.machine;
        for (ReportedFile& file : report.files) {
            if (file.judgement.remove) remove(file);
            if (file.judgement.put_back) file.removal = put_back(procfs_, file.file, parts());
        }
        if (!history_.complaint().empty()) report.remarks.push_back(history_.complaint());
    }

   private:
    [[nodiscard]] CleanerParts parts() {
        return {[this](const ClaimFile& file) { return judge(file); },
                [this](const ClaimFile& file, const policy::FileJudgement& judgement) {
                    return history_.about_to_remove(file, judgement);
                }};
    }

    void remove(ReportedFile& reported) {
        reported.removal = remove_stale(procfs_, reported.file, parts());
        history_.removed(reported.file, *reported.removal);
    }

    // An update can begin at any time, also while files are being removed.
    [[nodiscard]] policy::FileJudgement judge(const ClaimFile& file) const {
        return policy::judge_files({&file, 1}, read_update_markers(procfs_, found_), machine_, setup_.rules).front();
    }

    const scanner::Procfs& procfs_;
    const Setup& setup_;
    const PidFilePlaces& found_;
    scanner::Machine machine_;
    HistoryWriter history_;
};

Report blank_report(const scanner::Machine& machine, const Options& options, const Setup& setup) {
    Report report;
    report.version = REAPER_VERSION;
    report.command = "pidfiles";
    report.scope_words = scope_words(options);
    report.dry_run = options.dry_run;
    report.cleaning = options.clean;
    report.machine = machine;
    report.started_epoch = machine.now_epoch;
    report.uids = setup.settings.uids;
    report.homes = setup.settings.homes;
    return report;
}

}  // namespace

Result<Report> run_pid_files(const scanner::Procfs& procfs, const Options& options, const Setup& setup) {
    const Lookout lookout(procfs, setup.rules, setup.uid);
    auto look = lookout.look();
    if (!look) return tl::unexpected(look.error());
    const PidFilePlaces found = pid_file_places(look->facts, setup);
    Report report = blank_report(look->facts.machine, options, setup);
    auto files = read_all(procfs, found.places);
    auto judgements = policy::judge_files(files, read_update_markers(procfs, found), report.machine, setup.rules);
    for (std::size_t i = 0; i < files.size(); ++i)
        report.files.push_back({std::move(files[i]), std::move(judgements[i]), std::nullopt});
    for (const std::string& folder : found.unread)
        report.remarks.push_back(fmt::format("{} could not be read", policy::escape(folder, 200)));
    if (!found.unread.empty()) report.complete = false;
    if (options.clean && !options.dry_run) Cleaning(procfs, options, setup, found).run(report);
    return report;
}

}  // namespace reaper::agent
