// Rule files: JSON text -> Rules, laid over existing rules.
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "policy/rules/parts.hpp"
#include "policy/rules/rules.hpp"
#include "policy/rules/value.hpp"
#include "policy/text/nearest.hpp"

namespace reaper::policy {

namespace {

// Complains about what a new family needs, and the mistyped name of a known family lacks.
void check_new_family(const RuleValue& value, const FamilyRule& rule, const Rules& rules) {
    const char* missing = rule.programs.empty() ? "programs"
                          : rule.home.empty()   ? "a home"
                                                : "roles";
    if (!rule.programs.empty() && !rule.home.empty() && !rule.roles.empty()) return;
    std::vector<std::string_view> known;
    for (const FamilyRule& other : rules.families) {
        if (&other != &rule) known.push_back(other.name);
    }
    value.complain(fmt::format("a new family needs {}{}", missing, did_you_mean(rule.name, known)));
}

void read_family(const RuleValue& value, FamilyRule& rule) {
    value.members({
        {"enabled", into(rule.enabled)},
        {"listed", into(rule.listed)},
        {"pack", into(rule.pack)},
        {"keep_as", into(rule.keep_as)},
        {"programs", into(rule.programs)},
        {"inside",
         [&](const RuleValue& inside) {
             inside.members(
                 {{"folders", into(rule.inside_parts)}, {"package", into(rule.inside_package)}});
         }},
        {"roles", into(rule.roles)},
        {"home", into(rule.home)},
        {"hosts", into(rule.hosts)},
        {"owners", into(rule.owners)},
        {"needs_owner", into(rule.needs_owner)},
        {"keeps_runner", into(rule.keeps_runner)},
        {"proofs", [&](const RuleValue& proofs) { read_proofs(proofs, rule.proofs); }},
        {"at_update", into(rule.at_update)},
        {"listens", into(rule.listens)},
        {"actions", into(rule.actions)},
        {"single_instance", into(rule.single_instance)},
        {"several_with", into(rule.several_with)},
        {"same_options", into(rule.same_options)},
        {"daemon",
         [&](const RuleValue& daemon) {
             daemon.members(
                 {{"roles", into(rule.daemon_roles)}, {"ports", into(rule.daemon_ports)}});
         }},
        {"min_age", into(rule.start_up)},
        {"start_up", into(rule.start_up)},  // the former name of min_age
        {"grace", into(rule.grace)},
        {"grace_cap", into(rule.grace_cap)},
    });
    // A user that switches it off does not want to see it.
    if (value.has("enabled") && !value.has("listed")) rule.listed = false;
    if (value.has("min_age") && value.has("start_up"))
        value.complain("start_up is the old name of min_age: one is enough");
    if (rule.grace_cap < rule.grace) value.complain("grace_cap is shorter than grace");
}

FamilyRule& family_of(Rules& rules, const std::string& name) {
    for (FamilyRule& rule : rules.families) {
        if (rule.name == name) return rule;
    }
    return rules.families.emplace_back(default_family(name));
}

// Switches a whole pack on, except for the families that the same text switches itself.
void read_packs(const RuleValue& value, const std::set<std::string>& switched, Rules& rules) {
    value.each_element([&](const RuleValue& element) {
        std::string pack;
        read(element, pack);
        std::vector<std::string_view> known;
        bool found = false;
        for (FamilyRule& rule : rules.families) {
            if (!rule.pack.empty()) known.push_back(rule.pack);
            if (rule.pack != pack || pack.empty()) continue;
            found = true;
            if (!switched.contains(rule.name)) rule.enabled = true;
        }
        if (!found) element.complain(fmt::format("no such pack{}", did_you_mean(pack, known)));
    });
}

void read_protect(const RuleValue& value, std::string_view origin,
                  std::vector<ProtectRule>& target) {
    std::vector<ProtectRule> more;
    read(value, more);
    for (ProtectRule& rule : more) {
        rule.origin = origin;
        target.push_back(std::move(rule));
    }
}

}  // namespace

tl::expected<Rules, RuleMistake> overlay_rules(Rules base, std::string_view text,
                                               std::string_view origin) {
    const auto parsed = parse_json_text(text);
    if (!parsed) return tl::unexpected(RuleMistake{fmt::format("{}:{}", origin, parsed.error())});
    RuleText source{origin, text, parsed->offsets, {}};
    const RuleValue whole(source, parsed->value, "");
    std::set<std::string> switched;
    std::string schema;
    whole.members({
        {"$schema", into(schema)},  // for editors only
        {"families",
         [&](const RuleValue& families) {
             families.each_member([&](const std::string& name, const RuleValue& family) {
                 if (name.empty()) family.complain("a family needs a name");
                 FamilyRule& rule = family_of(base, name);
                 rule.origin = origin;
                 read_family(family, rule);
                 check_new_family(family, rule, base);
                 if (family.has("enabled")) switched.insert(name);
             });
         }},
        {"packs", [&](const RuleValue& packs) { read_packs(packs, switched, base); }},
        {"protect", [&](const RuleValue& protect) { read_protect(protect, origin, base.protect); }},
    });
    if (!source.mistake.empty()) return tl::unexpected(RuleMistake{source.mistake});
    return base;
}

}  // namespace reaper::policy
