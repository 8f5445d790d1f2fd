#include "scanner/own_working_folder.hpp"

#include <unistd.h>

#include <utility>

#include "scanner/process_table.hpp"

namespace reaper::scanner {

Result<std::string> read_own_working_folder() {
    const auto table = ProcessTable::open();
    if (!table) return tl::unexpected(table.error());
    auto cwd = read_working_folder(*table, ::getpid());
    if (!cwd.ok()) return failure(std::errc::no_such_file_or_directory, "find", "this folder");
    return std::move(cwd.value);
}

}  // namespace reaper::scanner
