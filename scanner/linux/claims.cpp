#include "scanner/claims.hpp"

#include <fcntl.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>

#include "scanner/claim_files.hpp"
#include "scanner/claim_interpreters.hpp"
#include "scanner/fd.hpp"
#include "scanner/linux/directory.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kMaxSize = 256 * 1024;
constexpr std::size_t kMaxNames = 4096;  // in one folder

struct Home {
    Fd directory;
    std::string path;
    Uid uid = 0;
};

// A file that was planted to mislead, or could be: the claim says so, and names nobody.
bool trustworthy(const struct stat& status, Uid uid) {
    return S_ISREG(status.st_mode) && status.st_nlink == 1 && (status.st_uid == uid || status.st_uid == 0);
}

double epoch_of(const FileStamp& stamp) {
    return static_cast<double>(stamp.written_s) + static_cast<double>(stamp.written_ns) / 1e9;
}

FileForm form_of(mode_t mode) {
    if (S_ISREG(mode)) return FileForm::regular;
    if (S_ISLNK(mode)) return FileForm::link;
    if (S_ISDIR(mode)) return FileForm::folder;
    if (S_ISFIFO(mode)) return FileForm::fifo;
    return S_ISSOCK(mode) ? FileForm::socket : FileForm::device;
}

FileStamp stamp_of(const struct stat& status) {
    return {status.st_dev, status.st_ino,  form_of(status.st_mode), status.st_mode & 07777U, status.st_nlink,
            status.st_uid, status.st_size, status.st_mtim.tv_sec,   status.st_mtim.tv_nsec};
}

ClaimFile blank_file(const Home& home, ClaimKind kind, const std::string& name) {
    ClaimFile file;
    file.kind = kind;
    file.home = home.path;
    file.name = name;
    file.path = home.path + "/" + name;
    file.scope = home.uid;
    return file;
}

Claim blank_claim(const ClaimFile& file) {
    Claim claim;
    claim.kind = file.kind;
    claim.path = file.path;
    claim.home = file.home;
    claim.scope = file.scope;
    claim.owner = file.stamp.owner;
    claim.written_epoch = epoch_of(file.stamp);
    claim.access = Access::denied;
    return claim;
}

ClaimFile unreadable(ClaimFile file) {
    file.claims = {blank_claim(file)};
    return file;
}

// Fills in what was found there.
ClaimFile read_into(ClaimFile file, const FoundFile& found) {
    file.found = true;
    file.stamp = stamp_of(found.status);
    if (!trustworthy(found.status, file.scope)) return unreadable(std::move(file));
    auto text = read_found(found, kMaxSize);
    if (!text && text.error().code != std::errc::file_too_large) return unreadable(std::move(file));
    Claim blank = blank_claim(file);
    blank.access = Access::ok;
    auto claims = text ? interpret_claims(blank, *text) : failure(std::errc::file_too_large, "read", file.path);
    if (text) file.text = std::move(*text);
    blank.access = Access::malformed;
    file.claims = claims ? std::move(*claims) : std::vector{std::move(blank)};
    return file;
}

// What else stands in the way of a look (a link, no right) may hide a claim.
bool proves_absence(const Error& error) {
    return error.code == std::errc::no_such_file_or_directory || error.code == std::errc::not_a_directory;
}

using Files = std::vector<ClaimFile>;

void read_file(const Home& home, ClaimKind kind, const std::string& name, Files& files) {
    ClaimFile file = blank_file(home, kind, name);
    const auto found = home.directory ? find_below(home.directory.get(), name.c_str())
                                      : failure(std::errc::permission_denied, "open", home.path);
    if (!found && proves_absence(found.error())) return;
    if (found && found->status.st_nlink == 0) return;  // deleted just now
    files.push_back(found ? read_into(std::move(file), *found) : unreadable(std::move(file)));
}

