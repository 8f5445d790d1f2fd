// From which files the rules come. A file or folder that anybody but its reader and root could have written, or taken away, is no
// authority on what to kill: where there is one, there are no rules at all.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "policy/rules.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// Where rules are looked for, after the built-in ones; later ones override.
struct RulePlaces {
    std::vector<std::string> folders;  // their *.json, by name, but for hidden ones; absolute; a folder need not exist
    std::string config;                // one more file, that has to exist; empty: none
};

// /etc/orphan-reaper/rules.d, then orphan-reaper/rules.d in the configuration folder of the user who runs this. For root that is the
// one in root's own home: what sudo leaves of another user's environment does not count.
[[nodiscard]] RulePlaces usual_rule_places(std::string config);

// The home of the user who runs this; root's is root's own, as above. Empty: there is none.
[[nodiscard]] std::string own_home();

struct RuleSource {
    std::string path;
    std::string text;
    dev_t device = 0;
    ino_t inode = 0;
};

// Whatever they are called.
[[nodiscard]] bool same_file(const RuleSource& left, const RuleSource& right);

// In the order in which they are laid. The errors say which file or folder, and why; then nothing may be done.
[[nodiscard]] tl::expected<std::vector<RuleSource>, std::string> read_rule_sources(const RulePlaces& places);
[[nodiscard]] tl::expected<RuleSource, std::string> read_rule_file(const std::string& path);

// What `user` has in .config/orphan-reaper/rules.d below `home`. Only files of his own and of root's count, and no link is followed:
// whoever owns a folder could lead us anywhere by it. Neither the home nor the folder need exist.
[[nodiscard]] tl::expected<std::vector<RuleSource>, std::string> read_rules_of_user(const std::string& home,
                                                                                    uid_t user);

// The home that the password file gives to `user`; empty: it knows no such user.
[[nodiscard]] Result<std::string> recorded_home(uid_t user);

// The built-in rules with all of them laid over. The error is the first mistake, with its place.
[[nodiscard]] tl::expected<policy::Rules, std::string> lay_rules(const std::vector<RuleSource>& sources);

}  // namespace reaper::agent
