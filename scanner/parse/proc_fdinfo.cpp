#include "scanner/parse/proc_fdinfo.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "scanner/model/number.hpp"

namespace reaper::scanner {

namespace {

// "1:" "POSIX" "ADVISORY" "WRITE" "1234" "08:01:131" "120" "EOF"
constexpr std::size_t kFields = 8;

using Fields = std::array<std::string_view, kFields>;

std::optional<Fields> split(std::string_view line) {
    Fields fields;
    for (std::string_view& field : fields) {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        if (line.empty()) return std::nullopt;
        field = line.substr(0, line.find(' '));
        line.remove_prefix(field.size());
    }
    if (line.find_first_not_of(' ') != std::string_view::npos) return std::nullopt;
    return fields;
}

LockKind kind_of(std::string_view word) {
    if (word == "POSIX") return LockKind::posix;
    if (word == "OFDLCK") return LockKind::open_file_description;
    if (word == "FLOCK") return LockKind::flock;
    return LockKind::other;
}

bool take_hex(std::string_view& text, std::uint32_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with(':')) return false;
    text.remove_prefix(1);
    return true;
}

bool parse_file(std::string_view text, FileLock& lock) {
    return take_hex(text, lock.device_major) && take_hex(text, lock.device_minor) &&
           take_number(text, lock.inode) && text.empty();
}

bool parse_end(std::string_view text, FileLock& lock) {
    if (text == "EOF") {
        lock.end = FileLock::kEndOfFile;
        return true;
    }
    return take_number(text, lock.end) && text.empty() && lock.end >= lock.start;
}

// Parses one lock. Of leases only their presence is read: their fields follow other rules and
// nothing needs them.
bool parse_lock(std::string_view line, FileLock& lock) {
    const auto fields = split(line);
    if (!fields) return false;
    lock.kind = kind_of((*fields)[1]);
    if (lock.kind == LockKind::other) return true;
    const std::string_view access = (*fields)[3];
    const auto pid = to_number<Pid>((*fields)[4]);
    const auto start = to_number<std::uint64_t>((*fields)[6]);
    if ((access != "WRITE" && access != "READ") || !pid || !start) return false;
    lock.write = access == "WRITE";
    lock.pid = *pid;
    lock.start = *start;
    return parse_file((*fields)[5], lock) && parse_end((*fields)[7], lock);
}

// Parses the rest of every line that starts with `name`.
Result<std::vector<FileLock>> parse_lines(std::string_view text, std::string_view name) {
    std::vector<FileLock> locks;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const bool waits = line.find(" -> ") != std::string_view::npos;
        if (!line.starts_with(name) || waits) continue;
        FileLock lock;
        if (!parse_lock(line.substr(name.size()), lock))
            return failure(std::errc::invalid_argument, "parse", "a lock");
        locks.push_back(lock);
    }
    return locks;
}

}  // namespace

Result<std::vector<FileLock>> parse_fdinfo_locks(std::string_view text) {
    return parse_lines(text, "lock:\t");
}

Result<std::vector<FileLock>> parse_locks(std::string_view text) {
    return parse_lines(text, "");
}

// As the kernel prints it (fs/proc/fd.c, seq_show).
std::optional<std::uint64_t> parse_fdinfo_number(std::string_view text, std::string_view name) {
    const std::string wanted = std::string(name) + ":\t";
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        std::uint64_t value = 0;
        if (!line.starts_with(wanted)) continue;
        line.remove_prefix(wanted.size());
        return take_number(line, value) ? std::optional(value) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace reaper::scanner