// None: there is no such home. A home without a directory is there, but could not be opened.
std::optional<Home> open_home(const std::string& path, Uid uid) {
    auto directory = open_claim_home(path);
    if (!directory && proves_absence(directory.error())) return std::nullopt;
    return Home{directory ? std::move(*directory) : Fd(), path, uid};
}

// Names in a folder below a home, which like the files is reached through no link.
Result<std::vector<std::string>> names_below(const Home& home, const char* folder) {
    if (!home.directory) return failure(std::errc::permission_denied, "list", folder);
    const auto found = find_below(home.directory.get(), folder);
    if (!found) return tl::unexpected(found.error());
    // Found is the link itself; not a folder would be no reason to suspect anything.
    if (S_ISLNK(found->status.st_mode)) return failure(std::errc::too_many_symbolic_link_levels, "list", folder);
    return list_at(found->path.get(), ".", kMaxNames);
}

// One file for each name of the folder that `file_of` finds one for; the folder itself where it cannot be listed.
template <class FileOf>
void read_folder(const Home& home, ClaimKind kind, const char* folder, FileOf file_of, Files& files) {
    const auto names = names_below(home, folder);
    if (!names && proves_absence(names.error())) return;
    if (!names) return files.push_back(unreadable(blank_file(home, kind, folder)));
    for (const std::string& name : *names) {
        if (const auto file = file_of(name)) read_file(home, kind, folder + ("/" + *file), files);
    }
}

// The same in the folder itself.
void read_all_named(const Home& folder, ClaimKind kind, std::string_view ending, Files& files) {
    const auto names = folder.directory ? list_at(folder.directory.get(), ".", kMaxNames)
                                        : failure(std::errc::permission_denied, "list", folder.path);
    if (!names) return files.push_back(unreadable(blank_file(folder, kind, "*" + std::string(ending))));
    for (const std::string& name : *names) {
        if (name.ends_with(ending)) read_file(folder, kind, name, files);
    }
}

std::optional<std::string> stdio_pid_file(const std::string& name) {
    return name.starts_with("bridge-stdio") && name.ends_with(".pid") ? std::optional(name) : std::nullopt;
}

std::optional<std::string> backend_lock(const std::string& name) {
    return name + "/backend.lock.json";
}

void read_data_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::bridge_pid, "daemon/bridge.pid", files);
    read_folder(home, ClaimKind::bridge_stdio_pid, "daemon", stdio_pid_file, files);
}

void read_marker(const Home& home, Files& files) {
    read_file(home, ClaimKind::update_marker, ".hermes-update-in-progress", files);
}

void read_hermes_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::gateway_pid, "gateway.pid", files);
    read_file(home, ClaimKind::ledger, "spawn-ledger.json", files);
    read_file(home, ClaimKind::process_registry, "processes.json", files);
    read_marker(home, files);
    read_folder(home, ClaimKind::desktop_lock, "desktop-ssh", backend_lock, files);
}

void read_plugin_root(const Home& root, Files& files) {
    read_file(root, ClaimKind::headless_registry, "daemon/headless-bridges.json", files);
}

void read_socket_folder(const Home& folder, Files& files) {
    read_all_named(folder, ClaimKind::browser_owner, ".owner_pid", files);
}

// What protects nobody, so that only `pidfiles` reads it.

void read_rest_of_data_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::viewer_lock, "daemon/viewer-start.lock/owner", files);
}

void read_rest_of_hermes_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::gateway_lock, "gateway.lock", files);
    read_file(home, ClaimKind::whatsapp_bridge_pid, "whatsapp/session/bridge.pid", files);
}

void read_lock_folder(const Home& folder, Files& files) {
    read_all_named(folder, ClaimKind::gateway_scope_lock, ".lock", files);
}

void read_openclaw_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::openclaw_lock, "daemon/openclaw-runtime.lock/owner.json", files);
}

Reading<ProcessRow> look_up(const Procfs& procfs, Pid pid) {
    if (pid <= 0) return {};
    auto row = read_row(procfs, pid);
    return row ? Reading<ProcessRow>::of(std::move(*row)) : Reading<ProcessRow>::failed(access_of(row.error().code));
}

