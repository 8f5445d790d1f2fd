#include "agent/system/lock_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <tuple>

#include <fmt/format.h>

#include "scanner/regular_file.hpp"

namespace reaper::agent {

bool belongs_to(const struct stat& status, scanner::Uid user) {
    return S_ISREG(status.st_mode) && status.st_uid == user && status.st_nlink == 1;
}

bool is_deleted(const Fd& file) {
    const auto status = scanner::stat_cached(file.get());
    return status && status->links == 0;
}

Result<bool> make_state_folder(const std::string& folder) {
    std::error_code error;
    const bool made = std::filesystem::create_directories(folder, error);
    if (error) return tl::unexpected(Error{error, "create", folder});
    if (made && ::geteuid() == 0) std::ignore = ::chmod(folder.c_str(), 0755);
    return made;
}

// A file that is closed is flushed (fs/open.c, filp_flush), and each copy of this program closes
// what it was born with: where the file system hangs, all would wait for that. A folder has nothing
// to be flushed. To read it will do: a service may see the home of its user and not write there.
Result<Fd> open_lock_folder(const std::string& folder, const std::string& name) {
    if (folder.empty())
        return failure(std::errc::no_such_file_or_directory, "find", "a folder for the lock");
    const auto made = make_state_folder(folder);
    const std::string path = fmt::format("{}/{}", folder, name);
    const bool is_there = ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
    const auto trouble = made ? system_failure("make", path) : tl::unexpected(made.error());
    Fd lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    struct stat status{};
    if (!lock || ::fstat(lock.get(), &status) != 0)
        return is_there ? system_failure("open", path) : trouble;
    if (status.st_uid != ::geteuid())
        return failure(std::errc::operation_not_permitted, "use", path);
    return lock;
}

Result<Fd> open_lock_folder(const std::vector<std::string>& folders, const std::string& name) {
    Result<Fd> lock =
        failure(std::errc::no_such_file_or_directory, "find", "a folder for the lock");
    for (const std::string& folder : folders) {
        if (!lock) lock = open_lock_folder(folder, name);
    }
    return lock;
}

}  // namespace reaper::agent
