#include "scanner/parse/darwin/arguments.hpp"

#include "scanner/parse/darwin/record.hpp"

namespace reaper::scanner::darwin {

namespace {

constexpr Field<std::int32_t> kCount{0};
constexpr std::size_t kPathBegin = sizeof(std::int32_t);

constexpr std::size_t aligned(std::size_t length) {
    return (length + 7) & ~std::size_t{7};
}

// Takes a string and its NUL off the front. None: there is no NUL.
std::optional<std::string_view> take_string(std::string_view& bytes) {
    const std::size_t end = bytes.find('\0');
    if (end == bytes.npos) return std::nullopt;
    const std::string_view text = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    return text;
}

// Takes the path and the bytes behind it, up to the next multiple of 8 from its beginning. Skipping
// all NULs there instead would swallow an empty argv[0], and take a variable for an argument.
std::optional<std::string_view> take_path(std::string_view& bytes) {
    std::string_view rest = bytes;
    const auto path = take_string(rest);
    if (!path || path->empty()) return std::nullopt;
    const std::size_t padding = aligned(path->size() + 1) - (path->size() + 1);
    if (padding > rest.size() || rest.substr(0, padding).find_first_not_of('\0') != rest.npos)
        return std::nullopt;
    rest.remove_prefix(padding);
    bytes = rest;
    return path;
}

// Where the environment is hidden the area ends with argv; else at least the strings of the kernel
// follow, even if the environment is empty.
std::optional<std::string> environment_of(std::string_view rest) {
    if (rest.find_first_not_of('\0') == rest.npos) return std::nullopt;
    return std::string(rest);
}

}  // namespace

Result<Arguments> parse_arguments(std::string_view reply, std::size_t capacity) {
    if (reply.size() >= capacity) return malformed("arguments that may be cut off");
    if (reply.size() < kPathBegin) return malformed("arguments without their number");
    const std::int32_t count = get(reply, kCount);
    std::string_view rest = reply.substr(kPathBegin);
    const auto path = take_path(rest);
    if (!path || count < 0) return malformed("arguments without a path");
    Arguments arguments;
    arguments.path = *path;
    for (std::int32_t i = 0; i < count; ++i) {
        const auto text = take_string(rest);
        if (!text) return malformed("fewer arguments than announced");
        arguments.argv.emplace_back(*text);
    }
    arguments.environment = environment_of(rest);
    return arguments;
}

}  // namespace reaper::scanner::darwin
