#include "scanner/regular_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace reaper::scanner {

namespace {

// Here every descriptor opens the file itself, so the flags keep that from waiting and from making
// a terminal ours.
constexpr int kReadOnly = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

Result<FoundFile> look_at(Fd fd, const char* path) {
    if (!fd) return system_failure("open", path);
    FoundFile file{std::move(fd), {}};
    if (::fstat(file.path.get(), &file.status) != 0) return system_failure("look at", path);
    return file;
}

}  // namespace

Result<FoundFile> find_through_links(int directory, const char* path) {
    return look_at(Fd(::openat(directory, path, kReadOnly)), path);
}

// Opens one component at a time, none of which may be a link.
Result<FoundFile> find_below(int directory, const char* path) {
    Fd folder;
    std::string_view rest = path;
    for (std::size_t slash = rest.find('/'); slash != rest.npos; slash = rest.find('/')) {
        const std::string name(rest.substr(0, slash));
        folder = Fd(::openat(folder ? folder.get() : directory, name.c_str(),
                             kReadOnly | O_DIRECTORY | O_NOFOLLOW));
        if (!folder) return system_failure("open", path);
        rest.remove_prefix(slash + 1);
    }
    const std::string name(rest);
    return look_at(
        Fd(::openat(folder ? folder.get() : directory, name.c_str(), kReadOnly | O_NOFOLLOW)),
        path);
}

Result<std::string> read_found(const FoundFile& file, std::size_t limit) {
    if (!S_ISREG(file.status.st_mode))
        return failure(std::errc::not_supported, "read", "what is no regular file");
    std::string bytes;
    std::array<char, 65536> piece;
    while (bytes.size() <= limit) {
        const ssize_t got =
            ::pread(file.path.get(), piece.data(), piece.size(), static_cast<off_t>(bytes.size()));
        if (got == 0) return bytes;
        if (got < 0 && errno != EINTR) return system_failure("read", "a file");
        if (got > 0) bytes.append(piece.data(), static_cast<std::size_t>(got));
    }
    return failure(std::errc::file_too_large, "read", "a file of that size");
}

}  // namespace reaper::scanner
