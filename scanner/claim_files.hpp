// Pid and lock files as files: what `pidfiles` lists, and what has to be known before one of them is removed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/claims.hpp"
#include "scanner/facts.hpp"
#include "scanner/fd.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::scanner {

enum class FileForm { regular, link, folder, fifo, socket, device };

// Of one file at one moment. Equal stamps: nobody has put another file there, written to it, or given it away meanwhile. (The time of
// its last change of status is left out: renaming it aside is one.)
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
    not_read,  // nobody asked
    absent,    // there is no such file
    free,      // nobody that this pid namespace sees holds it
    held,      // by somebody who wants to be alone: a gateway
    unknown,   // could not be found out
};

struct LockReading {
    LockState state = LockState::not_read;
    Pid holder = 0;        // who took it; 0: not known
    std::string why = {};  // unknown: because of what, as far as that is known

    bool operator==(const LockReading&) const = default;
};

// A process of a nested pid namespace, which has the number `number` there.
struct Namesake {
    Pid number = 0;
    ProcessRow row;

    bool operator==(const Namesake&) const = default;
};

struct ClaimFile {
    ClaimKind kind = ClaimKind::bridge_pid;
    std::string home;  // an open folder of the scope, and
    std::string name;  // the path below it
    std::string path;  // of both
    Uid scope = 0;
    bool found = false;  // stamp is what is there; otherwise something stood in the way of looking
    FileStamp stamp;
    std::string text;  // of what may be read, as Claim::access has it; not of ledgers and registries
    std::vector<Claim>
        claims;  // what it says; of a file that could not be read or understood one that says why. Empty: nobody named
    LockReading lock;                 // of gateway.lock, for that file and for gateway.pid beside it
    bool named_exited = false;        // the one process that it names has exited, and was not collected yet
    std::vector<Namesake> namesakes;  // whom it may mean as well; of files that no lock belongs to

    bool operator==(const ClaimFile&) const = default;
};

// NAME.taken-aside.PID is what a cleaner that was cut off has left of NAME.
inline constexpr std::string_view kTakenAside = ".taken-aside.";
[[nodiscard]] inline std::string_view place_of(std::string_view name) {
    return name.substr(0, name.find(kTakenAside));
}

// All pid and lock files of these places, by path. Opened like those of read_claims(), and as harmless.
[[nodiscard]] std::vector<ClaimFile> read_claim_files(const Procfs& procfs, const ClaimPlaces& places);

// Only the update markers of these places, as they are now.
[[nodiscard]] std::vector<Claim> read_update_markers(const Procfs& procfs, const ClaimPlaces& places);

// The home of a file, as a place to look below. no_such_file_or_directory and not_a_directory: there is none.
[[nodiscard]] Result<Fd> open_claim_home(const std::string& path);

// The same file again, with whom it names and who holds its lock: `name` below `directory`, where it may have got another name.
[[nodiscard]] ClaimFile read_again(const Procfs& procfs, const ClaimFile& file, int directory, const std::string& name);

// Who holds a lock on the file `name` below `directory`, from /proc/locks: nobody is disturbed by the question, as a gateway that is just
// starting would be by a lock that is tried. Where the file's mount is not seen, a lock on another file system's file of that number counts too.
[[nodiscard]] LockReading find_lock(const Procfs& procfs, int directory, const std::string& name);

// The same of an open file, where a shared lock counts as well; 0: nobody, or nobody that this pid namespace sees.
[[nodiscard]] Pid find_lock_holder(const Procfs& procfs, int file);

// Whoever took that lock may be gone: who has it by the same open file, as far as the descriptors of others can be looked at; 0: nobody.
[[nodiscard]] Pid find_lock_heir(const Procfs& procfs, int file);

}  // namespace reaper::scanner
