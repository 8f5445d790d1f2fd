#include "scanner/claims.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>

#include "scanner/claim_text.hpp"
#include "scanner/fd.hpp"
#include "scanner/linux/directory.hpp"
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

// Puts what the text says into claims that are copies of `blank`.
using Interpreter = std::function<Result<std::vector<Claim>>(const Claim& blank, std::string_view text)>;

Result<std::vector<Claim>> one(Claim claim, Pid pid) {
    claim.pid = pid;
    return std::vector{std::move(claim)};
}

Result<std::vector<Claim>> interpret_bare(const Claim& blank, std::string_view text) {
    return parse_bare_pid(text).and_then([&](Pid pid) { return one(blank, pid); });
}

Result<std::vector<Claim>> interpret_owner(const Claim& blank, std::string_view text) {
    return parse_bare_pid(text).and_then([&](Pid pid) {
        Claim claim = blank;
        claim.spawner = pid;
        return one(std::move(claim), 0);
    });
}

Result<std::vector<Claim>> interpret_gateway(const Claim& blank, std::string_view text) {
    return parse_gateway_record(text).and_then([&](const GatewayRecord& record) {
        Claim claim = blank;
        claim.start_ticks = record.start_ticks;
        return one(std::move(claim), record.pid);
    });
}

Result<std::vector<Claim>> interpret_desktop(const Claim& blank, std::string_view text) {
    return parse_desktop_lock(text).and_then([&](Pid pid) { return one(blank, pid); });
}

// The seconds in the marker are when the update began, not when the updater started: they are not a start to compare
// with.
Result<std::vector<Claim>> interpret_marker(const Claim& blank, std::string_view text) {
    return parse_update_marker(text).and_then([&](const UpdateMarker& marker) { return one(blank, marker.pid); });
}

Result<std::vector<Claim>> claims_of(const Claim& blank, const Result<Ledger>& ledger) {
    if (!ledger) return tl::unexpected(ledger.error());
    std::vector<Claim> claims;
    for (const LedgerEntry& entry : ledger->entries) {
        Claim& claim = claims.emplace_back(blank);
        claim.pid = entry.pid;
        claim.start_epoch = entry.start_epoch;
        claim.start_ticks = entry.start_ticks;
        claim.spawner = entry.spawner;
        claim.spawner_start_epoch = entry.spawner_start_epoch;
        claim.spawner_start_ticks = entry.spawner_start_ticks;
    }
    if (ledger->malformed > 0) claims.emplace_back(blank).access = Access::malformed;
    return claims;
}

Result<std::vector<Claim>> interpret_ledger(const Claim& blank, std::string_view text) {
    return claims_of(blank, parse_ledger(text));
}

Result<std::vector<Claim>> interpret_headless(const Claim& blank, std::string_view text) {
    return claims_of(blank, parse_headless_registry(text));
}

Result<std::vector<Claim>> interpret_processes(const Claim& blank, std::string_view text) {
    return claims_of(blank, parse_process_registry(text));
}

// A file that was planted to mislead, or could be: the claim says so, and names nobody.
bool trustworthy(const struct stat& status, Uid uid) {
    return S_ISREG(status.st_mode) && status.st_nlink == 1 && (status.st_uid == uid || status.st_uid == 0);
}

