#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>
#include <tuple>

#include "agent/reading/bounded_reader.hpp"
#include "agent/reading/reader_copy.hpp"
#include "agent/reading/shared_note.hpp"
#include "agent/reaping/child.hpp"
#include "agent/reaping/close_descriptors.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/system/signal_inbox.hpp"
#include "agent/system/unix_socket.hpp"
#include "scanner/killed_copies.hpp"
#include "scanner/machine.hpp"
#include "scanner/own_process.hpp"
#include "scanner/parse/proc_mountinfo.hpp"

namespace reaper::agent {

using Clock = std::chrono::steady_clock;
using scanner::Pid;
using scanner::ProcessTable;
using scanner::Uid;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kTick{50};
constexpr milliseconds kServiceTime{10'000};  // for a service, and for what no user controls
constexpr milliseconds kInterruptTime{500};
constexpr milliseconds kTimeoutTime{
    10'000};  // after the time of a preflight is over: what is in the way is still to be told
constexpr milliseconds kRemembered{10'000};
constexpr milliseconds kMostOfUser{
    5000};  // of one task: things that answer each time just before they are given up
constexpr milliseconds kMostOfAll{12'000};
constexpr std::ptrdiff_t kMaxWithoutAnswer =
    6;                                   // of one user: then nothing of that user is read any more
constexpr std::size_t kMostCopies = 64;  // that were given up, and live
constexpr std::size_t kMountsLimit = 4 * 1024 * 1024;

// Returns how long reads may still take. None: no interrupt has come. Where nothing waits for these
// signals, they end the program.
std::optional<milliseconds> time_after_interrupt() {
    if (has_come(SIGINT) || has_come(SIGTERM)) return kInterruptTime;
    return has_come(SIGALRM) ? std::optional(kTimeoutTime) : std::nullopt;
}

struct Copy {
    Child child;
    Fd line;
    std::unique_ptr<SharedNote> note;
};

enum class End { answered, broken, silent, interrupted };

}  // namespace

struct BoundedReader::State {
    // One that was given up, until it has ended.
    struct Lost {
        NoAnswer no_answer;
        std::optional<Child> child;
        std::optional<scanner::PidHandle> of_other_run;
        Clock::time_point since;

        [[nodiscard]] bool is_waiting() const { return child || of_other_run; }
    };

    bool in_place = true;
    std::optional<ProcessTable> table;
    std::vector<Lost> lost;
    std::optional<Child> leaving;  // has answered, and is to be collected
    std::optional<Clock::time_point> interrupted_at;
    // Of one task:
    std::vector<NoAnswer> silent;
    std::map<Uid, milliseconds> waited;  // for things of a user
    milliseconds waited_for_all{};

    Result<void> open();
    void adopt_lost_copies();
    void collect();
    void forget_expired();
    [[nodiscard]] bool interrupted();
    [[nodiscard]] Result<Copy> send_copy(const ReadTask& task);
    [[nodiscard]] End attend(Copy& copy, const ReadTask& task, Reply& reply, Stop& stop);
    [[nodiscard]] bool take(Copy& copy, FrameInbox& inbox, const ReadTask& task, Reply& reply);
    [[nodiscard]] bool may_run(const Copy& copy) const;
    [[nodiscard]] bool is_too_long(Stop& stop, milliseconds here, milliseconds more);
    [[nodiscard]] Uid user_of(const Stop& stop) const;
    [[nodiscard]] NoAnswer no_answer_of(const Stop& stop) const;
    [[nodiscard]] bool give_up(Copy copy, const Stop& stop);
    void add(NoAnswer no_answer, std::optional<Child> child);
    void limit_user(const Stop& stop);
};

Result<void> BoundedReader::State::open() {
    if (table) return {};
    return ProcessTable::open().map([this](ProcessTable opened) {
        table = std::move(opened);
        adopt_lost_copies();
    });
}

// What copies of earlier runs still wait for does not answer this run either. Without this each run
// would leave one more process behind.
void BoundedReader::State::adopt_lost_copies() {
    if (!scanner::may_have_copies(*table)) return;
    for (scanner::KilledCopy& copy : scanner::find_killed_copies(*table, kNoteName)) {
        const SharedNote note(copy.memory);
        Stop stop = note.exists() ? read_note(note.get()) : Stop();
        if (!stop.is_of_user()) continue;
        stop.user = user_of(stop);
        lost.push_back({no_answer_of(stop), std::nullopt, std::move(copy.handle), Clock::now()});
        limit_user(stop);
    }
}

// A copy that has answered is exiting, and must not be found as a zombie by the next one.
void BoundedReader::State::collect() {
    constexpr milliseconds kExit{200};
    if (leaving && leaving->handle().exits_within(kExit)) std::ignore = leaving->wait();
    leaving.reset();
}

// Forgets what did not answer some time ago, unless a copy still waits for it.
void BoundedReader::State::forget_expired() {
    for (Lost& one : lost) {
        if (one.of_other_run && one.of_other_run->exited()) one.of_other_run.reset();
        if (!one.child || !one.child->handle().exited()) continue;
        std::ignore = one.child->wait();
        one.child.reset();
    }
    const auto now = Clock::now();
    std::set<Uid> waited_for;
    for (const Lost& one : lost) {
        if (one.is_waiting()) waited_for.insert(one.no_answer.user);
    }
    std::erase_if(lost, [&](const Lost& one) {
        const bool of_user =
            one.no_answer.what == NoAnswer::What::user && waited_for.contains(one.no_answer.user);
        return !one.is_waiting() && !of_user && now - one.since > kRemembered;
    });
}

bool BoundedReader::State::interrupted() {
    const auto time = time_after_interrupt();
    if (!time) {
        interrupted_at.reset();
        return false;
    }
    const auto now = Clock::now();
    if (!interrupted_at) interrupted_at = now;
    return now - *interrupted_at >= *time;
}

Result<Copy> BoundedReader::State::send_copy(const ReadTask& task) {
    auto line = make_socket_pair();
    if (!line) return tl::unexpected(line.error());
    auto& [ours, theirs] = *line;
    auto note = std::make_unique<SharedNote>();
    if (!note->exists()) return system_failure("share", "memory");
    const Pid parent = ::getpid();
    auto child = branch([&] {
        in_place = true;
        std::vector<int> kept = task.kept;
        kept.push_back(theirs.get());
        if (note->descriptor()) kept.push_back(note->descriptor().get());
        close_descriptors_keeping_directory(*table, kept);
        const Fd mark = scanner::mark_copy(*table);
        ReaderGuard guard(*table, silent, note->get());
        return read_in_copy(task, theirs.get(), guard, parent);
    });
    if (!child) return tl::unexpected(child.error());
    return Copy{std::move(*child), std::move(ours), std::move(note)};
}

// True: it has answered.
bool BoundedReader::State::take(Copy& copy, FrameInbox& inbox, const ReadTask& task, Reply& reply) {
    while (auto frame = inbox.next()) {
        switch (frame->kind) {
            case FrameHead::Kind::unanswered:
                reply.unanswered = unpack<std::vector<std::string>>(frame->bytes)
                                       .value_or(std::vector<std::string>());
                break;
            case FrameHead::Kind::question:
                std::ignore = send_frame(copy.line.get(), FrameHead::Kind::reply,
                                         task.asked ? task.asked(frame->bytes) : std::string());
                break;
            case FrameHead::Kind::answer:
                reply.bytes = std::move(frame->bytes);
                reply.descriptors = std::move(frame->descriptors);
                return true;
            case FrameHead::Kind::reply: break;
        }
    }
    return false;
}

// True if the copy can run: on a busy machine it may only wait for its turn.
bool BoundedReader::State::may_run(const Copy& copy) const {
    const auto stat = scanner::read_stat(*table, copy.child.handle().pid());
    return stat && stat->state == 'R';
}

Uid BoundedReader::State::user_of(const Stop& stop) const {
    return stop.pid > 0 ? scanner::read_real_uid(*table, stop.pid).value_or(stop.user) : stop.user;
}

// `here`: how long it has stopped at this one thing; `more`: since the last time that this was
// asked.
bool BoundedReader::State::is_too_long(Stop& stop, milliseconds here, milliseconds more) {
    if (!stop.is_of_user()) return here >= kServiceTime;
    const Uid user = user_of(stop);
    stop.user = user;
    waited[user] += more;
    waited_for_all += more;
    return here >= kAnswerTime || waited[user] >= kMostOfUser || waited_for_all >= kMostOfAll;
}

End BoundedReader::State::attend(Copy& copy, const ReadTask& task, Reply& reply, Stop& stop) {
    FrameInbox inbox;
    milliseconds here{};
    auto last = Clock::now();
    stop = read_note(copy.note->get());
    for (;;) {
        struct pollfd entry{copy.line.get(), POLLIN, 0};
        const int ready = ::poll(&entry, 1, static_cast<int>(kTick.count()));
        if (ready > 0) {
            if (!inbox.receive(copy.line.get())) return End::broken;
            if (take(copy, inbox, task, reply)) return End::answered;
        }
        if (interrupted()) return End::interrupted;
        const auto now = Clock::now();
        // This process may have slept as well, of which the copy is not the cause.
        const auto more = std::min(std::chrono::duration_cast<milliseconds>(now - last), 2 * kTick);
        last = now;
        Stop next = read_note(copy.note->get());
        const bool moved = ready > 0 || next.changes != stop.changes || may_run(copy);
        here = moved ? milliseconds(0) : here + more;
        stop = std::move(next);
        if (!moved && is_too_long(stop, here, more)) return End::silent;
    }
}

NoAnswer BoundedReader::State::no_answer_of(const Stop& stop) const {
    if (stop.pid > 0) return {NoAnswer::What::memory, stop.user, stop.pid, {}};
    const auto mounts = scanner::read_own_mounts(*table, kMountsLimit);
    std::string mount = mounts ? scanner::find_remote_mount(*mounts, stop.path) : std::string();
    if (mount.empty()) return {NoAnswer::What::path, stop.user, 0, stop.path};
    return {NoAnswer::What::below, stop.user, 0, std::move(mount)};
}

void BoundedReader::State::add(NoAnswer no_answer, std::optional<Child> child) {
    silent.push_back(no_answer);
    lost.push_back({std::move(no_answer), std::move(child), std::nullopt, Clock::now()});
}

// Leaves out all of a user of whom too much did not answer.
void BoundedReader::State::limit_user(const Stop& stop) {
    const auto is_of_same = [&](const Lost& one) { return one.no_answer.user == stop.user; };
    if (waited[stop.user] >= kMostOfUser ||
        std::ranges::count_if(lost, is_of_same) >= kMaxWithoutAnswer)
        add({NoAnswer::What::user, stop.user, 0, {}}, std::nullopt);
}

// Kills a copy, and notes what did not answer. False: that is not known, so that the next copy
// would wait as well.
bool BoundedReader::State::give_up(Copy copy, const Stop& stop) {
    std::ignore = pass_on(copy.child.handle(), SIGKILL);
    if (!stop.is_told()) {
        add({NoAnswer::What::path, 0, 0, {}}, std::move(copy.child));
        return false;
    }
    add(no_answer_of(stop), std::move(copy.child));
    if (!stop.is_of_user()) return true;
    limit_user(stop);
    const auto copies =
        std::ranges::count_if(lost, [](const Lost& one) { return one.is_waiting(); });
    if (waited_for_all >= kMostOfAll || static_cast<std::size_t>(copies) >= kMostCopies)
        silent.push_back({NoAnswer::What::everything, 0, 0, {}});
    return true;
}

BoundedReader& BoundedReader::of_program() {
    static BoundedReader reader;
    return reader;
}

BoundedReader::BoundedReader() : state_(new State) {}

// Not as a zombie for pid 1, which in a container may collect nothing.
BoundedReader::~BoundedReader() {
    state_->collect();
    delete state_;
}

// A copy without a handle could not be given up: a kernel that has none reads in place, and nothing
// is signalled there anyway.
void BoundedReader::begin() {
    state_->in_place = !scanner::PidHandle::open(::getpid());
}

void BoundedReader::collect() {
    state_->collect();
}

bool BoundedReader::reads_in_place() const {
    return state_->in_place;
}

void BoundedReader::begin_last_task() {
    state_->interrupted_at.reset();
}

Result<Reply> BoundedReader::run(const ReadTask& task) {
    State& state = *state_;
    if (auto opened = state.open(); !opened) return tl::unexpected(opened.error());
    state.forget_expired();
    state.silent.clear();
    state.waited.clear();
    state.waited_for_all = {};
    for (const State::Lost& one : state.lost) state.silent.push_back(one.no_answer);
    for (;;) {
        if (state.interrupted())
            return failure(std::errc::interrupted, "read", "what users control");
        state.collect();
        auto copy = state.send_copy(task);
        if (!copy) return tl::unexpected(copy.error());
        Reply reply;
        Stop stop;
        const End end = state.attend(*copy, task, reply, stop);
        if (end == End::answered || end == End::broken) state.leaving = std::move(copy->child);
        if (end == End::answered) return reply;
        if (end == End::broken)
            return failure(std::errc::io_error, "hear from", "a copy of this program");
        const bool told = state.give_up(std::move(*copy), stop);
        if (end == End::interrupted)
            return failure(std::errc::interrupted, "read", "what users control");
        if (!told) return failure(std::errc::timed_out, "read", "the machine");
    }
}

}  // namespace reaper::agent
