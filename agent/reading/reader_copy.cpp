#include "agent/reading/reader_copy.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iterator>
#include <optional>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "agent/reaping/child.hpp"
#include "agent/reaping/close_descriptors.hpp"
#include "agent/system/pipe.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kPiece = 16 * 1024;  // most answers; each byte of it is written twice
constexpr std::size_t kMostLeftOut = 64;

bool is_below(std::string_view path, std::string_view mount) {
    return path == mount || mount == "/" ||
           (path.starts_with(mount) && path.substr(mount.size()).starts_with('/'));
}

bool is_about(const NoAnswer& silent, scanner::Uid user, std::string_view path) {
    using What = NoAnswer::What;
    if (silent.what == What::everything) return true;
    if (silent.user != user || silent.what == What::memory) return false;
    return silent.what == What::user ||
           (silent.what == What::below ? is_below(path, silent.path) : path == silent.path);
}

bool is_about(const NoAnswer& silent, scanner::Pid pid, const std::optional<scanner::Uid>& user) {
    using What = NoAnswer::What;
    if (silent.what == What::everything) return true;
    return silent.what == What::memory ? silent.pid == pid
                                       : silent.what == What::user && user && silent.user == *user;
}

// Each message carries one byte besides, as it has to.
bool send_descriptors(int socket, std::span<const int> descriptors) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kDescriptorsPerMessage)> control{};
    char byte = 0;
    iovec piece{&byte, 1};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    if (head == nullptr) return false;  // never: there is room for it
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
    for (;;) {
        if (::sendmsg(socket, &message, MSG_NOSIGNAL) == 1) return true;
        // Too many descriptors in flight: the other side takes them soon.
        if (errno == ETOOMANYREFS)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        else if (errno != EINTR)
            return false;
    }
}

bool send_bytes(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) return false;
        if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void take_descriptors(msghdr& message, std::vector<Fd>& descriptors) {
    for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
         head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t at = 0; at < count; ++at) {
            int descriptor = -1;
            std::memcpy(&descriptor, CMSG_DATA(head) + at * sizeof(int), sizeof descriptor);
            descriptors.push_back(keep_to_self(descriptor));
        }
    }
}

// Ctrl-C reaches a copy like all processes of the terminal; its parent decides what follows. The
// copy dies with its parent.
bool begin_copy(scanner::Pid parent) {
    sigset_t all;
    sigfillset(&all);
    std::ignore = ::sigprocmask(SIG_SETMASK, &all, nullptr);
    return end_with_parent(SIGKILL, parent);
}

}  // namespace

bool ReaderGuard::may_read(scanner::Uid user, std::string_view path) {
    if (std::ranges::any_of(no_answers_,
                            [&](const NoAnswer& silent) { return is_about(silent, user, path); }))
        return leave_out(std::string(path));
    note(user, 0, path);
    return true;
}

bool ReaderGuard::may_read_memory(scanner::Pid pid) {
    const auto knows_users = [](const NoAnswer& silent) {
        return silent.what == NoAnswer::What::user;
    };
    std::optional<scanner::Uid> user;
    if (std::ranges::any_of(no_answers_, knows_users)) {
        if (const auto read = scanner::read_real_uid(table_, pid)) user = *read;
    }
    if (std::ranges::any_of(no_answers_,
                            [&](const NoAnswer& silent) { return is_about(silent, pid, user); }))
        return leave_out(fmt::format("pid {}", pid));
    note(0, pid, {});
    return true;
}

bool ReaderGuard::leave_out(std::string what) {
    const bool known = std::ranges::find(left_out_, what) != left_out_.end();
    if (!known && left_out_.size() < kMostLeftOut) left_out_.push_back(std::move(what));
    return false;
}

void ReaderGuard::note(scanner::Uid user, scanner::Pid pid, std::string_view path) {
    note_.changes.fetch_add(1);
    note_.user = user;
    note_.pid = pid;
    note_.length = static_cast<std::uint32_t>(std::min(path.size(), note_.path.size()));
    std::copy_n(path.begin(), note_.length, note_.path.begin());
    note_.changes.fetch_add(1);
}

int read_in_copy(const ReadTask& task, int socket, ReaderGuard& guard, scanner::Pid parent) {
    if (!begin_copy(parent)) return 1;
    scanner::guard_access(&guard);
    ReaderLine line(socket, guard.left_out());
    try {
        task.read(line);
    } catch (const std::exception&) {
        return 1;  // no memory, say: the other side sees that there is no answer
    }
    return 0;
}

bool send_frame(int socket, FrameHead::Kind kind, std::string_view bytes,
                std::span<const int> descriptors) {
    const FrameHead head{kind, static_cast<std::uint32_t>(descriptors.size()), bytes.size()};
    if (!send_bytes(socket, {reinterpret_cast<const char*>(&head), sizeof head})) return false;
    for (; !descriptors.empty();) {
        const std::size_t some = std::min(descriptors.size(), kDescriptorsPerMessage);
        if (!send_descriptors(socket, descriptors.first(some))) return false;
        descriptors = descriptors.subspan(some);
    }
    return send_bytes(socket, bytes);
}

bool FrameInbox::receive(int socket) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kDescriptorsPerMessage)> control{};
    const std::size_t before = bytes_.size();
    bytes_.resize(before + kPiece);
    iovec piece{bytes_.data() + before, kPiece};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t got = 0;
    do {
        got = ::recvmsg(socket, &message, 0);
    } while (got < 0 && errno == EINTR);
    bytes_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got > 0) take_descriptors(message, descriptors_);
    return got > 0;
}

std::optional<FrameInbox::Frame> FrameInbox::next() {
    FrameHead head;
    if (bytes_.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, bytes_.data(), sizeof head);
    const std::size_t messages =
        (head.descriptors + kDescriptorsPerMessage - 1) / kDescriptorsPerMessage;
    const std::size_t begin = sizeof head + messages;
    if (bytes_.size() - sizeof head < messages || bytes_.size() - begin < head.length)
        return std::nullopt;
    Frame frame{head.kind, bytes_.substr(begin, head.length), {}};
    bytes_.erase(0, begin + head.length);
    // Those of the next frame may have come already.
    const auto mine =
        static_cast<std::ptrdiff_t>(std::min<std::size_t>(head.descriptors, descriptors_.size()));
    std::move(descriptors_.begin(), descriptors_.begin() + mine,
              std::back_inserter(frame.descriptors));
    descriptors_.erase(descriptors_.begin(), descriptors_.begin() + mine);
    return frame;
}

void ReaderLine::answer(std::string_view bytes, std::span<const int> descriptors) {
    if (!left_out_.empty())
        std::ignore = send_frame(socket_, FrameHead::Kind::unanswered, pack(left_out_));
    std::ignore = send_frame(socket_, FrameHead::Kind::answer, bytes, descriptors);
}

std::string ReaderLine::ask(std::string_view question) {
    FrameInbox inbox;
    if (!send_frame(socket_, FrameHead::Kind::question, question)) return {};
    for (;;) {
        if (auto frame = inbox.next()) return std::move(frame->bytes);
        if (!inbox.receive(socket_)) return {};
    }
}

}  // namespace reaper::agent
