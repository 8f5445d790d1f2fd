#include "agent/detach/request.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/detach/meeting_point.hpp"
#include "agent/reading/handle_transfer.hpp"
#include "agent/reading/reader_copy.hpp"
#include "agent/system/environment.hpp"
#include "agent/system/pipe.hpp"
#include "agent/system/system_calls.hpp"
#include "agent/system/unix_socket.hpp"
#include "scanner/model/number.hpp"

namespace reaper::agent {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLongestName = 40;
constexpr char kWithHost = 'h';  // the first letter of a request
constexpr char kWithoutHost = '-';
constexpr milliseconds kTakeTime{2000};  // after it, the one at the place is taken to be stopped
constexpr milliseconds kSendTime{200};   // a sender has sent all before it waits

void limit_waits(const Fd& socket, milliseconds limit) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(limit);
    timeval time{};
    time.tv_sec = seconds.count();
    time.tv_usec = std::chrono::microseconds(limit - seconds).count();
    for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
        ::setsockopt(socket.get(), SOL_SOCKET, option, &time, sizeof time);
}

// Any user can connect to a name, and bind one on Linux. A process of another pid namespace, which
// has no pid here, or not the one that it knows, cannot see what this one is to look at.
bool is_trusted(const Fd& socket) {
    const auto peer = peer_of(socket.get());
    return peer && peer->pid > 0 && (peer->uid == ::geteuid() || peer->uid == 0);
}

// The text of a request: whether there is a host, the name in --from, and where its handle cannot
// come along, the name of that.
std::string text_of(const SweepRequest& request) {
    if (!request.host) return kWithoutHost + request.from;
    if (handles_travel()) return kWithHost + request.from;
    const HandleName host = name_of(*request.host);
    return fmt::format("{}{}\n{} {}", kWithHost, request.from, host.pid, host.inode);
}

// Its number is of no use here where the handle has come along: only its end is waited for.
HandleName name_in(std::string_view text) {
    HandleName name;
    const std::size_t line = text.find('\n');
    if (line == std::string_view::npos) return name;
    text.remove_prefix(line + 1);
    const std::size_t blank = text.find(' ');
    name.pid = scanner::to_number<scanner::Pid>(text.substr(0, blank)).value_or(0);
    text.remove_prefix(std::min(text.size(), blank + 1));
    name.inode = scanner::to_number<std::uint64_t>(text).value_or(0);
    return name;
}

std::optional<FrameInbox::Frame> receive_frame(const Fd& socket) {
    FrameInbox inbox;
    auto frame = inbox.next();
    while (!frame && inbox.receive(socket.get())) frame = inbox.next();
    return frame;
}

template <class T>
std::string count_of(const std::optional<T>& time) {
    return time ? fmt::format("{}", time->count()) : std::string();
}

}  // namespace

std::string meeting_place(const SweepOptions& options, const DetachOptions& own) {
    std::vector<std::string_view> verdicts;
    verdicts.reserve(options.also_reap.size());
    for (const policy::Verdict verdict : options.also_reap)
        verdicts.push_back(policy::to_string(verdict));
    const std::string all = fmt::format(
        "{}",
        fmt::join(
            {fmt::format("{}", options.homes), fmt::format("{}", options.families),
             fmt::format("{}", options.packs), fmt::format("{}", verdicts),
             fmt::format("{:?}{:?}", options.config, options.under),
             fmt::format("{:?}{:?}", options.user, options.output),
             fmt::format("{}{}{}", options.all_users, options.reap_inside_services,
                         options.dry_run),
             fmt::format("{}{}", options.no_history, options.notify), count_of(options.min_age),
             count_of(options.grace), count_of(options.grace_cap), count_of(own.at_most_every),
             fmt::format("{} {}", options.settle.count(), options.lock_wait.count()),
             fmt::format("{} {}", options.max_kills, static_cast<int>(options.format)), own_view(),
             variable("HOME"), variable("XDG_CONFIG_HOME"), variable("XDG_STATE_HOME")},
            "\n"));
    return place_for(fmt::format("{:x}", std::hash<std::string>()(all)));
}

Fd take_place(const std::string& place) {
    const MeetingPoint point = meeting_point(place);
    Fd socket = point.length == 0 ? Fd() : make_socket(SOCK_STREAM);
    if (socket) never_wait(socket);
    return socket && take_point(socket, point) ? std::move(socket) : Fd();
}

// What is not answered is not taken: the other one may have ended meanwhile.
Offer hand_over(const std::string& place, const SweepRequest& request) {
    const MeetingPoint point = meeting_point(place);
    const Fd socket = make_socket(SOCK_STREAM);
    if (!socket) return Offer::refused;
    if (point.length == 0) return Offer::nobody;
    limit_waits(socket, kTakeTime);
    const auto* raw = reinterpret_cast<const sockaddr*>(&point.address);
    if (::connect(socket.get(), raw, point.length) != 0)
        return errno == ECONNREFUSED || errno == ENOENT ? Offer::nobody : Offer::refused;
    if (!is_trusted(socket)) return Offer::refused;
    std::vector<int> handles;
    if (request.host && handles_travel()) handles.push_back(request.host->raw());
    errno = 0;
    const bool sent =
        send_frame(socket.get(), FrameHead::Kind::question, text_of(request), handles);
    if (sent && receive_frame(socket)) return Offer::taken;
    return errno == EAGAIN ? Offer::refused : Offer::nobody;
}

std::optional<SweepRequest> take_request(const Fd& socket) {
    const Fd sender = accept_from(socket);
    if (!sender || !is_trusted(sender)) return std::nullopt;
    limit_waits(sender, kSendTime);
    auto frame = receive_frame(sender);
    if (!frame || frame->bytes.empty()) return std::nullopt;
    const std::string& text = frame->bytes;
    const std::string from = text.substr(1, text.find('\n') - 1);
    SweepRequest request{from.substr(0, kLongestName), std::nullopt};
    if (text.front() == kWithHost) {
        std::optional<scanner::PidHandle> sent;
        if (!frame->descriptors.empty())
            sent = scanner::PidHandle::adopt(0, std::move(frame->descriptors.front()));
        auto host = handle_of(name_in(text), std::move(sent));
        // Without room for the handle, its sender has to wait for the host itself.
        if (!host && host.error().code != std::errc::no_such_process) return std::nullopt;
        if (host) request.host = std::move(*host);
    }
    if (!send_frame(sender.get(), FrameHead::Kind::reply, "taken")) return std::nullopt;
    return request;
}

}  // namespace reaper::agent
