#include "policy/verdict/protection.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "scanner/parse/interpreter.hpp"

namespace reaper::policy {

using scanner::ProcessFacts;

namespace {

// `named` is a path in a rule, which may be a link to `seen`.
bool is_path(const std::string& named, std::string_view seen, const scanner::Facts& facts) {
    const auto real = facts.real_paths.find(named);
    return named == seen || (real != facts.real_paths.end() && real->second == seen);
}

bool is_protected(const ProtectRule& rule, const scanner::ProcessRow& row, const std::string& home,
                  const scanner::Facts& facts) {
    if (rule.uid && *rule.uid != row.uid) return false;
    if (!rule.exe.empty() &&
        !is_path(rule.exe, scanner::without_deleted_mark(row.exe.value), facts))
        return false;
    if (!rule.home.empty() && !is_path(rule.home, home, facts)) return false;
    const auto& argv = row.command_line.value.argv;
    return std::all_of(rule.arguments.begin(), rule.arguments.end(),
                       [&](const std::string& argument) {
                           return std::find(argv.begin(), argv.end(), argument) != argv.end();
                       });
}

}  // namespace

const ProtectRule* find_protection(const ProcessFacts& process, const std::string& home,
                                   const VetoInput& input) {
    const auto& rules = input.rules.protect;
    const auto found = std::ranges::find_if(rules, [&](const ProtectRule& rule) {
        return is_protected(rule, process.row, home, input.facts);
    });
    return found == rules.end() ? nullptr : &*found;
}

void check_protection(const Member& member, const VetoInput& input, VetoList& vetoes) {
    for (const ProtectRule& rule : input.rules.protect) {
        if (is_protected(rule, member.facts->row, member.home, input.facts)) {
            vetoes.add(Verdict::supervised, "protected",
                       fmt::format("a rule of {} protects it", rule.origin));
        }
    }
    const auto unreadable = input.rules.users_with_unreadable_rules.find(member.facts->row.uid);
    if (unreadable == input.rules.users_with_unreadable_rules.end()) return;
    vetoes.add(Verdict::unknown, "unreadable.rules",
               fmt::format("what its user protects is not known: {}", unreadable->second));
}

}  // namespace reaper::policy
