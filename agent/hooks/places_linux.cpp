#include "agent/hooks/places.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include <fmt/format.h>

#include "agent/reading/bounded_reader.hpp"
#include "agent/schedule/program.hpp"
#include "agent/system/environment.hpp"
#include "agent/system/system_calls.hpp"
#include "agent/system/text_file.hpp"
#include "scanner/users.hpp"

namespace reaper::agent {

namespace {

// Empty: it leads nowhere.
std::string resolved(const std::string& path) {
    char whole[PATH_MAX];
    return ::realpath(path.c_str(), whole) == nullptr ? std::string() : std::string(whole);
}

std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/'));
}

std::string folder_of_host(const HookHost& host, const std::string& home) {
    const std::string said =
        host.variable.empty() ? "" : variable(std::string(host.variable).c_str());
    return said.starts_with('/') ? fmt::format("{}{}", said, host.below)
                                 : fmt::format("{}/{}", home, host.folder);
}

bool is_folder(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string refuse_owner(const std::string& path, const struct stat& status) {
    if (status.st_uid == ::geteuid()) return {};
    return fmt::format("is not changed: {} belongs to user {}, and this runs as user {}", path,
                       status.st_uid, ::geteuid());
}

// The nearest folder that is there has to be the caller's own.
std::string refuse_folder(std::string folder) {
    struct stat status{};
    while (::stat(folder.c_str(), &status) != 0) {
        if (errno != ENOENT || folder.empty()) return "is in a folder that cannot be looked at";
        folder = folder_of(folder);
    }
    return refuse_owner(folder, status);
}

std::string refuse_file(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return "is a link that leads nowhere";
    if (!S_ISREG(status.st_mode)) return "is no regular file";
    if (std::string why = refuse_owner(path, status); !why.empty()) return why;
    if (status.st_nlink > 1)
        return fmt::format("has {} names (hard links), of which a change would keep one",
                           status.st_nlink);
    return refuse_folder(folder_of(resolved(path)));
}

// none: there is no such file.
std::optional<std::string> read(const std::string& path, std::string& trouble) {
    auto text = read_file_up_to(path, kMostOfHookFile);
    if (text) return *std::move(text);
    if (text.error().code != std::errc::no_such_file_or_directory) trouble = describe(text.error());
    return std::nullopt;
}

void look_at(HookFile& file) {
    file.has_folder = is_folder(folder_of(file.path));
    struct stat status{};
    if (::lstat(file.path.c_str(), &status) != 0) {
        const std::string folder = resolved(folder_of(file.path));
        file.target = folder.empty() ? file.path : folder + file.path.substr(file.path.rfind('/'));
        file.refusal = refuse_folder(folder_of(file.target));
    } else {
        file.target = resolved(file.path);
        file.refusal = refuse_file(file.path);
        if (!file.target.empty()) file.text = read(file.target, file.trouble);
    }
    file.backup = read(backup_of(file.path), file.trouble);
}

Result<void> expect_unchanged(const HookChange& change) {
    std::string trouble;
    if (read(change.target, trouble) == change.before && trouble.empty()) return {};
    return failure(std::errc::text_file_busy, "change",
                   change.path + ", which has changed meanwhile: try again");
}

Result<void> change_backup(const HookChange& change) {
    const std::string path = backup_of(change.path);
    if (change.backup == HookChange::Backup::write)
        return replace_file(path, change.backup_text, std::nullopt);
    const bool gone = change.backup == HookChange::Backup::keep || ::unlink(path.c_str()) == 0;
    return gone || errno == ENOENT ? Result<void>{} : system_failure("remove", path);
}

Result<void> change_file(const HookChange& change) {
    const std::string folder = folder_of(change.target);
    if (change.makes_folder && ::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
        return system_failure("make", folder);
    if (change.after) return replace_file(change.target, *change.after, 0666);
    if (::unlink(change.target.c_str()) != 0) return system_failure("remove", change.path);
    // Something else in it keeps it.
    if (change.removes_folder) ::rmdir(folder.c_str());
    return {};
}

}  // namespace

Result<std::string> home_of_caller() {
    std::string said = variable("HOME");
    if (::geteuid() != 0 && said.starts_with('/')) return said;
    const auto user = scanner::find_user(::geteuid());
    if (!user) return tl::unexpected(user.error());
    if (!*user) return failure(std::errc::no_such_file_or_directory, "find", "the home");
    return (*user)->home;
}

HookPlace find_hook_place(const HookHost& host, const std::string& home) {
    const std::string folder = folder_of_host(host, home);
    HookPlace place{.host = &host, .file = {.path = fmt::format("{}/{}", folder, host.file)}};
    if (const auto answers = expect_answer(place.file.path); !answers) {
        place.is_there = true;
        place.file.trouble = describe(answers.error());
        return place;
    }
    place.is_there = is_folder(folder);
    if (place.is_there) look_at(place.file);
    return place;
}

// Hosts that a desktop has started have not the PATH of a shell.
HookProgram find_hook_program() {
    constexpr std::array<const char*, 3> kFolders = {"/usr/local/bin", "/usr/bin", "/bin"};
    HookProgram program{.name = own_program_path()};
    program.refusal = refuse_path(program.name);
    if (program.refusal.empty()) program.refusal = refuse_place(program.name, ::geteuid());
    if (!program.refusal.empty()) program.name.clear();
    for (const char* folder : kFolders) {
        const std::string path = std::string(folder) + "/orphan-reaper";
        if (::access(path.c_str(), X_OK) != 0) continue;
        if (!program.name.empty() && resolved(path) == program.name) program.name = "orphan-reaper";
        break;
    }
    return program;
}

// A copy is there before the file is another one, and until it is the old one again.
Result<void> carry_out(const HookChange& change) {
    if (auto same = expect_unchanged(change); !same) return same;
    const bool first = change.backup == HookChange::Backup::write;
    auto done = first ? change_backup(change) : Result<void>{};
    if (done && change.changes_file()) done = change_file(change);
    return done && !first ? change_backup(change) : done;
}

}  // namespace reaper::agent
