#include "scanner/linux/claim_reading.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "scanner/claim_interpreters.hpp"
#include "scanner/linux/directory.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kMaxSize = 256 * 1024UL;
constexpr std::size_t kMaxRecord = 16 * 1024 * 1024UL;
constexpr std::size_t kMaxNames = 4096;  // in one folder

// A file that was planted to mislead, or could be: the claim says so, and names nobody.
bool trustworthy(const struct stat& status, Uid uid) {
    return S_ISREG(status.st_mode) && status.st_nlink == 1 && (status.st_uid == uid || status.st_uid == 0);
}

double epoch_of(const FileStamp& stamp) {
    return static_cast<double>(stamp.written_s) + static_cast<double>(stamp.written_ns) / 1e9;
}

// Of all processes that were ever started, perhaps: it grows, and is never removed.
bool is_record(ClaimKind kind) {
    return kind == ClaimKind::ledger || kind == ClaimKind::headless_registry || kind == ClaimKind::process_registry;
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

// What else stands in the way of a look (a link, no right) may hide a claim.
bool proves_absence(const Error& error) {
    return error.code == std::errc::no_such_file_or_directory || error.code == std::errc::not_a_directory;
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

}  // namespace

Result<Fd> open_claim_home(const std::string& path) {
    Fd directory(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return system_failure("open", path);
    return directory;
}

std::optional<Home> open_home(const std::string& path, Uid uid) {
    auto directory = open_claim_home(path);
    if (!directory && proves_absence(directory.error())) return std::nullopt;
    return Home{directory ? std::move(*directory) : Fd(), path, uid};
}

ClaimFile unreadable(ClaimFile file) {
    file.claims = {blank_claim(file)};
    return file;
}

ClaimFile read_into(ClaimFile file, const FoundFile& found) {
    file.found = true;
    file.stamp = stamp_of(found.status);
    if (!trustworthy(found.status, file.scope)) return unreadable(std::move(file));
    auto text = read_found(found, is_record(file.kind) ? kMaxRecord : kMaxSize);
    if (!text) return unreadable(std::move(file));
    Claim blank = blank_claim(file);
    blank.access = Access::ok;
    auto claims = interpret_claims(blank, *text);
    if (!is_record(file.kind)) file.text = std::move(*text);
    blank.access = Access::malformed;
    file.claims = claims ? std::move(*claims) : std::vector{std::move(blank)};
    return file;
}

void read_file(const Home& home, ClaimKind kind, const std::string& name, Files& files) {
    ClaimFile file = blank_file(home, kind, name);
    const auto found = home.directory ? find_below(home.directory.get(), name.c_str())
                                      : failure(std::errc::permission_denied, "open", home.path);
    if (!found && proves_absence(found.error())) return;
    if (found && found->status.st_nlink == 0) return;  // deleted just now
    files.push_back(found ? read_into(std::move(file), *found) : unreadable(std::move(file)));
}

void read_folder(const Home& home, ClaimKind kind, const char* folder, FileOf file_of, Files& files) {
    const auto names = names_below(home, folder);
    if (!names && proves_absence(names.error())) return;
    if (!names) return files.push_back(unreadable(blank_file(home, kind, folder)));
    for (const std::string& name : *names) {
        if (const auto file = file_of(name)) read_file(home, kind, folder + ("/" + *file), files);
    }
}

void read_taken_aside(const Home& home, ClaimKind kind, const std::string& folder, bool (*is_place)(std::string_view),
                      Files& files) {
    const auto names = names_below(home, folder.c_str());
    if (!names && proves_absence(names.error())) return;
    if (!names) return files.push_back(unreadable(blank_file(home, kind, folder)));
    for (const std::string& name : *names) {
        const std::string_view place = place_of(name);
        if (place != name && is_place(place))
            read_file(home, kind, folder == "." ? name : std::string(folder).append("/").append(name), files);
    }
}

void read_all_named(const Home& folder, ClaimKind kind, std::string_view ending, Files& files) {
    const auto names = folder.directory ? list_at(folder.directory.get(), ".", kMaxNames)
                                        : failure(std::errc::permission_denied, "list", folder.path);
    if (!names) return files.push_back(unreadable(blank_file(folder, kind, "*" + std::string(ending))));
    for (const std::string& name : *names) {
        if (name.ends_with(ending)) read_file(folder, kind, name, files);
    }
}

}  // namespace reaper::scanner
