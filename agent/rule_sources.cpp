#include "agent/rule_sources.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "scanner/fd.hpp"
#include "scanner/linux/regular_file.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kLongestFile = 1024 * 1024;

// Empty: fine.
std::string distrust(const struct stat& status) {
    if (!S_ISREG(status.st_mode)) return "is no regular file";
    if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
        return fmt::format("belongs to user id {}, not to you or root", status.st_uid);
    }
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be written by others (chmod go-w would do)";
    return {};
}

tl::expected<std::string, std::string> read_rules(const std::string& path) {
    // Looked at before it is opened: a FIFO in its place must not hold us up.
    scanner::FoundFile file{Fd(::open(path.c_str(), O_PATH | O_CLOEXEC)), {}};
    if (!file.path || ::fstat(file.path.get(), &file.status) != 0) {
        return tl::unexpected(describe(system_failure("read", path).value()));
    }
    const std::string why = distrust(file.status);
    if (!why.empty()) return tl::unexpected(fmt::format("{} {}", path, why));
    auto text = scanner::read_found(file, kLongestFile);
    if (!text) return tl::unexpected(describe({text.error().code, "read", path}));
    return std::move(*text);
}

}  // namespace

tl::expected<policy::Rules, std::string> load_rules(const std::string& config) {
    policy::Rules rules = policy::built_in_rules();
    if (config.empty()) return rules;
    const auto text = read_rules(config);
    if (!text) return tl::unexpected(text.error());
    auto overlaid = policy::overlay_rules(std::move(rules), *text, config);
    if (!overlaid) return tl::unexpected(overlaid.error().message);
    return std::move(*overlaid);
}

}  // namespace reaper::agent
