#include "scanner/linux/leases.hpp"

#include <fcntl.h>

#include <string_view>

#include "scanner/access_guard.hpp"
#include "scanner/fd.hpp"
#include "scanner/json/text_at.hpp"
#include "scanner/linux/rooted_file.hpp"
#include "scanner/parse/lease_path.hpp"
#include "scanner/parse/script_path.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kMaxSize = 256 * 1024;

using Generation = Reading<std::string>;

// The record names the virtual environment, which lies in the folder of its generation.
Generation selected_in(std::string_view record) {
    constexpr std::string_view kPath[] = {"packages", "venv", "environment"};
    const auto environment = json::text_at(record, kPath);
    if (!environment) return Generation::failed(Access::malformed);
    if (!*environment) return Generation::failed(Access::gone);
    const std::string_view folder = folder_of(**environment);
    return Generation::of(std::string(folder.substr(folder.rfind('/') + 1)));
}

Generation read_selected(int process, Uid user, const std::string& install) {
    if (!may_read(user, install)) return Generation::failed(Access::denied);
    const Fd root(::openat(process, "root", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root) return Generation::failed(Access::denied);
    const auto file = find_in_root(root.get(), (install + "/facts.json").c_str());
    if (!file) return Generation::failed(access_of(file.error().code));
    const auto text = read_found(*file, kMaxSize);
    return text ? selected_in(*text) : Generation::failed(access_of(text.error().code));
}

}  // namespace

std::vector<Lease> read_leases(int process, Uid user, const std::vector<std::string>& locked) {
    std::vector<Lease> leases;
    for (const std::string& path : locked) {
        const auto found = parse_lease_path(path);
        if (!found) continue;
        std::string install(found->install);
        auto selected = read_selected(process, user, install);
        leases.push_back({std::move(install), std::string(found->generation), std::move(selected)});
    }
    return leases;
}

}  // namespace reaper::scanner
