#include "agent/detach/detach.hpp"

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>

#include "agent/detach/hook_host.hpp"
#include "agent/detach/request.hpp"
#include "agent/detach/scope.hpp"
#include "agent/detach/waiter.hpp"
#include "agent/detach/watched.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/reading/handle_transfer.hpp"
#include "agent/reaping/child.hpp"
#include "agent/reaping/close_descriptors.hpp"
#include "agent/report/journal_stream.hpp"
#include "agent/system/pipe.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

// A host may kill all that is left of its service as soon as it has ended, which can be right after
// its hook has. So the hook waits for the move to another cgroup, as long as a host may wait for
// it.
constexpr int kHandOverTime = 150;  // ms

void complain(const Error& error) {
    std::fprintf(stderr, "orphan-reaper: the sweep is not under way: %s\n",
                 policy::escape(describe(error), 2000).c_str());
}

void make_full(std::string& path, const std::filesystem::path& folder) {
    if (!path.empty() && !path.starts_with('/')) path = (folder / path).string();
}

// The detached process works in another folder. In one that was deleted no name can be completed.
Options with_full_paths(Options options) {
    std::error_code error;
    const auto folder = std::filesystem::current_path(error);
    if (error) return options;
    for (std::string& home : options.homes) make_full(home, folder);
    for (std::string* path : {&options.config, &options.under, &options.output})
        make_full(*path, folder);
    return options;
}

// Two that begin at the same moment try once more: one has bound the place, and will listen.
bool hand_over_or_take(const std::string& where, const SweepRequest& request, Fd& place) {
    constexpr int kTries = 20;
    constexpr timespec kPause{0, 5'000'000};
    for (int tries = 0; tries < kTries; ++tries) {
        const Offer offer = hand_over(where, request);
        if (offer != Offer::nobody) return offer == Offer::taken;
        place = take_place(where);
        if (place) return false;
        ::nanosleep(&kPause, nullptr);
    }
    return false;
}

std::string description_of(const Options& options) {
    return fmt::format("Sweep what {} leaves behind",
                       options.from.empty() ? "a host" : options.from.c_str());
}

// A helper that the host has started at its very end was as old as the first sweep settles.
WaiterTimes times_of(const Options& options) {
    using std::chrono::milliseconds;
    const milliseconds age = options.min_age.value_or(kUsualMinAge) - options.settle;
    return {.settle = options.settle,
            .at_most_every = options.at_most_every.value_or(milliseconds(0)),
            .again = age > milliseconds(0) ? age + std::chrono::seconds(1) : milliseconds(0)};
}

// What asked the old cgroup to end is not meant for the new one.
void forget_requests_to_end(const Interrupt& interrupt) {
    while (interrupt.take_request() != 0) {
    }
}

// `told`: closed when this process is where it can stay.
int wait_and_sweep(const Options& options, SweepRequest request, Fd told,
                   const std::function<int(const Options&)>& sweep) {
    const Interrupt interrupt;
    const std::string where = meeting_place(options, options);
    Fd place;
    if (hand_over_or_take(where, request, place)) return 0;
    if (enter_own_scope(description_of(options))) forget_requests_to_end(interrupt);
    told.reset();
    write_to_journal();
    Waiter waiter(std::move(place), times_of(options), interrupt, [&](const std::string& from) {
        Options its = options;
        its.detach = false;
        its.quiet = its.quiet || its.output.empty();
        its.from = from;
        return sweep(its);
    });
    waiter.add(std::move(request));
    waiter.run();
    return 0;
}

// None: it has ended, so there is nothing to wait for.
std::optional<scanner::PidHandle> host_in_copy(const HandleName& name,
                                               scanner::PidHandle inherited) {
    auto host = handle_of(name, std::move(inherited));
    return host ? std::optional(std::move(*host)) : std::nullopt;
}

// `host`: the name of the one in `request`.
int be_detached(const scanner::ProcessTable& table, const Options& options, SweepRequest request,
                const HandleName& host, Fd told, const std::function<int(const Options&)>& sweep) {
    std::vector<int> kept{told.get()};
    if (request.host && handles_travel()) kept.push_back(request.host->raw());
    close_descriptors_except(table, kept);
    if (request.host) request.host = host_in_copy(host, *std::move(request.host));
    const bool is_done = is_watched(table, options);
    BoundedReader::of_program().collect();  // no zombie beside what waits
    if (is_done) return 0;
    return wait_and_sweep(options, std::move(request), std::move(told), sweep);
}

Result<void> start(const Options& options, const std::function<int(const Options&)>& sweep) {
    auto table = scanner::ProcessTable::open();
    if (!table) return tl::unexpected(table.error());
    auto pipe = make_pipe();
    if (!pipe) return tl::unexpected(pipe.error());
    auto& [over, told] = *pipe;
    SweepRequest request{options.from, find_hook_host(*table, options.after)};
    const HandleName host = request.host ? name_of(*request.host) : HandleName();
    auto begun = detach([&] {
        return be_detached(*table, options, std::move(request), host, std::move(told), sweep);
    });
    told.reset();
    if (!begun) return begun;
    struct pollfd entry{over.get(), POLLIN, 0};
    std::ignore = ::poll(&entry, 1, kHandOverTime);
    return {};
}

}  // namespace

void detach_sweep(const Options& options, const std::function<int(const Options&)>& sweep) {
    const auto begun = start(with_full_paths(options), sweep);
    detach_stdio();
    if (begun) return;
    write_to_journal();
    complain(begun.error());
}

}  // namespace reaper::agent
