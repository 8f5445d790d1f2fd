#include "scanner/linux/descriptors.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "scanner/directory.hpp"
#include "scanner/model/number.hpp"
#include "scanner/model/reading.hpp"
#include "scanner/parse/lease_path.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kMostSockets = 256;
constexpr std::size_t kMostOfUser = 100'000;  // each costs some 5 us
constexpr std::size_t kAlwaysRead = 64;       // of each process, besides: a helper has 20 to 40
// inotify and epoll list everything that they watch
constexpr std::size_t kFdinfoLimit = 64 * 1024;

bool was_closed(const Error& error) {
    return access_of(error.code) == Access::gone;
}

// "socket:[4711]"
std::optional<std::uint64_t> socket_inode(std::string_view link) {
    constexpr std::string_view kStart = "socket:[";
    if (!link.starts_with(kStart) || !link.ends_with(']')) return std::nullopt;
    return to_number<std::uint64_t>(link.substr(kStart.size(), link.size() - kStart.size() - 1));
}

// Returns the path of a write-ahead log of SQLite that has no name any more, so its content is lost
// at the next open. A file can be named so on purpose: this proves nothing and is only reported.
std::optional<std::string> deleted_database(std::string_view link) {
    constexpr std::string_view kMark = " (deleted)";
    if (!link.ends_with(kMark)) return std::nullopt;
    link.remove_suffix(kMark.size());
    return link.ends_with("-wal") ? std::optional(std::string(link)) : std::nullopt;
}

Listener listener_from(const DiagSocket& socket) {
    switch (socket.family) {
        case SocketFamily::tcp4: return {"tcp", socket.address, socket.port};
        case SocketFamily::tcp6: return {"tcp6", socket.address, socket.port};
        case SocketFamily::unix_domain: break;
    }
    return {"unix", socket.address, 0};
}

using Clients = Reading<std::vector<std::uint64_t>>;

Clients clients_of_tcp(const DiagSocket& socket) {
    const auto connections = list_tcp_connections(socket.family, socket.port);
    if (!connections) return Clients::failed(Access::denied);
    std::vector<std::uint64_t> inodes;
    for (const DiagSocket& one : *connections) inodes.push_back(one.inode);
    return Clients::of(std::move(inodes));
}

void look_at_clients(const DiagSocket& socket, Listener& listener) {
    if (socket.family != SocketFamily::unix_domain) {
        listener.clients = clients_of_tcp(socket);
        return;
    }
    if (socket.abstract || !socket.address.starts_with('/')) return;
    auto service = look_at_service(socket.inode, socket.address);
    listener.clients =
        service ? Clients::of(std::move(service->clients)) : Clients::failed(Access::denied);
    if (service) listener.owner = service->owner;
}

using Listening = std::unordered_map<std::uint64_t, const DiagSocket*>;

// Keeps the first sockets only. They matter for a launcher, which has one socket, and each costs a
// look at all sockets of the machine, while a user can open thousands.
void add_sockets(const std::vector<std::uint64_t>& inodes, const Listening& listening,
                 OpenFiles& found) {
    const DiagSocket* last = nullptr;
    for (const std::uint64_t inode : inodes) {
        const auto socket = listening.find(inode);
        if (socket != listening.end()) {
            last = socket->second;
            found.listeners.push_back(listener_from(*last));
        } else if (found.sockets.size() < kMostSockets) {
            found.sockets.push_back(inode);
        }
    }
    if (found.listeners.size() == 1) look_at_clients(*last, found.listeners.front());
}

Result<std::vector<FileLock>> locks_of(int process, int number) {
    const std::string path = "fdinfo/" + std::to_string(number);
    return read_at(process, path.c_str(), kFdinfoLimit).and_then([](const FileText& text) {
        return parse_fdinfo_locks(text.bytes);
    });
}

Result<std::string> link_of(int process, int number) {
    return read_link_at(process, ("fd/" + std::to_string(number)).c_str());
}

}  // namespace

Result<std::vector<int>> DescriptorBudget::list(int process, const char* folder, Uid user) {
    std::size_t& used = used_[user];
    const std::size_t most = kAlwaysRead + (kMostOfUser - std::min(kMostOfUser, used));
    auto numbers = list_numbers_at(process, folder, most);
    if (numbers)
        used += numbers->size() - std::min(numbers->size(), kAlwaysRead);
    else if (numbers.error().code == std::errc::file_too_large)
        used = kMostOfUser;
    return numbers;
}

Result<std::vector<int>> DescriptorAccount::list(int process, const char* folder) const {
    return budget == nullptr ? list_numbers_at(process, folder)
                             : budget->list(process, folder, user);
}

Result<OpenFiles> open_files_of(int process, const std::vector<DiagSocket>& listening,
                                const DescriptorAccount& account) {
    Listening by_inode;
    for (const DiagSocket& socket : listening) by_inode.emplace(socket.inode, &socket);
    const auto numbers = account.list(process, "fd");
    if (!numbers) return tl::unexpected(numbers.error());
    OpenFiles found;
    std::vector<std::uint64_t> sockets;
    for (const int number : *numbers) {
        const auto link = link_of(process, number);
        if (!link && was_closed(link.error())) continue;
        if (!link) return tl::unexpected(link.error());
        if (const auto inode = socket_inode(*link)) sockets.push_back(*inode);
        if (auto database = deleted_database(*link))
            found.deleted_databases.push_back(std::move(*database));
        found.has_lease = found.has_lease || parse_lease_path(*link).has_value();
    }
    add_sockets(sockets, by_inode, found);
    return found;
}

Result<std::vector<LockedFile>> locked_files_of(int process, const DescriptorAccount& account) {
    const auto numbers = account.list(process, "fdinfo");
    if (!numbers) return tl::unexpected(numbers.error());
    std::vector<LockedFile> files;
    for (const int number : *numbers) {
        auto locks = locks_of(process, number);
        if (!locks && was_closed(locks.error())) continue;
        if (!locks) return tl::unexpected(std::move(locks.error()));
        if (locks->empty()) continue;
        auto path = link_of(process, number);
        if (!path && was_closed(path.error())) continue;
        if (!path) return tl::unexpected(std::move(path.error()));
        files.push_back({std::move(*path), std::move(*locks)});
    }
    return files;
}

}  // namespace reaper::scanner
