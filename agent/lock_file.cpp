#include "agent/lock_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <tuple>

#include <fmt/format.h>

namespace reaper::agent {

bool belongs_to(const struct stat& status, scanner::Uid user) {
    return S_ISREG(status.st_mode) && status.st_uid == user && status.st_nlink == 1;
}

bool is_deleted(const Fd& file) {
    struct stat status{};
    return ::fstat(file.get(), &status) == 0 && status.st_nlink == 0;
}

Result<bool> make_state_folder(const std::string& folder) {
    std::error_code error;
    const bool made = std::filesystem::create_directories(folder, error);
    if (error) return tl::unexpected(Error{error, "create", folder});
    if (made && ::geteuid() == 0) std::ignore = ::chmod(folder.c_str(), 0755);
    return made;
}

// Read-only will do for a lock: a service may see the home of its user and not write there.
Result<Fd> open_lock_file(const std::string& folder, const std::string& name) {
    if (folder.empty()) return failure(std::errc::no_such_file_or_directory, "find", "a folder for the lock");
    const auto made = make_state_folder(folder);
    const std::string path = fmt::format("{}/{}", folder, name);
    constexpr int kSafely = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    Fd file(::open(path.c_str(), O_RDWR | O_CREAT | kSafely, 0600));
    const auto trouble = made ? system_failure("open", path) : tl::unexpected(made.error());
    if (!file) file = Fd(::open(path.c_str(), O_RDONLY | kSafely));
    struct stat status{};
    if (!file || ::fstat(file.get(), &status) != 0) return trouble;
    if (!belongs_to(status, ::geteuid())) return failure(std::errc::operation_not_permitted, "use", path);
    return file;
}

Result<Fd> open_lock_file(const std::vector<std::string>& folders, const std::string& name) {
    Result<Fd> file = failure(std::errc::no_such_file_or_directory, "find", "a folder for the lock");
    for (const std::string& folder : folders) {
        if (!file) file = open_lock_file(folder, name);
    }
    return file;
}

}  // namespace reaper::agent
