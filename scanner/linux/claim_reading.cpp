#include "scanner/linux/claim_reading.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>

#include "scanner/access_guard.hpp"
#include "scanner/directory.hpp"
#include "scanner/json/record_reader.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/own_process.hpp"
#include "scanner/parse/claim_interpreters.hpp"
#include "scanner/parse/claim_text.hpp"
#include "scanner/parse/proc_fdinfo.hpp"
#include "scanner/parse/proc_mountinfo.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

// Upstream writes a pid or a kilobyte; a gateway a few kilobytes with its command line.
constexpr std::size_t kMaxSize = 64 * 1024UL;
// Per folder. It holds one file for each bridge or desktop that was ever connected.
constexpr std::size_t kMaxNames = 1024;
constexpr std::size_t kFdinfoLimit = 4096;
constexpr std::size_t kMountsLimit = 4 * 1024 * 1024;

double epoch_of(const FileStamp& stamp) {
    return static_cast<double>(stamp.written_s) + static_cast<double>(stamp.written_ns) / 1e9;
}

// None: the file does not name many processes.
std::optional<RecordForm> record_form(ClaimKind kind) {
    switch (kind) {
        case ClaimKind::ledger: return RecordForm::ledger;
        case ClaimKind::headless_registry: return RecordForm::headless_registry;
        case ClaimKind::process_registry: return RecordForm::process_registry;
        default: return std::nullopt;
    }
}

FileForm form_of(mode_t mode) {
    if (S_ISREG(mode)) return FileForm::regular;
    if (S_ISLNK(mode)) return FileForm::link;
    if (S_ISDIR(mode)) return FileForm::folder;
    if (S_ISFIFO(mode)) return FileForm::fifo;
    return S_ISSOCK(mode) ? FileForm::socket : FileForm::device;
}

