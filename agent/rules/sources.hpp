// The files that the rules come from. A file or folder that another user than its reader and root
// could have written, or taken away, is no authority on what to kill: where there is one, there are
// no rules at all.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "agent/reading/packet.hpp"
#include "policy/rules/rules.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// Where rules are looked for, after the built-in ones; later ones override.
struct RulePlaces {
    std::vector<std::string>
        folders;  // their *.json, by name, but for hidden ones; absolute; a folder need not exist
    std::string config;  // one more file, that has to exist; empty: none
};

// Returns /etc/orphan-reaper/rules.d, then orphan-reaper/rules.d in the configuration folder of the
// user of this process. For root that is the one in root's own home: what sudo leaves of another
// user's environment does not count.
[[nodiscard]] RulePlaces usual_rule_places(std::string config);

// Returns the home of the user of this process; for root, root's own, as above. Empty: there is
// none.
[[nodiscard]] std::string own_home();

struct RuleSource {
    std::string path;
    std::string text;
    dev_t device = 0;
    ino_t inode = 0;
};

template <>
struct MembersOf<RuleSource> {
    static auto tie(Is<RuleSource> auto& it) {
        auto& [path, text, device, inode] = it;
        return std::tie(path, text, device, inode);
    }
};

// Whatever they are called.
[[nodiscard]] bool same_file(const RuleSource& left, const RuleSource& right);

// In the order in which they are laid. The errors say which file or folder, and why; then nothing
// may be done.
[[nodiscard]] tl::expected<std::vector<RuleSource>, std::string> read_rule_sources(
    const RulePlaces& places);
[[nodiscard]] tl::expected<RuleSource, std::string> read_rule_file(const std::string& path);

// Reads what `user` has in .config/orphan-reaper/rules.d below `home`. Only files of that user and
// of root count, and no link is followed: the owner of a folder could point it anywhere.
[[nodiscard]] tl::expected<std::vector<RuleSource>, std::string> read_rules_of_user(
    const std::string& home, uid_t user);

// The home that the password file gives to `user`; empty: it knows no such user.
[[nodiscard]] Result<std::string> recorded_home(uid_t user);

// The built-in rules with all of them laid over. The error is the first mistake, with its place.
[[nodiscard]] tl::expected<policy::Rules, std::string> combine_rules(
    const std::vector<RuleSource>& sources);

}  // namespace reaper::agent
