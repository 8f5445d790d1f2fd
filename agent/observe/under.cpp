#include "agent/observe/under.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/reading/bounded_reader.hpp"
#include "agent/rules/sources.hpp"
#include "agent/system/exit_status.hpp"
#include "policy/text/escape.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/own_working_folder.hpp"

namespace reaper::agent {

namespace {

namespace fs = std::filesystem;

struct Found {
    UnderFolder folder;
    bool is_folder = true;               // what is left of its path is one
    std::vector<std::string> own_homes;  // by the password file, and by HOME
};

}  // namespace

template <>
struct MembersOf<Found> {
    static auto tie(Is<Found> auto& it) {
        auto& [folder, is_folder, own_homes] = it;
        return std::tie(folder.names, folder.home, is_folder, own_homes);
    }
};

namespace {

using policy::escape;

std::string real_path(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                           &std::free);
    return real ? std::string(real.get()) : std::string();
}

// As a shell knows its working folder, if that is the one: programs are started by such paths.
std::string working_folder_by_links() {
    const char* shown = std::getenv("PWD");
    const bool is_it = shown != nullptr && *shown == '/' && real_path(shown) == real_path(".");
    return is_it ? shown : std::string();
}

// Nothing where links play no part.
std::optional<std::string> name_by_links(const std::string& typed, const std::string& real) {
    fs::path whole = typed;
    if (whole.is_relative()) whole = working_folder_by_links() / whole;
    whole = whole.lexically_normal();
    if (!whole.has_filename()) whole = whole.parent_path();
    const bool is_it = whole.is_absolute() && whole != real && real_path(whole.string()) == real;
    return is_it ? std::optional(whole.string()) : std::nullopt;
}

UnderFolder resolve(fs::path left) {
    fs::path gone;
    std::string real;
    while ((real = real_path(left.string())).empty() && left.has_relative_path()) {
        gone = gone.empty() ? left.filename() : left.filename() / gone;
        left = left.parent_path();
    }
    return {{gone.empty() ? real : (fs::path(real) / gone).string()}, real};
}

// A path without links, "." and "..": by the file system where it exists, by its letters elsewhere.
Result<fs::path> spell_out(const std::string& typed) {
    if (std::string real = real_path(typed); !real.empty()) return real;
    fs::path whole = typed;
    if (whole.is_relative()) {
        const auto base = scanner::read_own_working_folder();
        if (!base) return tl::unexpected(base.error());
        whole = fs::path(*base) / whole;
    }
    whole = whole.lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
}

Result<Found> find_in_place(const std::string& typed) {
    if (!scanner::may_read(::geteuid(), typed)) return failure(std::errc::timed_out, "read", typed);
    const auto path = spell_out(typed);
    if (!path) return tl::unexpected(path.error());
    const char* home = std::getenv("HOME");
    UnderFolder folder = resolve(*path);
    if (auto name = name_by_links(typed, folder.names.front()))
        folder.names.push_back(std::move(*name));
    std::error_code unseen;
    const bool is_folder = fs::is_directory(folder.home, unseen);
    return Found{std::move(folder),
                 is_folder,
                 {real_path(own_home()), real_path(home == nullptr ? "" : home)}};
}

// The whole machine, or all that a user has, is no project.
bool is_too_wide(const Found& found) {
    const std::string& path = found.folder.names.front();
    return path == "/" || std::ranges::any_of(found.own_homes, [&](const std::string& home) {
               return (home + "/").starts_with(path + "/");
           });
}

}  // namespace

tl::expected<UnderFolder, Message> find_under(const std::string& typed) {
    if (typed.empty()) return UnderFolder{};
    const auto found = read_bounded<Found>([&] { return find_in_place(typed); });
    if (!found)
        return tl::unexpected(Message{
            fmt::format("orphan-reaper: --under: {}\n", escape(describe(found.error()), 2000)),
            static_cast<int>(ExitStatus::incomplete)});
    if (!found->is_folder)
        return tl::unexpected(usage_error(
            fmt::format("--under {}: expected a folder, not a file", escape(typed, 200))));
    if (!is_too_wide(*found)) return found->folder;
    return tl::unexpected(usage_error(
        fmt::format("--under {}: expected a folder of a project; this is /, a home folder, or one "
                    "above it",
                    escape(typed, 200))));
}

}  // namespace reaper::agent
