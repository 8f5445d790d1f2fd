#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "agent/commands/commands.hpp"
#include "agent/commands/packet_members.hpp"
#include "agent/history/file.hpp"
#include "agent/history/writer.hpp"
#include "agent/observe/snapshot.hpp"
#include "agent/pid_files/cleaner.hpp"
#include "agent/pid_files/places.hpp"
#include "agent/pid_files/storms.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/report/report.hpp"
#include "policy/text/escape.hpp"
#include "policy/verdict/claim_vetoes.hpp"
#include "scanner/access_guard.hpp"

namespace reaper::agent {

namespace {

using scanner::ClaimFile;

// What one copy of this program has read.
struct Reading {
    PidFilePlaces places;
    std::vector<ClaimFile> files;
    std::vector<scanner::Claim> markers;
    std::vector<std::string> storms;
};

}  // namespace

template <>
struct MembersOf<Reading> {
    static auto tie(Is<Reading> auto& it) {
        auto& [places, files, markers, storms] = it;
        return std::tie(places, files, markers, storms);
    }
};

namespace {

// Drops duplicates: two paths to one folder show every file of it twice.
void drop_repeated(std::vector<ClaimFile>& files) {
    std::set<std::tuple<std::uint64_t, std::uint64_t>> seen;
    std::set<std::string> paths;
    std::erase_if(files, [&](const ClaimFile& file) {
        const bool is_new = file.found ? seen.insert({file.stamp.device, file.stamp.inode}).second
                                       : paths.insert(file.path).second;
        return !is_new;
    });
}

std::vector<ClaimFile> read_all(const scanner::ProcessTable& table,
                                const std::vector<scanner::ClaimPlaces>& places) {
    std::vector<ClaimFile> files;
    for (const scanner::ClaimPlaces& of_user : places)
        std::ranges::move(scanner::read_claim_files(table, of_user), std::back_inserter(files));
    std::ranges::sort(files, {}, &ClaimFile::path);
    drop_repeated(files);
    return files;
}

// Drops what was read of homes that do not answer: it counts for no other home.
void drop_silent(const std::vector<std::string>& unanswered, Reading& reading) {
    const auto is_silent = [&](const std::string& home) {
        return std::ranges::find(unanswered, home) != unanswered.end();
    };
    for (scanner::ClaimPlaces& of_user : reading.places.markers)
        std::erase_if(of_user.hermes_homes, is_silent);
    std::erase_if(reading.markers,
                  [&](const scanner::Claim& marker) { return is_silent(marker.home); });
}

Result<Reading> read_bounded_in(const scanner::ProcessTable& table, const scanner::Facts& facts,
                                const Setup& setup, std::vector<std::string>& unanswered) {
    auto reading = read_bounded<Reading>(
        [&]() -> Result<Reading> {
            Reading read{pid_file_places(facts, setup), {}, {}, {}};
            read.files = read_all(table, read.places.places);
            read.markers = read_update_markers(table, read.places);
            read.storms = storm_remarks(read.places, facts.machine);
            return read;
        },
        table.descriptors(), &unanswered);
    if (reading) drop_silent(unanswered, *reading);
    return reading;
}

class Cleaning {
   public:
    Cleaning(const scanner::ProcessTable& table, const SweepOptions& options, const Setup& setup,
             const PidFilePlaces& found)
        : table_(table),
          setup_(setup),
          found_(found),
          history_(options.no_history ? HistoryUse::none : HistoryUse::keep, history_folder(),
                   {STDERR_FILENO, ::isatty(STDERR_FILENO) == 0 && !options.quiet}) {}

    void run(Report& report) {
        machine_ = report.machine;
        for (ReportedFile& file : report.files) {
            if (file.judgement.remove) remove(file);
            if (file.judgement.put_back)
                file.removal = bounded(file, [&](const CleanerParts& parts) {
                    return put_back(table_, file.file, parts);
                });
        }
        if (!history_.complaint().empty()) report.remarks.push_back(history_.complaint());
    }

   private:
    using Clean = std::function<Removal(const CleanerParts&)>;
    using Announce = std::function<Result<void>(const ClaimFile&, const policy::FileJudgement&)>;

    [[nodiscard]] CleanerParts parts(Announce announce) {
        CleanerParts parts{[this](const ClaimFile& file) { return judge(file); },
                           std::move(announce)};
        parts.sees_all_locks = !policy::is_nested(machine_);
        return parts;
    }

