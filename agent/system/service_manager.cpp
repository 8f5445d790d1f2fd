#include "agent/system/service_manager.hpp"
#include "agent/system/environment.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "agent/system/pipe.hpp"
#include "agent/system/unix_socket.hpp"
#include "scanner/model/identity.hpp"
#include "scanner/model/number.hpp"

namespace reaper::agent {

namespace {

// Nothing, where none is wanted, or of another process.
std::chrono::microseconds sign_gap() {
    const auto limit = scanner::to_number<std::uint64_t>(variable("WATCHDOG_USEC"));
    const std::string whose = variable("WATCHDOG_PID");
    if (!limit || (!whose.empty() && scanner::to_number<scanner::Pid>(whose) != ::getpid()))
        return {};
    return std::chrono::microseconds(*limit / 2);
}

}  // namespace

ServiceManager::ServiceManager() : address_(variable("NOTIFY_SOCKET")) {
    const bool usable = address_.starts_with('/') || address_.starts_with('@');
    if (!usable || address_.size() >= sizeof(sockaddr_un::sun_path)) return;
    if (address_.front() == '@') address_.front() = '\0';
    socket_ = make_socket(SOCK_DGRAM);
    if (socket_) never_wait(socket_);
    gap_ = sign_gap();
    if (socket_ && gap_.count() > 0) next_sign_ = Clock::now();
}

void ServiceManager::notify(std::string_view message) const {
    if (!socket_) return;
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    std::ranges::copy(address_, std::begin(place.sun_path));
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
    std::ignore = ::sendto(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL,
                           reinterpret_cast<const sockaddr*>(&place), length);
}

void ServiceManager::give_sign_if_due() {
    if (!next_sign_ || Clock::now() < *next_sign_) return;
    notify("WATCHDOG=1");
    next_sign_ = Clock::now() + gap_;
}

}  // namespace reaper::agent
