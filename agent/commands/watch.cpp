// Stays, and acts when hosts exit: sleeps in one poll(2) until a host or sweep has ended, a signal
// comes, or the next look is due.
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "agent/commands/platform.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/reaping/descriptors.hpp"
#include "agent/sweep/lock.hpp"
#include "agent/system/lock_file.hpp"
#include "agent/system/service_manager.hpp"
#include "agent/system/signal_inbox.hpp"
#include "agent/system/text_file.hpp"
#include "agent/watch/log.hpp"
#include "agent/watch/watcher.hpp"
#include "policy/text/escape.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/proc_connector.hpp"

namespace reaper::agent {

namespace {

using Clock = Watcher::Clock;
using policy::escape;
using scanner::ProcConnector;

int milliseconds_until(Clock::time_point moment) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(moment - Clock::now()).count();
    return static_cast<int>(std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max()));
}

Message trouble(const Error& error) {
    return {fmt::format("orphan-reaper: {}\n", escape(describe(error), 2000)),
            static_cast<int>(ExitStatus::incomplete)};
}

// Fails when another watch runs, and names it.
tl::expected<Fd, Message> take_watch_lock(const scanner::ProcessTable& table) {
    auto lock = open_bounded([] {
        const auto folders = lock_folders();
        const bool may = scanner::may_read(::geteuid(), folders.front());
        return may ? open_lock_folder(folders, "watch") : unanswered(folders.front());
    });
    if (!lock) return tl::unexpected(trouble(lock.error()));
    if (::flock(lock->get(), LOCK_EX | LOCK_NB) == 0)
        return is_deleted(*lock) ? take_watch_lock(table) : std::move(*lock);
    const scanner::Pid other = scanner::find_lock_holder(table, lock->get());
    return tl::unexpected(Message{fmt::format("orphan-reaper: another watch is at work{}\n",
                                              other > 0 ? fmt::format(" (pid {})", other) : ""),
                                  static_cast<int>(ExitStatus::not_ended)});
}

class Watch {
   public:
    Watch(const scanner::ProcessTable& table, const WatchOptions& options, Setup setup, Fd lock,
          const SignalInbox& signals, std::optional<ProcConnector> connector)
        : table_(table),
          options_(options),
          lock_(std::move(lock)),
          signals_(signals),
          connector_(std::move(connector)),
          watcher_(table, options, std::move(setup), options.events != Events::scan,
                   [this] { lock_.reset(); }) {}

    int run() {
        watcher_.advance();
        manager_.notify("READY=1");
        for (notify_status(); !stopping_; notify_status()) {
            manager_.give_sign_if_due();
            sleep();
            if (connector_) take_hints();
            take_signals();
            if (!stopping_) watcher_.advance();
            keep_lock();
        }
        manager_.notify("STOPPING=1");
        const bool abandoned = watcher_.stop();
        return static_cast<int>(abandoned ? ExitStatus::interrupted : status_at_end_);
    }

   private:
    // When its folder was deleted, there is room for another watch.
    void keep_lock() {
        if (!is_deleted(lock_)) return;
        auto lock = take_watch_lock(table_);
        if (lock) {
            lock_ = std::move(*lock);
            return;
        }
        log_problem(lock.error().text);
        status_at_end_ = static_cast<ExitStatus>(lock.error().status);
        stopping_ = true;
    }

    void sleep() const {
        BoundedReader::of_program().collect();
        const auto sign = manager_.next_sign();
        const Clock::time_point until = sign ? std::min(*sign, watcher_.next()) : watcher_.next();
        std::vector<pollfd> descriptors{{signals_.raw(), POLLIN, 0}};
        if (connector_) descriptors.push_back({connector_->raw(), POLLIN, 0});
        watcher_.add_to(descriptors);
        std::ignore = ::poll(descriptors.data(), descriptors.size(), milliseconds_until(until));
    }

