// Pid and lock files as files: what `pidfiles` lists, and what must be known before one is removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/claims.hpp"
#include "scanner/fd.hpp"
#include "scanner/model/facts.hpp"
#include "scanner/model/result.hpp"
#include "scanner/parse/proc_mountinfo.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

enum class FileForm { regular, link, folder, fifo, socket, device };

// A file at one moment. Equal stamps mean that nothing replaced it, wrote to it, or changed its
// owner meanwhile. The time of its last status change is left out, as a rename changes it.
struct FileStamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    FileForm form = FileForm::regular;
    std::uint32_t mode = 0;  // permissions
    std::uint64_t links = 0;
    Uid owner = 0;
    std::int64_t size = 0;
    std::int64_t written_s = 0;
    std::int64_t written_ns = 0;

    bool operator==(const FileStamp&) const = default;
};

enum class LockState {
    not_read,  // not asked for
    absent,    // there is no such file
    free,      // no process that this pid namespace sees holds it
    held,      // a process holds it exclusively: a gateway
    unknown,   // could not be read
};

struct LockReading {
    LockState state = LockState::not_read;
    Pid holder = 0;        // the process that took it; 0: not known
    std::string why = {};  // the reason for `unknown`, if it is known

    bool operator==(const LockReading&) const = default;
};

// A process of a nested pid namespace, in which its pid is `number`. A file that records `number`
// may mean it.
struct NestedPidMatch {
    Pid number = 0;
    ProcessRow row;

    bool operator==(const NestedPidMatch&) const = default;
};

struct ClaimFile {
    ClaimKind kind = ClaimKind::bridge_pid;
    std::string home;  // an open folder of the scope
    std::string name;  // the path below `home`
    std::string path;  // `home` and `name`
    Uid scope = 0;
    bool found = false;  // `stamp` is valid; false: something prevented the look
    FileStamp stamp;
    // Its content, if it may be read (see Claim::access); empty for ledgers and registries.
    std::string text;
    // What it says. One claim that says why, if it could not be read or parsed. Empty: it names no
    // process.
    std::vector<Claim> claims;
    LockReading lock;  // of the file that lock_name() returns; not_read where there is none
    // The only process that it names has exited and was not reaped yet.
    bool named_exited = false;
    // Processes of nested namespaces that it may mean; only for files without a lock.
    std::vector<NestedPidMatch> nested_matches;
    // Where it lies, if a process of another machine may have written it.
    std::optional<SharedMount> shared_mount;

    bool operator==(const ClaimFile&) const = default;
};

// The cleaner renames NAME to NAME.taken-aside.PID before it removes it. A cleaner that was
// interrupted leaves that name behind.
inline constexpr std::string_view kQuarantineSuffix = ".taken-aside.";
[[nodiscard]] inline std::string_view place_of(std::string_view name) {
    return name.substr(0, name.find(kQuarantineSuffix));
}

// Returns the name of the lock that belongs to a file, which lies in the same folder; for a lock
// its own. Empty: none belongs to it.
[[nodiscard]] inline std::string lock_name(ClaimKind kind, std::string_view name) {
    const std::string_view place = place_of(name);
    switch (kind) {
        case ClaimKind::gateway_pid:
        case ClaimKind::gateway_lock: return "gateway.lock";
        case ClaimKind::host_record:
        case ClaimKind::host_lock:
            return std::string(place.substr(0, place.rfind('.'))).append(".lock");
        default: return {};
    }
}

// Tells whether its writer always holds that lock. Upstream does not say so of the servers that a
// desktop application starts, of which a user may have several.
[[nodiscard]] inline bool always_locks(ClaimKind kind, std::string_view name) {
    return !lock_name(kind, name).empty() && !name.starts_with("host-desktop-");
}

// Reads all pid and lock files of these places, sorted by path. As safe as read_claims(): links are
// not followed, and nothing is waited for.
[[nodiscard]] std::vector<ClaimFile> read_claim_files(const ProcessTable& table,
                                                      const ClaimPlaces& places);

// Reads only the update markers of these places.
[[nodiscard]] std::vector<Claim> read_update_markers(const ProcessTable& table,
                                                     const ClaimPlaces& places);

// When the gateway of a home has started lately, as it says itself.
struct GatewayStarts {
    std::string home;
    std::string path;
    std::vector<double> epochs;

    bool operator==(const GatewayStarts&) const = default;
};

// Reads gateway-starts.log in the Hermes homes of these places. Leaves out what does not exist or
// cannot be read, as nothing depends on it.
[[nodiscard]] std::vector<GatewayStarts> read_gateway_starts(const ClaimPlaces& places);

// Opens the home of a file as a folder to look below. no_such_file_or_directory and
// not_a_directory: there is none.
[[nodiscard]] Result<Fd> open_claim_home(const std::string& path);

// Reads the same file again, as `name` below `directory`, after it may have been renamed. Also
// looks up again the processes that it names and the holder of its lock.
[[nodiscard]] ClaimFile read_again(const ProcessTable& table, const ClaimFile& file, int directory,
                                   const std::string& name);

// Tells from /proc/locks which process holds a lock on the file `name` below `directory`. Never
// tries the lock, which could disturb a gateway that is starting. If the mount of the file is not
// seen here, a lock on a file with the same number in another file system counts, too.
[[nodiscard]] LockReading find_lock(const ProcessTable& table, int directory,
                                    const std::string& name);

// Returns the holder of a lock on an open file; shared locks count, too. 0: no process that this
// pid namespace sees.
[[nodiscard]] Pid find_lock_holder(const ProcessTable& table, int file);

// Returns a process that holds that lock through an inherited descriptor of the same open file,
// when the process that took it may be gone. 0: none among the processes whose descriptors may be
// read.
[[nodiscard]] Pid find_inherited_lock_holder(const ProcessTable& table, int file);

}  // namespace reaper::scanner
