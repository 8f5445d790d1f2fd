#include "agent/reaping/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "agent/system/system_calls.hpp"

namespace reaper::agent {

namespace {

constexpr std::size_t kOthers =
    10;  // most that are open for a moment while one process is looked at, or something is written

std::optional<struct rlimit>& limit_before() {
    static std::optional<struct rlimit> before;
    return before;
}

struct rlimit limit_now() {
    struct rlimit limit{};
    std::ignore = ::getrlimit(RLIMIT_NOFILE, &limit);
    return limit;
}

std::size_t count_open() {
    std::error_code error;
    const std::filesystem::directory_iterator open(own_descriptor_folder(), error);
    return error ? kOthers : static_cast<std::size_t>(std::distance(begin(open), end(open)));
}

}  // namespace

void raise_descriptor_limit() {
    struct rlimit limit = limit_now();
    if (limit.rlim_cur == limit.rlim_max) return;
    limit_before() = limit;
    limit.rlim_cur = limit.rlim_max;
    std::ignore = ::setrlimit(RLIMIT_NOFILE, &limit);
}

void restore_descriptor_limit() {
    if (limit_before()) std::ignore = ::setrlimit(RLIMIT_NOFILE, &*limit_before());
}

std::size_t room_for_handles() {
    const std::size_t most = limit_now().rlim_cur;
    return most - std::min(most, count_open() + kOthers);
}

std::string describe_descriptor_limit() {
    return fmt::format("only {} files may be open (RLIMIT_NOFILE)", limit_now().rlim_cur);
}

}  // namespace reaper::agent