    void take_hints() {
        const auto hints = connector_->take();
        if (hints.lost) watcher_.look_within({});
        for (const scanner::ProcEvent& event : hints.events) watcher_.take_hint(event);
    }

    void take_signals() {
        while (const auto taken = signals_.take()) {
            if (taken->number == SIGHUP) reload();
            if (taken->number == SIGUSR1) count();
            stopping_ = stopping_ || taken->number == SIGINT || taken->number == SIGTERM;
        }
    }

    // As it is now, not as the last look had it.
    void count() {
        watcher_.look_within({});
        watcher_.advance();
        log_answer(watcher_.census_text());
    }

    void reload() {
        auto setup = prepare(options_);
        if (setup) {
            watcher_.use(std::move(*setup));
            return log_info(options_, "the rules were read again");
        }
        log_problem(fmt::format("{}the rules stay as they were", setup.error().text));
        manager_.notify("STATUS=the rules could not be read again: they stay as they were");
    }

    void notify_status() {
        std::string status = fmt::format("{} (by {})", watcher_.status(), how());
        if (status == status_) return;
        manager_.notify("STATUS=" + status);
        const bool in_trouble = watcher_.is_in_trouble();
        if (in_trouble != in_trouble_)
            log_problem(status);
        else if (status_.empty() || options_.verbose)
            log_info(options_, status);
        in_trouble_ = in_trouble;
        status_ = std::move(status);
    }

    [[nodiscard]] const char* how() const {
        if (options_.events == Events::scan) return "looks alone";
        return connector_ ? "handles, and hints of the proc connector" : "handles";
    }

    const scanner::ProcessTable& table_;
    const WatchOptions& options_;
    Fd lock_;  // this process's alone: a sweep that outlives it keeps no other watch away
    const SignalInbox& signals_;
    std::optional<ProcConnector> connector_;
    ServiceManager manager_;
    Watcher watcher_;
    std::string status_;
    bool in_trouble_ = false;
    bool stopping_ = false;
    ExitStatus status_at_end_ = ExitStatus::clean;
};

// Opens the proc connector. Failing to is an error only where the command line asks for it;
// otherwise only root tries, which watches the helpers of all users.
Result<std::optional<ProcConnector>> find_connector(const WatchOptions& options) {
    const bool wanted = options.events == Events::connector;
    if (!wanted && (options.events != Events::automatic || ::geteuid() != 0)) return std::nullopt;
    auto connector = ProcConnector::open();
    if (connector) return std::optional(std::move(*connector));
    if (wanted) return tl::unexpected(connector.error());
    if (options.verbose) log_info(options, escape(describe(connector.error())));
    return std::nullopt;
}

}  // namespace

tl::expected<int, Message> run_watch(const WatchOptions& asked, Setup setup) {
    const auto fail = [](const Error& error) { return tl::unexpected(trouble(error)); };
    WatchOptions options = asked;
    options.dry_run = options.report_only;
    if (!options.census.empty()) {
        const auto opened = expect_answer(options.census).and_then([&] {
            return append_to_file(options.census, "");
        });
        if (!opened) return fail(opened.error());
    }
    const auto table = scanner::ProcessTable::open();
    if (!table) return fail(table.error());
    auto lock = take_watch_lock(*table);
    if (!lock) return tl::unexpected(lock.error());
    raise_descriptor_limit();
    auto connector = find_connector(options);
    if (!connector) return fail(connector.error());
    // Until the program ends: a signal that comes at the very end does not change its exit status.
    // Copies of this program keep them back as well, until they look.
    static const SignalInbox signals({SIGINT, SIGTERM, SIGHUP, SIGUSR1});
    if (signals.raw() < 0) return fail(system_failure("wait for", "signals").value());
    return Watch(*table, options, std::move(setup), std::move(*lock), signals,
                 std::move(*connector))
        .run();
}

}  // namespace reaper::agent
