// Stays, and acts as hosts die: sleeps in one poll(2) until a host, a sweep or somebody who asks wakes it, or the next look is due.
#include <poll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "agent/here.hpp"
#include "agent/lock_file.hpp"
#include "agent/service_manager.hpp"
#include "agent/sweep_lock.hpp"
#include "agent/text_file.hpp"
#include "agent/watch_voice.hpp"
#include "agent/watcher.hpp"
#include "policy/escape.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/linux/proc_connector.hpp"

namespace reaper::agent {

namespace {

using Clock = Watcher::Clock;
using policy::escape;
using scanner::ProcConnector;

// INT, TERM, HUP and USR1, as something that can be waited for. Copies of this program have them blocked as well, until they look.
Fd take_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&signals, signal);
    Fd fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (fd) std::ignore = ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    return fd;
}

// One for each host, and one for each member during a look: more than many systems give at first.
void raise_descriptor_limit() {
    struct rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    std::ignore = ::setrlimit(RLIMIT_NOFILE, &limit);
}

int milliseconds_until(Clock::time_point moment) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(moment - Clock::now()).count();
    return static_cast<int>(std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max()));
}

Message trouble(const Error& error) {
    return {fmt::format("orphan-reaper: {}\n", escape(describe(error), 2000)),
            static_cast<int>(ExitStatus::incomplete)};
}

// The error: who else watches.
tl::expected<Fd, Message> become_the_only_one(const scanner::Procfs& procfs) {
    auto lock = open_lock_file(lock_folders(), "watch.lock");
    if (!lock) return tl::unexpected(trouble(lock.error()));
    if (::flock(lock->get(), LOCK_EX | LOCK_NB) == 0)
        return is_deleted(*lock) ? become_the_only_one(procfs) : std::move(*lock);
    const scanner::Pid other = scanner::find_lock_holder(procfs, lock->get());
    return tl::unexpected(Message{
        fmt::format("orphan-reaper: another watch is at work{}\n", other > 0 ? fmt::format(" (pid {})", other) : ""),
        static_cast<int>(ExitStatus::not_ended)});
}

class Watch {
   public:
    Watch(const scanner::Procfs& procfs, const Options& options, Setup setup, Fd lock, Fd signals,
          std::optional<ProcConnector> connector)
        : procfs_(procfs),
          options_(options),
          lock_(std::move(lock)),
          signals_(std::move(signals)),
          connector_(std::move(connector)),
          watcher_(procfs, options, std::move(setup), options.events != Events::scan, [this] { lock_.reset(); }) {}

    int run() {
        watcher_.advance();
        manager_.tell("READY=1");
        for (tell_status(); !stopping_; tell_status()) {
            manager_.give_sign_if_due();
            sleep();
            if (connector_) take_hints();
            take_signals();
            if (!stopping_) watcher_.advance();
            keep_lock();
        }
        manager_.tell("STOPPING=1");
        const bool abandoned = watcher_.stop();
        return static_cast<int>(abandoned ? ExitStatus::interrupted : status_at_end_);
    }

   private:
    // Whoever deleted its file has made room for another watch.
    void keep_lock() {
        if (!is_deleted(lock_)) return;
        auto lock = become_the_only_one(procfs_);
        if (lock) {
            lock_ = std::move(*lock);
            return;
        }
        tell(lock.error().text);
        status_at_end_ = static_cast<ExitStatus>(lock.error().status);
        stopping_ = true;
    }

    void sleep() const {
        const auto sign = manager_.next_sign();
        const Clock::time_point until = sign ? std::min(*sign, watcher_.next()) : watcher_.next();
        std::vector<pollfd> descriptors{{signals_.get(), POLLIN, 0}};
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
        struct signalfd_siginfo taken{};
        while (::read(signals_.get(), &taken, sizeof taken) == static_cast<ssize_t>(sizeof taken)) {
            if (taken.ssi_signo == SIGHUP) reload();
            if (taken.ssi_signo == SIGUSR1) count();
            stopping_ = stopping_ || taken.ssi_signo == SIGINT || taken.ssi_signo == SIGTERM;
        }
    }

    // As it is now, not as the last look had it.
    void count() {
        watcher_.look_within({});
        watcher_.advance();
        tell(watcher_.census_text());
    }

    void reload() {
        auto setup = prepare(options_);
        if (setup) {
            watcher_.use(std::move(*setup));
            return tell_news(options_, "the rules were read again");
        }
        tell(fmt::format("{}the rules stay as they were", setup.error().text));
        manager_.tell("STATUS=the rules could not be read again: they stay as they were");
    }

    void tell_status() {
        std::string status = fmt::format("{} (by {})", watcher_.status(), how());
        if (status == status_) return;
        manager_.tell("STATUS=" + status);
        const bool in_trouble = watcher_.is_in_trouble();
        if (in_trouble != in_trouble_)
            tell(status);
        else if (status_.empty() || options_.verbose)
            tell_news(options_, status);
        in_trouble_ = in_trouble;
        status_ = std::move(status);
    }

    [[nodiscard]] const char* how() const {
        if (options_.events == Events::scan) return "looks alone";
        return connector_ ? "handles, and hints of the proc connector" : "handles";
    }

    const scanner::Procfs& procfs_;
    const Options& options_;
    Fd lock_;  // this process's alone: a sweep that outlives it keeps no other watch away
    Fd signals_;
    std::optional<ProcConnector> connector_;
    ServiceManager manager_;
    Watcher watcher_;
    std::string status_;
    bool in_trouble_ = false;
    bool stopping_ = false;
    ExitStatus status_at_end_ = ExitStatus::clean;
};

// Not having it is an error only for who asked for it. Root alone may have it everywhere, and watches everybody's helpers.
Result<std::optional<ProcConnector>> find_connector(const Options& options) {
    const bool wanted = options.events == Events::connector;
    if (!wanted && (options.events != Events::automatic || ::geteuid() != 0)) return std::nullopt;
    auto connector = ProcConnector::open();
    if (connector) return std::optional(std::move(*connector));
    if (wanted) return tl::unexpected(connector.error());
    if (options.verbose) tell_news(options, escape(describe(connector.error())));
    return std::nullopt;
}

}  // namespace

tl::expected<int, Message> run_watch(const Options& asked, Setup setup) {
    const auto fail = [](const Error& error) { return tl::unexpected(trouble(error)); };
    Options options = asked;
    options.dry_run = options.report_only;
    if (!options.census.empty()) {
        if (const auto opened = append_to_file(options.census, ""); !opened) return fail(opened.error());
    }
    const auto procfs = scanner::Procfs::open();
    if (!procfs) return fail(procfs.error());
    auto lock = become_the_only_one(*procfs);
    if (!lock) return tl::unexpected(lock.error());
    raise_descriptor_limit();
    auto connector = find_connector(options);
    if (!connector) return fail(connector.error());
    Fd signals = take_signals();
    if (!signals) return fail(system_failure("wait for", "signals").value());
    return Watch(*procfs, options, std::move(setup), std::move(*lock), std::move(signals), std::move(*connector)).run();
}

}  // namespace reaper::agent