FileStamp stamp_of(const struct stat& status) {
    return {status.st_dev,           status.st_ino,         form_of(status.st_mode),
            status.st_mode & 07777U, status.st_nlink,       status.st_uid,
            status.st_size,          status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

// Timestamps of file systems are coarse, and servers have clocks of their own: a file that changed
// within two seconds may change again with the same time.
ClaimMark mark_of(const ClaimFile& file, const struct stat& status) {
    constexpr std::int64_t kSettles = 2;
    const std::int64_t age = std::time(nullptr) - status.st_ctim.tv_sec;
    return {file.path,
            file.scope,
            status.st_dev,
            status.st_ino,
            status.st_size,
            status.st_ctim.tv_sec,
            status.st_ctim.tv_nsec,
            age > kSettles};
}

// Returns what an earlier look read from the same file. None: there was none, or the file may have
// changed.
std::optional<std::vector<Claim>> find_earlier(const ClaimMark& mark, const ClaimContext& context) {
    if (context.earlier == nullptr || !mark.settled) return std::nullopt;
    const auto same_path =
        std::ranges::equal_range(context.earlier->marks, mark.path, {}, &ClaimMark::path);
    if (std::ranges::find(same_path, mark) == same_path.end()) return std::nullopt;
    std::vector<Claim> claims;
    for (const Claim& claim :
         std::ranges::equal_range(context.earlier->claims, mark.path, {}, &Claim::path)) {
        if (claim.scope == mark.scope) claims.push_back(claim);
    }
    return claims;
}

// Returns the living pids; entries of other pids say nothing. Null: all entries count, as a
// registry that is to be removed may name a process of a container.
Result<const std::vector<Pid>*> living(RecordForm form, ClaimContext& context) {
    if (context.removes && form == RecordForm::headless_registry) return nullptr;
    if (!context.living) {
        auto pids = list_numbers_at(fd_of(context.table), ".");
        if (!pids) return tl::unexpected(std::move(pids.error()));
        std::ranges::sort(*pids);
        context.living = std::move(*pids);
    }
    return &*context.living;
}

// Found by the number of its mount, as links in the path of a home may lead to another one.
std::optional<SharedMount> shared_mount_of(const FoundFile& found, ClaimContext& context) {
    const std::string path = "self/fdinfo/" + std::to_string(found.path.get());
    const auto fdinfo = read_at(fd_of(context.table), path.c_str(), kFdinfoLimit);
    const auto mount =
        fdinfo ? parse_fdinfo_number(fdinfo->bytes, "mnt_id") : std::optional<std::uint64_t>();
    if (!mount) return std::nullopt;
    if (!context.mounts)
        context.mounts = read_own_mounts(context.table, kMountsLimit).value_or(std::string());
    return find_shared_mount(*context.mounts, *mount);
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

// Lists a folder below a home. Like the files, the folder is reached through no link.
Result<std::vector<std::string>> names_below(const Home& home, const char* folder) {
    if (!home.directory) return failure(std::errc::permission_denied, "list", folder);
    const auto found = find_below(home.directory.get(), folder);
    if (!found) return tl::unexpected(found.error());
    // The link itself was found. Only a link is suspicious; anything else that is no folder is not.
    if (S_ISLNK(found->status.st_mode))
        return failure(std::errc::too_many_symbolic_link_levels, "list", folder);
    return list_at(found->path.get(), ".", kMaxNames);
}

Result<std::vector<Claim>> read_record(const Claim& blank, RecordForm form, const FoundFile& found,
                                       ClaimContext& context) {
    const auto pids = living(form, context);
    if (!pids) return tl::unexpected(pids.error());
    RecordReader reader(form, *pids);
    const std::string link = "/proc/self/fd/" + std::to_string(found.path.get());
    const auto all = read_pieces_at(AT_FDCWD, link.c_str(), kMostRecordBytes,
                                    [&](std::string_view piece) { return reader.feed(piece); });
    if (!all) return tl::unexpected(all.error());
    return reader.finish().map(
        [&](const Ledger& ledger) { return interpret_record(blank, ledger); });
}

// invalid_argument: the file is not in its form.
Result<std::vector<Claim>> read_content(ClaimFile& file, const FoundFile& found,
                                        ClaimContext& context) {
    Claim blank = blank_claim(file);
    blank.access = Access::ok;
    if (const auto form = record_form(file.kind)) return read_record(blank, *form, found, context);
    auto text = read_found(found, kMaxSize);
    if (!text) return tl::unexpected(std::move(text.error()));
    file.text = std::move(*text);
    return interpret_claims(blank, file.text);
}

Claim unclear_claim(const ClaimFile& file, const Error& error) {
    Claim claim = blank_claim(file);
    if (error.code != std::errc::invalid_argument) return claim;
    claim.access = Access::malformed;
    // A marker that is cut off may still say which process to look for.
    if (file.kind == ClaimKind::update_marker)
        claim.pid = parse_bare_pid(file.text.substr(0, file.text.find('\n'))).value_or(0);
    return claim;
}

}  // namespace

bool is_trustworthy(const struct stat& status, Uid uid) {
    return S_ISREG(status.st_mode) && status.st_nlink == 1 &&
           (status.st_uid == uid || status.st_uid == 0);
}

bool proves_absence(const Error& error) {
    return error.code == std::errc::no_such_file_or_directory ||
           error.code == std::errc::not_a_directory;
}

Result<Fd> open_claim_home(const std::string& path) {
    Fd directory(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return system_failure("open", path);
    return directory;
}

std::optional<Home> open_home(const std::string& path, Uid uid, ClaimContext& context) {
    auto directory =
        may_read(uid, path) ? open_claim_home(path) : failure(std::errc::timed_out, "open", path);
    if (!directory && proves_absence(directory.error())) return std::nullopt;
    return Home{directory ? std::move(*directory) : Fd(), path, uid, &context};
}

ClaimFile unreadable(ClaimFile file) {
    file.claims = {blank_claim(file)};
    return file;
}

ClaimFile read_into(ClaimFile file, const FoundFile& found, ClaimContext& context) {
    file.found = true;
    file.stamp = stamp_of(found.status);
    if (context.removes) file.shared_mount = shared_mount_of(found, context);
    if (!is_trustworthy(found.status, file.scope)) return unreadable(std::move(file));
    ClaimMark mark = mark_of(file, found.status);
    if (auto known = find_earlier(mark, context)) {
        file.claims = std::move(*known);
    } else {
        auto claims = read_content(file, found, context);
        // Small files are truncated and rewritten in place, so the first read may have come in
        // between. Records are replaced as a whole.
        if (!claims && !mark.settled && !record_form(file.kind))
            claims = read_content(file, found, context);
        file.claims =
            claims ? std::move(*claims) : std::vector{unclear_claim(file, claims.error())};
    }
    context.marks.push_back(std::move(mark));
    return file;
}

void read_file(const Home& home, ClaimKind kind, const std::string& name, Files& files) {
    ClaimFile file = blank_file(home, kind, name);
    const auto found = home.directory ? find_below(home.directory.get(), name.c_str())
                                      : failure(std::errc::permission_denied, "open", home.path);
    if (!found && proves_absence(found.error())) return;
    if (found && found->status.st_nlink == 0) return;  // deleted just now
    files.push_back(found ? read_into(std::move(file), *found, *home.context)
                          : unreadable(std::move(file)));
}

void read_folder(const Home& home, ClaimKind kind, const char* folder, FileOf file_of,
                 Files& files) {
    const auto names = names_below(home, folder);
    if (!names && proves_absence(names.error())) return;
    if (!names) return files.push_back(unreadable(blank_file(home, kind, folder)));
    for (const std::string& name : *names) {
        if (const auto file = file_of(name)) read_file(home, kind, folder + ("/" + *file), files);
    }
}

void read_quarantined(const Home& home, ClaimKind kind, const std::string& folder,
                      bool (*is_place)(std::string_view), Files& files) {
    const auto names = names_below(home, folder.c_str());
    if (!names && proves_absence(names.error())) return;
    if (!names) return files.push_back(unreadable(blank_file(home, kind, folder)));
    for (const std::string& name : *names) {
        const std::string_view place = place_of(name);
        if (place != name && is_place(place))
            read_file(home, kind,
                      folder == "." ? name : std::string(folder).append("/").append(name), files);
    }
}

void read_all_named(const Home& folder, ClaimKind kind, const std::string& pattern,
                    bool (*is_named)(std::string_view), Files& files) {
    const auto names = folder.directory
                           ? list_at(folder.directory.get(), ".", kMaxNames)
                           : failure(std::errc::permission_denied, "list", folder.path);
    if (!names) return files.push_back(unreadable(blank_file(folder, kind, pattern)));
    for (const std::string& name : *names) {
        if (is_named(name)) read_file(folder, kind, name, files);
    }
}

}  // namespace reaper::scanner
