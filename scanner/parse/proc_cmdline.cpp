#include "scanner/parse/proc_cmdline.hpp"

#include <algorithm>

namespace reaper::scanner {

namespace {

// Takes everything up to the next NUL, and the NUL, off the front.
std::string_view take_entry(std::string_view& bytes) {
    const std::string_view entry = bytes.substr(0, bytes.find('\0'));
    bytes.remove_prefix(std::min(bytes.size(), entry.size() + 1));
    return entry;
}

// The entry is "key=value".
bool defines(std::string_view entry, std::string_view key) {
    return !key.empty() && entry.size() > key.size() && entry[key.size()] == '=' &&
           entry.starts_with(key);
}

}  // namespace

CommandLine parse_command_line(std::string_view bytes, bool truncated) {
    CommandLine line;
    line.truncated = truncated;
    const auto ended = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\0'));
    line.argv.reserve(ended + (bytes.ends_with('\0') ? 0 : 1));
    while (!bytes.empty()) line.argv.emplace_back(take_entry(bytes));
    return line;
}

std::map<std::string, std::string> parse_environment(std::string_view bytes,
                                                     std::span<const std::string> keys) {
    std::map<std::string, std::string> found;
    while (!bytes.empty()) {
        const std::string_view entry = take_entry(bytes);
        for (const std::string& key : keys) {
            if (defines(entry, key)) found.try_emplace(key, entry.substr(key.size() + 1));
        }
    }
    return found;
}

}  // namespace reaper::scanner
