#include "agent/detach/watched.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "agent/cli/cli.hpp"
#include "agent/detach/request.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/sweep/lock.hpp"
#include "agent/system/environment.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/own_view.hpp"

namespace reaper::agent {

namespace {

// Nothing is made where it is missing: then no watch has been there.
Result<Fd> open_watch_lock() {
    Result<Fd> lock = failure(std::errc::no_such_file_or_directory, "find", "the lock of a watch");
    for (const std::string& folder : lock_folders()) {
        if (lock || folder.empty() || !scanner::may_read(::geteuid(), folder)) continue;
        const std::string path = fmt::format("{}/watch", folder);
        Fd opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
        if (opened) lock = std::move(opened);
    }
    return lock;
}

// As that program has read its own command line. None: it is stopped, and sweeps nothing.
std::optional<Options> options_of(const scanner::ProcessTable& table, scanner::Pid pid) {
    const auto row = scanner::read_row(table, pid);
    if (!row || !row->command_line.ok() || row->state == 'T') return std::nullopt;
    std::vector<const char*> words;
    for (const std::string& word : row->command_line.value.argv) words.push_back(word.c_str());
    if (words.size() < 2) return std::nullopt;
    auto parsed = parse(std::span(words).subspan(1));
    auto* options = std::get_if<Options>(&parsed);
    return options != nullptr ? std::optional(std::move(*options)) : std::nullopt;
}

// Empty: of the watch, it is everything.
bool covers(const std::vector<std::string>& watched, const std::vector<std::string>& wanted) {
    return watched.empty() || watched == wanted;
}

template <class Wide, class Part>
bool includes(const Wide& wide, const Part& part) {
    return std::ranges::all_of(part, [&](const auto& one) {
        return std::ranges::find(wide, one) != std::ranges::end(wide);
    });
}

}  // namespace

// Families that are asked for are switched on by that. A watch that leaves alone what is older than
// usual ends less.
bool does_as_much(const WatchOptions& watch, const SweepOptions& sweep) {
    const bool same_place = watch.user == sweep.user && watch.config == sweep.config &&
                            watch.all_users == sweep.all_users && sweep.under.empty();
    const bool as_young = watch.min_age == sweep.min_age ||
                          (watch.min_age && *watch.min_age <= sweep.min_age.value_or(kUsualMinAge));
    const bool ends_as_much = includes(watch.also_reap, sweep.also_reap) &&
                              (watch.reap_inside_services || !sweep.reap_inside_services) &&
                              as_young && watch.max_kills >= sweep.max_kills;
    const bool tells_as_much = (watch.notify || !sweep.notify) && sweep.output.empty();
    return watch.command == Command::watch && !watch.report_only && same_place && ends_as_much &&
           tells_as_much && covers(watch.homes, sweep.homes) && watch.families == sweep.families &&
           includes(watch.packs, sweep.packs);
}

// A container can share the home that has the lock. What it sees is another matter.
bool is_watched(const scanner::ProcessTable& table, const SweepOptions& sweep) {
    const auto lock = open_bounded(open_watch_lock);
    const scanner::Pid pid = lock ? scanner::find_lock_holder(table, lock->get()) : 0;
    const bool is_here = pid > 0 && scanner::shares_our_view(table, pid, variable("HOME"));
    const auto watch = is_here ? options_of(table, pid) : std::nullopt;
    return watch && does_as_much(*watch, sweep);
}

}  // namespace reaper::agent
