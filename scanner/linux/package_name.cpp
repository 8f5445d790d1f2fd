#include "scanner/linux/package_name.hpp"

#include <fcntl.h>

#include <optional>
#include <string_view>

#include "scanner/access_guard.hpp"
#include "scanner/fd.hpp"
#include "scanner/json/package_json.hpp"
#include "scanner/linux/rooted_file.hpp"
#include "scanner/parse/script_path.hpp"

namespace reaper::scanner {

namespace {

constexpr int kMaxFolders = 16;
constexpr std::size_t kMaxSize = 64 * 1024;

using Name = Reading<std::string>;

// None: not in this folder, continue upwards.
std::optional<Name> name_in_folder(int root, std::string_view folder) {
    const auto file = find_in_root(root, std::string(folder).append("/package.json").c_str());
    if (!file) {
        const bool not_here = file.error().code == std::errc::not_a_directory;
        const Access access = access_of(file.error().code);
        if (not_here || access == Access::gone) return std::nullopt;
        return Name::failed(access);
    }
    const auto text = read_found(*file, kMaxSize);
    if (!text) {
        const bool odd = text.error().code == std::errc::not_supported ||
                         text.error().code == std::errc::file_too_large;
        return Name::failed(odd ? Access::malformed : Access::denied);
    }
    auto name = parse_package_name(*text);
    if (!name) return Name::failed(Access::malformed);
    if (!*name) return std::nullopt;
    return Name::of(std::move(**name));
}

}  // namespace

Reading<std::string> read_package_name(int process, Uid user, const std::string& script) {
    if (!may_read(user, folder_of(script))) return Name::failed(Access::denied);
    const Fd root(::openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return Name::failed(Access::denied);
    std::string_view folder = folder_of(script);
    for (int level = 0; level < kMaxFolders; ++level) {
        if (auto name = name_in_folder(root.get(), folder)) return *name;
        if (folder == "/") break;
        folder = folder_of(folder);
    }
    // If the script was deleted together with the folders above it, nothing is known about it.
    return Name::failed(find_in_root(root.get(), script.c_str()) ? Access::gone : Access::denied);
}

}  // namespace reaper::scanner
