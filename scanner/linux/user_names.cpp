#include <map>
#include <string>

#include "scanner/inspector.hpp"
#include "scanner/users.hpp"

namespace reaper::scanner {

std::string user_name(Uid uid) {
    const auto user = find_user(uid);
    return user && *user ? (*user)->name : std::string();
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