    // A copy of this program cleans; what it is about to do is written down here.
    [[nodiscard]] Removal bounded(const ReportedFile& reported, const Clean& clean) {
        const ClaimFile& file = reported.file;
        BoundedReader& reader = BoundedReader::of_program();
        const Announce write = [this](const ClaimFile& of, const policy::FileJudgement& judgement) {
            return history_.about_to_remove(of, judgement);
        };
        if (reader.reads_in_place()) return clean(parts(write));
        const auto in_copy = [&](ReaderLine& line) {
            const Announce ask = [&](const ClaimFile&, const policy::FileJudgement& judgement) {
                const auto told = unpack<Result<void>>(line.ask(pack(judgement)));
                return told ? *told : failure(std::errc::io_error, "write down", "the decision");
            };
            const Removal silent{RemovalResult::failed, unanswered_text(file.home)};
            line.answer(
                pack(scanner::may_read(file.scope, file.home) ? clean(parts(ask)) : silent));
        };
        const auto asked = [&](std::string_view question) {
            const auto judgement = unpack<policy::FileJudgement>(question);
            return pack(judgement ? write(file, *judgement)
                                  : failure(std::errc::bad_message, "write down", file.path));
        };
        const auto reply = reader.run({in_copy, table_.descriptors(), asked});
        const auto removal = reply ? unpack<Removal>(reply->bytes) : std::nullopt;
        return removal ? *removal
                       : Removal{RemovalResult::failed,
                                 reply ? "the copy of this program that did it broke off"
                                       : describe(reply.error())};
    }

    void remove(ReportedFile& reported) {
        reported.removal = bounded(reported, [&](const CleanerParts& parts) {
            return remove_stale(table_, reported.file, parts);
        });
        history_.removed(reported.file, *reported.removal);
    }

    // An update can begin at any time, also while files are being removed.
    [[nodiscard]] policy::FileJudgement judge(const ClaimFile& file) const {
        return policy::judge_files({&file, 1}, read_update_markers(table_, found_), machine_,
                                   setup_.rules)
            .front();
    }

    const scanner::ProcessTable& table_;
    const Setup& setup_;
    const PidFilePlaces& found_;
    scanner::Machine machine_;
    HistoryWriter history_;
};

Report blank_report(const scanner::Machine& machine, const SweepOptions& options, bool clean,
                    const Setup& setup) {
    Report report;
    report.version = REAPER_VERSION;
    report.command = "pidfiles";
    report.scope_words = scope_words(options);
    report.dry_run = options.dry_run;
    report.cleaning = clean;
    report.machine = machine;
    report.started_epoch = machine.now_epoch;
    report.uids = setup.settings.uids;
    report.homes = setup.settings.homes;
    return report;
}

}  // namespace

Result<Report> run_pid_files(const scanner::ProcessTable& table, const SweepOptions& options,
                             const PidFilesOptions& own, const Setup& setup) {
    const Observer observer(table, setup.rules, setup.uid);
    auto look = observer.look(no_handles());
    if (!look) return tl::unexpected(look.error());
    std::vector<std::string> unanswered;
    auto reading = read_bounded_in(table, look->facts, setup, unanswered);
    if (!reading) return tl::unexpected(reading.error());
    for (const std::string& what : look->facts.unanswered) {
        if (std::ranges::find(unanswered, what) == unanswered.end()) unanswered.push_back(what);
    }
    const PidFilePlaces& found = reading->places;
    Report report = blank_report(look->facts.machine, options, own.clean, setup);
    auto judgements =
        policy::judge_files(reading->files, reading->markers, report.machine, setup.rules);
    for (std::size_t i = 0; i < judgements.size(); ++i)
        report.files.push_back(
            {std::move(reading->files[i]), std::move(judgements[i]), std::nullopt});
    for (const std::string& folder : found.unread)
        report.remarks.push_back(fmt::format("{} could not be read", policy::escape(folder, 200)));
    std::ranges::copy(reading->storms, std::back_inserter(report.remarks));
    for (const std::string& what : unanswered)
        report.remarks.push_back(unanswered_text(policy::escape(what, 200)));
    if (!found.unread.empty() || !unanswered.empty()) report.complete = false;
    if (own.clean && !options.dry_run) Cleaning(table, options, setup, found).run(report);
    return report;
}

}  // namespace reaper::agent
