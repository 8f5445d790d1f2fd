#include "scanner/linux/descriptors.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "scanner/linux/directory.hpp"
#include "scanner/linux/read_file.hpp"
#include "scanner/number.hpp"
#include "scanner/reading.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kFdinfoLimit = 64 * 1024;  // inotify and epoll list what they watch

bool was_closed(const Error& error) {
    return access_of(error.code) == Access::gone;
}

// "socket:[4711]"
std::optional<std::uint64_t> socket_inode(std::string_view link) {
    constexpr std::string_view kStart = "socket:[";
    if (!link.starts_with(kStart) || !link.ends_with(']')) return std::nullopt;
    return to_number<std::uint64_t>(link.substr(kStart.size(), link.size() - kStart.size() - 1));
}

// SQLite's write-ahead log. Without a name it is lost to whoever opens the database next. A file can be named so: this proves
// nothing, and is only told.
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

Result<OpenFiles> open_files_of(int process, const std::vector<DiagSocket>& listening) {
    std::unordered_map<std::uint64_t, const DiagSocket*> by_inode;
    for (const DiagSocket& socket : listening) by_inode.emplace(socket.inode, &socket);
    const auto numbers = list_numbers_at(process, "fd");
    if (!numbers) return tl::unexpected(numbers.error());
    OpenFiles found;
    for (const int number : *numbers) {
        const auto link = link_of(process, number);
        if (!link && was_closed(link.error())) continue;
        if (!link) return tl::unexpected(link.error());
        const auto inode = socket_inode(*link);
        const auto socket = inode ? by_inode.find(*inode) : by_inode.end();
        if (socket != by_inode.end()) found.listeners.push_back(listener_from(*socket->second));
        if (auto database = deleted_database(*link)) found.deleted_databases.push_back(std::move(*database));
    }
    return found;
}

Result<std::vector<LockedFile>> locked_files_of(int process) {
    const auto numbers = list_numbers_at(process, "fdinfo");
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
