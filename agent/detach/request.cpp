#include "agent/detach/request.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/reading/reader_copy.hpp"
#include "agent/system/environment.hpp"

namespace reaper::agent {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLongestName = 40;
constexpr char kWithHost = 'h';  // the first letter of a request
constexpr char kWithoutHost = '-';
constexpr int kMostWaiting = 128;        // requests that are not taken yet
constexpr milliseconds kTakeTime{2000};  // after it, the one at the place is taken to be stopped
constexpr milliseconds kSendTime{200};   // a sender has sent all before it waits

struct Place {
    sockaddr_un address{};
    socklen_t length = 0;
};

// The first byte of an abstract name is zero.
Place place_of(const std::string& name) {
    Place place;
    place.address.sun_family = AF_UNIX;
    std::ranges::copy(name, std::begin(place.address.sun_path) + 1);
    place.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return place;
}

Fd open_socket(int flags) {
    return Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
}

void limit_waits(const Fd& socket, milliseconds limit) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(limit);
    timeval time{};
    time.tv_sec = seconds.count();
    time.tv_usec = std::chrono::microseconds(limit - seconds).count();
    for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
        ::setsockopt(socket.get(), SOL_SOCKET, option, &time, sizeof time);
}

// Any user can bind a name, and connect to it. A process of another pid namespace, which has no
// pid here, or not the one that it knows, cannot see what this one is to look at.
bool is_trusted(const Fd& socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0 &&
           (peer.uid == ::geteuid() || peer.uid == 0);
}

// What a process can see: only those that see the same can sweep for each other. Names of sockets
// are shared by all that share a network.
std::string own_namespaces() {
    std::string names;
    for (const char* kind : {"pid", "mnt", "user"}) {
        struct stat status{};
        if (::stat(fmt::format("/proc/self/ns/{}", kind).c_str(), &status) == 0)
            names += fmt::format("{} ", status.st_ino);
    }
    return names;
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
        "{}", fmt::join({fmt::format("{}", options.homes), fmt::format("{}", options.families),
                         fmt::format("{}", options.packs), fmt::format("{}", verdicts),
                         fmt::format("{:?}{:?}", options.config, options.under),
                         fmt::format("{:?}{:?}", options.user, options.output),
                         fmt::format("{}{}{}", options.all_users, options.reap_inside_services,
                                     options.dry_run),
                         fmt::format("{}{}", options.no_history, options.notify),
                         count_of(options.min_age), count_of(options.grace),
                         count_of(options.grace_cap), count_of(own.at_most_every),
                         fmt::format("{} {}", options.settle.count(), options.lock_wait.count()),
                         fmt::format("{} {}", options.max_kills, static_cast<int>(options.format)),
                         own_namespaces(), variable("HOME"), variable("XDG_CONFIG_HOME"),
                         variable("XDG_STATE_HOME")},
                        "\n"));
    return fmt::format("orphan-reaper/sweep/{}/{:x}", ::geteuid(), std::hash<std::string>()(all));
}

Fd take_place(const std::string& place) {
    const auto [address, length] = place_of(place);
    Fd socket = open_socket(SOCK_NONBLOCK);
    const auto* raw = reinterpret_cast<const sockaddr*>(&address);
    const bool taken = socket && ::bind(socket.get(), raw, length) == 0 &&
                       ::listen(socket.get(), kMostWaiting) == 0;
    return taken ? std::move(socket) : Fd();
}

// What is not answered is not taken: the other one may have ended meanwhile.
Offer hand_over(const std::string& place, const SweepRequest& request) {
    const auto [address, length] = place_of(place);
    const Fd socket = open_socket(0);
    if (!socket) return Offer::refused;
    limit_waits(socket, kTakeTime);
    const auto* raw = reinterpret_cast<const sockaddr*>(&address);
    if (::connect(socket.get(), raw, length) != 0)
        return errno == ECONNREFUSED ? Offer::nobody : Offer::refused;
    if (!is_trusted(socket)) return Offer::refused;
    std::vector<int> handles;
    if (request.host) handles.push_back(request.host->raw());
    errno = 0;
    const std::string text = (request.host ? kWithHost : kWithoutHost) + request.from;
    const bool sent = send_frame(socket.get(), FrameHead::Kind::question, text, handles);
    if (sent && receive_frame(socket)) return Offer::taken;
    return errno == EAGAIN ? Offer::refused : Offer::nobody;
}

std::optional<SweepRequest> take_request(const Fd& socket) {
    const Fd sender(::accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!sender || !is_trusted(sender)) return std::nullopt;
    limit_waits(sender, kSendTime);
    auto frame = receive_frame(sender);
    if (!frame || frame->bytes.empty()) return std::nullopt;
    // Without room for the handle, its sender has to wait for the host itself.
    if (frame->bytes.front() == kWithHost && frame->descriptors.empty()) return std::nullopt;
    SweepRequest request{frame->bytes.substr(1, kLongestName), std::nullopt};
    // Its number is of no use here, where only its end is waited for.
    if (!frame->descriptors.empty())
        request.host = scanner::PidHandle::adopt(0, std::move(frame->descriptors.front()));
    if (!send_frame(sender.get(), FrameHead::Kind::reply, "taken")) return std::nullopt;
    return request;
}

}  // namespace reaper::agent