template <class Reader>
void read_homes(const std::vector<std::string>& homes, Uid uid, Reader read, Files& files) {
    for (const std::string& path : homes) {
        if (const auto home = open_home(path, uid)) read(*home, files);
    }
}

Files read_protecting(const ClaimPlaces& places) {
    Files files;
    read_homes(places.data_homes, places.uid, read_data_home, files);
    read_homes(places.hermes_homes, places.uid, read_hermes_home, files);
    read_homes(places.plugin_roots, places.uid, read_plugin_root, files);
    read_homes(places.socket_folders, places.uid, read_socket_folder, files);
    return files;
}

void look_up_named(const Procfs& procfs, std::vector<Claim>& claims) {
    for (Claim& claim : claims) {
        claim.named = look_up(procfs, claim.pid);
        claim.spawner_row = look_up(procfs, claim.spawner);
    }
}

// By path.
std::vector<Claim> claims_of(const Procfs& procfs, Files files) {
    std::vector<Claim> claims;
    for (ClaimFile& file : files) std::ranges::move(file.claims, std::back_inserter(claims));
    look_up_named(procfs, claims);
    std::ranges::sort(claims, {}, [](const Claim& claim) { return std::tie(claim.path, claim.pid); });
    return claims;
}

bool has_exited(Pid pid) {
    const auto handle = PidHandle::open(pid);
    return handle && handle->exited();
}

void look_up_named(const Procfs& procfs, ClaimFile& file) {
    look_up_named(procfs, file.claims);
    const bool one_zombie =
        file.claims.size() == 1 && file.claims[0].named.ok() && file.claims[0].named.value.state == 'Z';
    file.named_exited = one_zombie && has_exited(file.claims[0].pid);
}

void look_up_lock(const Procfs& procfs, ClaimFile& file) {
    if (file.kind != ClaimKind::gateway_pid && file.kind != ClaimKind::gateway_lock) return;
    const auto home = open_claim_home(file.home);
    file.lock = home ? find_lock(procfs, home->get(), "gateway.lock") : LockReading{LockState::unknown, 0};
}

}  // namespace

Result<Fd> open_claim_home(const std::string& path) {
    Fd directory(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return system_failure("open", path);
    return directory;
}

std::vector<ClaimFile> read_claim_files(const Procfs& procfs, const ClaimPlaces& places) {
    Files files = read_protecting(places);
    read_homes(places.data_homes, places.uid, read_rest_of_data_home, files);
    read_homes(places.hermes_homes, places.uid, read_rest_of_hermes_home, files);
    read_homes(places.lock_folders, places.uid, read_lock_folder, files);
    read_homes(places.openclaw_homes, places.uid, read_openclaw_home, files);
    for (ClaimFile& file : files) {
        look_up_named(procfs, file);
        look_up_lock(procfs, file);
    }
    std::ranges::sort(files, {}, &ClaimFile::path);
    return files;
}

ClaimFile read_again(const Procfs& procfs, const ClaimFile& file, int directory, const std::string& name) {
    ClaimFile fresh = file;
    fresh.found = false;
    fresh.stamp = {};
    fresh.text.clear();
    const auto found = find_below(directory, name.c_str());
    fresh = found ? read_into(std::move(fresh), *found) : unreadable(std::move(fresh));
    look_up_named(procfs, fresh);
    look_up_lock(procfs, fresh);
    return fresh;
}

std::vector<Claim> read_update_markers(const Procfs& procfs, const ClaimPlaces& places) {
    Files files;
    read_homes(places.hermes_homes, places.uid, read_marker, files);
    return claims_of(procfs, std::move(files));
}

std::vector<Claim> read_claims(const Procfs& procfs, const ClaimPlaces& places) {
    return claims_of(procfs, read_protecting(places));
}

}  // namespace reaper::scanner
