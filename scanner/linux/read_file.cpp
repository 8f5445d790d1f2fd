#include "scanner/read_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "scanner/fd.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kFirstRead = 4096;
constexpr std::size_t kPiece = 65536;

ssize_t read_some(int fd, std::string& bytes, std::size_t used) {
    ssize_t got = 0;
    do {
        got = ::read(fd, bytes.data() + used, bytes.size() - used);
    } while (got < 0 && errno == EINTR);
    return got;
}

}  // namespace

Result<FileText> read_at(int directory, const char* path, std::size_t limit) {
    const Fd file(::openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) return system_failure("open", path);
    FileText text;
    std::size_t used = 0;
    // One byte more than allowed tells a file that just fits from one that was cut off.
    while (used <= limit) {
        if (used == text.bytes.size())
            text.bytes.resize(std::min(limit + 1, std::max(kFirstRead, used * 2)));
        const ssize_t got = read_some(file.get(), text.bytes, used);
        if (got < 0) return system_failure("read", path);
        if (got == 0) break;
        used += static_cast<std::size_t>(got);
    }
    text.truncated = used > limit;
    text.bytes.resize(std::min(used, limit));
    return text;
}

Result<void> read_pieces_at(int directory, const char* path, std::size_t limit,
                            const std::function<Result<void>(std::string_view)>& take) {
    const Fd file(::openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) return system_failure("open", path);
    std::string piece(kPiece, '\0');
    for (std::size_t left = limit + 1;;) {
        const ssize_t got = read_some(file.get(), piece, 0);
        if (got < 0) return system_failure("read", path);
        if (got == 0) return {};
        if (static_cast<std::size_t>(got) >= left)
            return failure(std::errc::file_too_large, "read", path);
        left -= static_cast<std::size_t>(got);
        if (auto taken = take(std::string_view(piece).substr(0, static_cast<std::size_t>(got)));
            !taken)
            return taken;
    }
}

Result<void> read_lines_at(int directory, const char* path, std::chrono::milliseconds most_time,
                           const std::function<Result<void>(std::string_view)>& take) {
    const auto end = std::chrono::steady_clock::now() + most_time;
    const Fd file(::openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) return system_failure("open", path);
    std::string piece(kPiece, '\0');
    std::size_t begun = 0;  // length of the line whose end is still missing
    for (;;) {
        if (std::chrono::steady_clock::now() >= end)
            return failure(std::errc::stream_timeout, "read all of", path);
        if (begun == piece.size()) return failure(std::errc::file_too_large, "read", path);
        const ssize_t got = read_some(file.get(), piece, begun);
        if (got < 0) return system_failure("read", path);
        const std::string_view text(piece.data(), begun + static_cast<std::size_t>(got));
        const std::size_t whole = got == 0 ? text.size() : text.rfind('\n') + 1;  // npos + 1: none
        if (auto taken = take(text.substr(0, whole)); !taken || got == 0) return taken;
        begun = text.size() - whole;
        piece.replace(0, begun, piece, whole, begun);
    }
}

Result<std::string> read_link_at(int directory, const char* path) {
    std::array<char, PATH_MAX> target;
    const ssize_t length = ::readlinkat(directory, path, target.data(), target.size());
    if (length < 0) return system_failure("read the link", path);
    if (static_cast<std::size_t>(length) == target.size()) {
        return failure(std::errc::filename_too_long, "read the link", path);
    }
    return std::string(target.data(), static_cast<std::size_t>(length));
}

}  // namespace reaper::scanner
