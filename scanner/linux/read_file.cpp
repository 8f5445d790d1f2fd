#include "scanner/linux/read_file.hpp"

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
        if (used == text.bytes.size()) text.bytes.resize(std::min(limit + 1, std::max(kFirstRead, used * 2)));
        const ssize_t got = read_some(file.get(), text.bytes, used);
        if (got < 0) return system_failure("read", path);
        if (got == 0) break;
        used += static_cast<std::size_t>(got);
    }
    text.truncated = used > limit;
    text.bytes.resize(std::min(used, limit));
    return text;
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
