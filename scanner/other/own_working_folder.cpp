#include "scanner/own_working_folder.hpp"

#include <filesystem>
#include <system_error>

namespace reaper::scanner {

Result<std::string> read_own_working_folder() {
    std::error_code failed;
    auto path = std::filesystem::current_path(failed);
    if (failed) return failure(std::errc::no_such_file_or_directory, "find", "this folder");
    return path.string();
}

}  // namespace reaper::scanner
