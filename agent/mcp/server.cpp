#include "agent/mcp/server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "agent/mcp/line_splitter.hpp"
#include "agent/mcp/session.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/reaping/child.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/system/interrupt.hpp"
#include "agent/system/system_calls.hpp"
#include "agent/system/text_file.hpp"

namespace reaper::agent {

namespace {

using Clock = McpSession::Clock;
using std::chrono::seconds;

constexpr seconds kMostTime{120};
constexpr seconds kMostTimeOfSweep{600};  // it waits for grace periods
constexpr seconds kEndTime{5};            // for what was sent TERM
constexpr seconds kDeathTime{1};          // for what was sent KILL
constexpr off_t kMostAnswered = off_t{4} * 1024 * 1024;

std::string random_text() {
    std::array<unsigned char, 16> bytes{};
    if (::getentropy(bytes.data(), bytes.size()) != 0) return {};
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

// The client waits until nothing holds its pipes: a copy must not.
void leave_client() {
    const Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO}) ::dup2(nothing.get(), fd);
}

// In the copy, which ends with the server. A sweep takes TERM as an interrupt, and everything else
// ends by it.
int work_on(const ToolCall& call, const ToolWork& work, int place, const Interrupt& interrupt,
            scanner::Pid server) {
    if (!end_with_parent(SIGTERM, server)) return 1;
    leave_client();
    interrupt.step_aside();
    try {
        const std::string text = write_answer(work(call));
        BoundedReader::of_program().collect();
        return write_all(place, text, "an answer") ? 0 : 1;
    } catch (const std::exception&) {
        return 1;
    }
}

std::optional<ToolAnswer> read_from(const Fd& place) {
    const off_t size = ::lseek(place.get(), 0, SEEK_END);
    if (size <= 0 || size > kMostAnswered) return std::nullopt;
    std::string text(static_cast<std::size_t>(size), '\0');
    if (::pread(place.get(), text.data(), text.size(), 0) != size) return std::nullopt;
    return read_answer(text);
}

// A call that a copy works on.
class RunningCall {
   public:
    RunningCall(Child copy, Fd place, seconds most)
        : copy_(std::move(copy)), place_(std::move(place)), ends_(Clock::now() + most) {}

    [[nodiscard]] const scanner::PidHandle& handle() const { return copy_.handle(); }
    [[nodiscard]] Clock::time_point next() const { return ends_; }

    // Ends it the harder way each time. True: it was sent KILL before, so that nothing helps.
    bool end() {
        const bool helpless = signal_ == SIGKILL;
        signal_ = signal_ == 0 ? SIGTERM : SIGKILL;
        std::ignore = pass_on(handle(), signal_);
        ends_ = Clock::now() + (signal_ == SIGTERM ? kEndTime : kDeathTime);
        return helpless;
    }
    [[nodiscard]] bool is_told_to_end() const { return signal_ != 0; }

    // Once it has ended.
    [[nodiscard]] ToolAnswer answer() const {
        const auto status = copy_.wait();
        auto read = status && *status == 0 ? read_from(place_) : std::nullopt;
        if (read) return *std::move(read);
        return tool_trouble(signal_ == 0 ? "the work broke off" : "it took too long and was ended");
    }

   private:
    Child copy_;
    Fd place_;
    Clock::time_point ends_;
    int signal_ = 0;  // the last that was sent
};

class McpServer {
   public:
    McpServer(bool allows_sweep, const ToolWork& work)
        : work_(work), session_(allows_sweep, random_text), host_(open_host()) {}

    Result<void> run() {
        if (interrupt_.raw() < 0) return system_failure("see", "signals");
        while (!over_) {
            sleep();
            session_.expire(Clock::now());
            end_call();
            begin_call();
            send();
        }
        abandon_call();
        return {};
    }

   private:
    // None: it is in another pid namespace, or the kernel has no handles. Then only the closed
    // stdin tells.
    static std::optional<scanner::PidHandle> open_host() {
        auto host = scanner::PidHandle::open(::getppid());
        return host ? std::optional(std::move(*host)) : std::nullopt;
    }

    [[nodiscard]] int time_to_sleep() const {
        auto next = session_.next_expiry().value_or(Clock::time_point::max());
        if (running_) next = std::min(next, running_->next());
        if (next == Clock::time_point::max()) return -1;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
        return static_cast<int>(
            std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max()));
    }

    void sleep() {
        std::array<pollfd, 5> entries{{{STDIN_FILENO, POLLIN, 0},
                                       {interrupt_.raw(), POLLIN, 0},
                                       {host_ ? host_->raw() : -1, POLLIN, 0},
                                       {running_ ? running_->handle().raw() : -1, POLLIN, 0},
                                       {STDOUT_FILENO, 0, 0}}};  // errors are always told
        if (::poll(entries.data(), entries.size(), time_to_sleep()) <= 0) return;
        const bool left = (entries[4].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
        over_ = entries[1].revents != 0 || entries[2].revents != 0 || left;
        if (!over_ && entries[0].revents != 0) read();
    }

    void read() {
        const ssize_t size = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
        if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
        over_ = size <= 0;
        if (over_) return;
        for (const SplitLine& line :
             splitter_.add({buffer_.data(), static_cast<std::size_t>(size)})) {
            if (line.is_too_long)
                session_.refuse_long_line();
            else
                session_.take(line.text, Clock::now());
        }
    }

    void begin_call() {
        const auto call = over_ || running_ ? std::nullopt : session_.begin_next(Clock::now());
        if (!call) return;
        Fd place = make_nameless_file();
        const scanner::Pid server = ::getpid();
        auto copy = branch([&] { return work_on(*call, work_, place.get(), interrupt_, server); });
        const seconds most = call->tool == "sweep" ? kMostTimeOfSweep : kMostTime;
        if (copy)
            running_.emplace(std::move(*copy), std::move(place), most);
        else
            session_.finish(tool_trouble(describe(copy.error())), Clock::now());
    }

    void end_call() {
        if (!running_) return;
        if (running_->handle().exited()) {
            session_.finish(running_->answer(), Clock::now());
            running_.reset();
            return;
        }
        const bool is_late = Clock::now() >= running_->next();
        const bool is_unwanted = session_.is_cancelled() && !running_->is_told_to_end();
        // What the kernel does not let go is left, so that other calls can be worked on.
        if ((is_late || is_unwanted) && running_->end()) {
            session_.finish(tool_trouble("it hangs in the kernel"), Clock::now());
            running_.reset();
        }
    }

    void send() {
        const std::string lines = session_.take_output();
        if (over_ || lines.empty()) return;
        over_ = !write_all(STDOUT_FILENO, lines, "an answer");
    }

    // At the end: a sweep that signals nothing more tells the history.
    void abandon_call() {
        while (running_ && !running_->handle().exited()) {
            if (running_->end()) return;
            const auto left = running_->next() - Clock::now();
            std::ignore =
                running_->handle().exits_within(std::chrono::ceil<std::chrono::milliseconds>(left));
        }
        if (running_) std::ignore = running_->answer();
    }

    const ToolWork& work_;
    Interrupt interrupt_;
    McpSession session_;
    std::optional<scanner::PidHandle> host_;
    LineSplitter splitter_;
    std::array<char, std::size_t{64} * 1024> buffer_{};
    std::optional<RunningCall> running_;
    bool over_ = false;
};

}  // namespace

Result<void> serve_mcp(bool allows_sweep, const ToolWork& work) {
    return McpServer(allows_sweep, work).run();
}

}  // namespace reaper::agent
