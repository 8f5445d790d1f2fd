#include "agent/schedule/program.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "agent/rules/trust.hpp"
#include "policy/text/escape.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

namespace {

struct Passing {
    std::string_view part;
    std::string_view what;
};
// Anywhere in a path.
constexpr std::array<Passing, 6> kPassing = {{{"/_npx/", "a cache of npx"},
                                              {"/bunx-", "a cache of bunx"},
                                              {"/.bun/install/cache/", "a cache of bun"},
                                              {"/pnpm/dlx", "a cache of pnpm"},
                                              {"/.cache/", "a cache"},
                                              {"/.Trash", "a trash folder"}}};
// At its beginning.
constexpr std::array<std::string_view, 4> kTemporary = {"/tmp/", "/var/tmp/", "/dev/shm/", "/run/"};

bool is_odd(char letter) {
    constexpr std::string_view kPlain = "/._+-@,:=~";
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                       (letter >= 'A' && letter <= 'Z') || byte >= 0x80;
    return !plain && kPlain.find(letter) == std::string_view::npos;
}

// U+0080 to U+009F, which terminals obey.
bool has_control(std::string_view text) {
    const auto is_one = [](char first, char second) {
        return first == '\xc2' && static_cast<unsigned char>(second) < 0xa0;
    };
    return std::ranges::adjacent_find(text, is_one) != text.end();
}

// The folder above, without a slash at its end; of one at the top: empty.
std::string above(const std::string& path) {
    return path.substr(0, std::min(path.rfind('/'), path.size()));
}

// The nearest one above; empty: there is none.
std::string build_folder(const std::string& path) {
    for (std::string folder = above(path); !folder.empty(); folder = above(folder)) {
        if (::access((folder + "/CMakeCache.txt").c_str(), F_OK) == 0) return folder;
    }
    return {};
}

}  // namespace

std::string refuse_path(std::string_view asked) {
    const std::string path = policy::escape(asked, 1000);
    for (const std::string_view folder : kTemporary) {
        if (path.starts_with(folder))
            return fmt::format(
                "{} is in a temporary folder, where it will be gone; install it, as "
                "the README says",
                path);
    }
    for (const auto& [part, what] : kPassing) {
        if (path.find(part) != std::string_view::npos)
            return fmt::format(
                "{} is in {}, where it will be gone; install it, as the README says "
                "(npm: npm install -g)",
                path, what);
    }
    if (path.ends_with(" (deleted)"))
        return fmt::format(
            "{}: this program was replaced or removed since it started; start the "
            "new one",
            path);
    if (std::ranges::any_of(asked, is_odd) || has_control(asked))
        return fmt::format(
            "{} has letters that a unit or a crontab could take for something else; "
            "install it at another path",
            path);
    return {};
}

std::string refuse_cellar(std::string_view path) {
    if (path.find("/Cellar/") == std::string_view::npos) return {};
    return fmt::format(
        "{} is Homebrew's, which has it at another path with the next version: brew services start "
        "orphan-reaper",
        policy::escape(path, 1000));
}

std::string refuse_place(const std::string& path, scanner::Uid uid) {
    if (const std::string folder = build_folder(path); !folder.empty())
        return fmt::format(
            "{} is in the build folder {}, where the next build replaces it; install "
            "it: cmake --install {}",
            path, folder, folder);
    struct stat status{};
    if (::lstat(path.c_str(), &status) != 0)
        return fmt::format("{}: {}", path, describe(system_failure("read", path).value()));
    if (const std::string why = distrust(status, uid); !why.empty())
        return fmt::format("{} {}", path, why);
    const auto way = strict_way_to(above(path), uid);
    if (!way) return way.error();
    return way->distrust;
}

}  // namespace reaper::agent