double epoch_of(const timespec& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::vector<Claim> read_found_claim(const FoundFile& file, const Home& home, Claim blank,
                                    const Interpreter& interpret) {
    blank.owner = file.status.st_uid;
    blank.written_epoch = epoch_of(file.status.st_mtim);
    blank.access = Access::denied;
    if (!trustworthy(file.status, home.uid)) return {std::move(blank)};
    const auto text = read_found(file, kMaxSize);
    if (!text && text.error().code != std::errc::file_too_large) return {std::move(blank)};
    blank.access = Access::ok;
    auto claims = text ? interpret(blank, *text) : failure(std::errc::file_too_large, "read", blank.path);
    if (claims) return std::move(*claims);
    blank.access = Access::malformed;
    return {std::move(blank)};
}

Claim blank_claim(const Home& home, ClaimKind kind, const std::string& name) {
    Claim claim;
    claim.kind = kind;
    claim.path = home.path + "/" + name;
    claim.home = home.path;
    claim.scope = home.uid;
    claim.access = Access::denied;
    return claim;
}

// What else stands in the way of a look (a link, no right) may hide a claim.
bool proves_absence(const Error& error) {
    return error.code == std::errc::no_such_file_or_directory || error.code == std::errc::not_a_directory;
}

std::vector<Claim> read_claim(const Home& home, ClaimKind kind, const std::string& name, const Interpreter& interpret) {
    Claim blank = blank_claim(home, kind, name);
    if (!home.directory) return {std::move(blank)};
    const auto file = find_below(home.directory.get(), name.c_str());
    if (!file && proves_absence(file.error())) return {};
    if (!file) return {std::move(blank)};
    if (file->status.st_nlink == 0) return {};  // deleted just now
    return read_found_claim(*file, home, std::move(blank), interpret);
}

// None: there is no such home. A home without a directory is there, but could not be opened.
std::optional<Home> open_home(const std::string& path, Uid uid) {
    Fd directory(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const bool absent = !directory && (errno == ENOENT || errno == ENOTDIR);
    if (absent) return std::nullopt;
    return Home{std::move(directory), path, uid};
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

void append(std::vector<Claim>& claims, std::vector<Claim> more) {
    std::ranges::move(more, std::back_inserter(claims));
}

// One claim for each name of the folder that `file_of` finds a file for; one for the folder itself where it cannot be
// listed.
template <class FileOf>
std::vector<Claim> read_folder(const Home& home, ClaimKind kind, const char* folder, FileOf file_of,
                               const Interpreter& interpret) {
    const auto names = names_below(home, folder);
    if (!names && proves_absence(names.error())) return {};
    if (!names) return {blank_claim(home, kind, folder)};
    std::vector<Claim> claims;
    for (const std::string& name : *names) {
        if (const auto file = file_of(name)) append(claims, read_claim(home, kind, folder + ("/" + *file), interpret));
    }
    return claims;
}

std::optional<std::string> stdio_pid_file(const std::string& name) {
    return name.starts_with("bridge-stdio") && name.ends_with(".pid") ? std::optional(name) : std::nullopt;
}

std::optional<std::string> backend_lock(const std::string& name) {
    return name + "/backend.lock.json";
}

std::vector<Claim> read_data_home(const Home& home) {
    auto claims = read_claim(home, ClaimKind::bridge_pid, "daemon/bridge.pid", interpret_bare);
    append(claims, read_folder(home, ClaimKind::bridge_stdio_pid, "daemon", stdio_pid_file, interpret_bare));
    return claims;
}

std::vector<Claim> read_hermes_home(const Home& home) {
    auto claims = read_claim(home, ClaimKind::gateway_pid, "gateway.pid", interpret_gateway);
    append(claims, read_claim(home, ClaimKind::ledger, "spawn-ledger.json", interpret_ledger));
    append(claims, read_claim(home, ClaimKind::process_registry, "processes.json", interpret_processes));
    append(claims, read_claim(home, ClaimKind::update_marker, ".hermes-update-in-progress", interpret_marker));
    append(claims, read_folder(home, ClaimKind::desktop_lock, "desktop-ssh", backend_lock, interpret_desktop));
    return claims;
}

std::vector<Claim> read_plugin_root(const Home& root) {
    return read_claim(root, ClaimKind::headless_registry, "daemon/headless-bridges.json", interpret_headless);
}

std::vector<Claim> read_socket_folder(const Home& folder) {
    const auto names = folder.directory ? list_at(folder.directory.get(), ".", kMaxNames)
                                        : failure(std::errc::permission_denied, "list", folder.path);
    if (!names) return {blank_claim(folder, ClaimKind::browser_owner, "*.owner_pid")};
    std::vector<Claim> claims;
    for (const std::string& name : *names) {
        if (name.ends_with(".owner_pid"))
            append(claims, read_claim(folder, ClaimKind::browser_owner, name, interpret_owner));
    }
    return claims;
}

Reading<ProcessRow> look_up(const Procfs& procfs, Pid pid) {
    if (pid <= 0) return {};
    auto row = read_row(procfs, pid);
    return row ? Reading<ProcessRow>::of(std::move(*row)) : Reading<ProcessRow>::failed(access_of(row.error().code));
}

template <class Reader>
void read_homes(const std::vector<std::string>& homes, Uid uid, Reader read, std::vector<Claim>& claims) {
    for (const std::string& path : homes) {
        if (const auto home = open_home(path, uid)) append(claims, read(*home));
    }
}

}  // namespace

std::vector<Claim> read_claims(const Procfs& procfs, const ClaimPlaces& places) {
    std::vector<Claim> claims;
    read_homes(places.data_homes, places.uid, read_data_home, claims);
    read_homes(places.hermes_homes, places.uid, read_hermes_home, claims);
    read_homes(places.plugin_roots, places.uid, read_plugin_root, claims);
    read_homes(places.socket_folders, places.uid, read_socket_folder, claims);
    for (Claim& claim : claims) {
        claim.named = look_up(procfs, claim.pid);
        claim.spawner_row = look_up(procfs, claim.spawner);
    }
    std::ranges::sort(claims, {}, [](const Claim& claim) { return std::tie(claim.path, claim.pid); });
    return claims;
}

}  // namespace reaper::scanner
