#include "scanner/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <limits>
#include <memory>
#include <string_view>

#include "scanner/linux/procfs.hpp"
#include "scanner/model/number.hpp"

namespace reaper::scanner {

namespace {

using Stream = std::unique_ptr<DIR, decltype([](DIR* stream) { ::closedir(stream); })>;

Result<Stream> open_stream(int directory, const char* path) {
    Fd fd(::openat(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!fd) return system_failure("open", path);
    Stream stream(::fdopendir(fd.get()));
    if (!stream) return system_failure("list", path);
    std::ignore = fd.release();  // the stream closes it
    return stream;
}

}  // namespace

Result<std::vector<std::string>> list_at(int directory, const char* path, std::size_t limit) {
    const auto stream = open_stream(directory, path);
    if (!stream) return tl::unexpected(stream.error());
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(stream->get())) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..") continue;
        if (names.size() == limit) return failure(std::errc::file_too_large, "list", path);
        names.emplace_back(name);
        errno = 0;
    }
    if (errno != 0) return system_failure("list", path);
    return names;
}

Result<std::vector<int>> list_numbers_at(int directory, const char* path, std::size_t limit) {
    const auto names = list_at(directory, path, limit);
    if (!names) return tl::unexpected(names.error());
    std::vector<int> numbers;
    numbers.reserve(names->size());
    for (const std::string& name : *names) {
        if (const auto number = to_number<int>(name)) numbers.push_back(*number);
    }
    return numbers;
}

Result<Fd> open_process(const ProcessTable& table, Pid pid) {
    const std::string name = std::to_string(pid);
    Fd fd(::openat(fd_of(table), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return system_failure("open", "/proc/" + name);
    return fd;
}

Result<std::uint64_t> namespace_at(int process, const char* path) {
    struct stat status{};
    if (::fstatat(process, path, &status, 0) != 0) return system_failure("look at", path);
    return status.st_ino;
}

}  // namespace reaper::scanner
