#include "agent/rules/per_user.hpp"

#include <unistd.h>

#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "agent/reading/bounded_reader.hpp"
#include "agent/rules/sources.hpp"
#include "scanner/access_guard.hpp"

namespace reaper::agent {

namespace {

using policy::ProtectRule;
using scanner::Uid;

// Does not say what is wrong in a file: that would quote it, and perhaps only its own user may read
// it.
tl::expected<std::vector<ProtectRule>, std::string> protected_by(
    const std::vector<RuleSource>& sources, const policy::Rules& base) {
    policy::Rules laid = base;
    laid.protect.clear();
    for (const RuleSource& source : sources) {
        auto more = policy::overlay_rules(std::move(laid), source.text, source.path);
        if (!more) return tl::unexpected(fmt::format("{} has a mistake", source.path));
        laid = std::move(*more);
    }
    return std::move(laid.protect);
}

}  // namespace

void add_rules_of_user(policy::Rules& rules, Uid user, const std::string& home) {
    const auto sources = scanner::may_read(user, home) ? read_rules_of_user(home, user)
                                                       : tl::unexpected(unanswered_text(home));
    auto entries = sources ? protected_by(*sources, rules) : tl::unexpected(sources.error());
    if (!entries) {
        rules.users_with_unreadable_rules[user] = std::move(entries.error());
        return;
    }
    for (ProtectRule& rule : *entries) {
        rule.uid = user;
        rules.protect.push_back(std::move(rule));
    }
}

policy::Rules with_rules_of_users(policy::Rules rules, const scanner::Facts& facts) {
    std::set<Uid> users;
    for (const scanner::ProcessFacts& candidate : facts.candidates) users.insert(candidate.row.uid);
    users.erase(::geteuid());
    for (const Uid user : users) {
        const auto home = recorded_home(user);
        if (!home)
            rules.users_with_unreadable_rules[user] = describe(home.error());
        else if (home->starts_with('/'))
            add_rules_of_user(rules, user, *home);
    }
    return rules;
}

scanner::Background background_of(const policy::Rules& rules) {
    scanner::Background background;
    for (const ProtectRule& rule : rules.protect) {
        if (rule.uid)
            background.protections.push_back(
                {*rule.uid, rule.origin, rule.exe, rule.arguments, rule.home});
    }
    for (const auto& [user, why] : rules.users_with_unreadable_rules)
        background.users_with_unreadable_rules.push_back({user, why});
    return background;
}

policy::Rules with_background(policy::Rules rules, const scanner::Background& background) {
    for (const scanner::Protection& told : background.protections)
        rules.protect.push_back({told.origin, told.exe, told.arguments, told.home, told.uid});
    for (const scanner::UserWithUnreadableRules& user : background.users_with_unreadable_rules)
        rules.users_with_unreadable_rules[user.uid] = user.why;
    return rules;
}

}  // namespace reaper::agent
