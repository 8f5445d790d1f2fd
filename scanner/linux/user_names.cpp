#include <pwd.h>

#include <array>
#include <map>
#include <string>

#include "scanner/inspector.hpp"

namespace reaper::scanner {

std::string user_name(Uid uid) {
    std::array<char, 16384> space;
    struct passwd entry{};
    struct passwd* found = nullptr;
    ::getpwuid_r(uid, &entry, space.data(), space.size(), &found);
    return found == nullptr ? std::string() : found->pw_name;
}

void add_user_names(std::span<ProcessFacts> candidates) {
    std::map<Uid, std::string> names;
    for (ProcessFacts& candidate : candidates) {
        const auto [place, is_new] = names.try_emplace(candidate.row.uid);
        if (is_new) place->second = user_name(candidate.row.uid);
        candidate.user = place->second;
    }
}

}  // namespace reaper::scanner
