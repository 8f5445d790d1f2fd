#include "agent/observe/setup.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "agent/observe/under.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/system/exit_status.hpp"
#include "policy/text/escape.hpp"
#include "policy/text/nearest.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/model/number.hpp"
#include "scanner/users.hpp"

namespace reaper::agent {

template <>
struct MembersOf<Message> {
    static auto tie(Is<Message> auto& it) {
        auto& [text, status] = it;
        return std::tie(text, status);
    }
};

namespace {

using policy::escape;
using scanner::Uid;

// Finds a user by name; a number that is no user's name is taken as a uid.
tl::expected<Uid, Message> find_user(const std::string& name) {
    const auto user = scanner::find_user(name);
    if (user && *user) return (*user)->uid;
    if (const auto number = scanner::to_number<Uid>(name)) return *number;
    return tl::unexpected(
        usage_error(fmt::format("--user {}: there is no such user", escape(name, 40))));
}

tl::expected<std::optional<Uid>, Message> find_scope(const ScopeOptions& options) {
    if (options.all_users) return std::nullopt;
    if (options.user.empty()) return ::geteuid();
    return find_user(options.user);
}

// The families that were asked for by their names or packs; asking for one that is off switches it
// on. The others stay on: what they recognise must not be taken for something else.
tl::expected<std::vector<std::string>, Message> choose_families(
    policy::Rules& rules, const std::vector<std::string>& wanted) {
    std::vector<std::string_view> known;
    known.reserve(rules.families.size());
    for (const policy::FamilyRule& rule : rules.families) {
        known.push_back(rule.name);
        if (!rule.pack.empty() && std::ranges::find(known, rule.pack) == known.end())
            known.push_back(rule.pack);
    }
    for (const std::string& name : wanted) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        return tl::unexpected(usage_error(
            fmt::format("--family {}: no such family or pack{} (known: {})", escape(name, 40),
                        policy::did_you_mean(name, known), fmt::join(known, ", "))));
    }
    std::vector<std::string> chosen;
    for (policy::FamilyRule& rule : rules.families) {
        const bool is_wanted = std::ranges::any_of(wanted, [&](const std::string& name) {
            return name == rule.name || name == rule.pack;
        });
        if (!is_wanted) continue;
        rule.enabled = true;
        chosen.push_back(rule.name);
    }
    return chosen;
}

// Where families were chosen, those of the packs are chosen as well.
tl::expected<void, Message> add_packs(policy::Rules& rules, const std::vector<std::string>& wanted,
                                      std::vector<std::string>& chosen) {
    const bool narrowed = !chosen.empty();
    for (const std::string& pack : wanted) {
        std::vector<std::string_view> known;
        bool found = false;
        for (policy::FamilyRule& rule : rules.families) {
            if (rule.pack.empty()) continue;
            if (std::ranges::find(known, rule.pack) == known.end()) known.push_back(rule.pack);
            if (rule.pack != pack) continue;
            rule.enabled = found = true;
            if (narrowed) chosen.push_back(rule.name);
        }
        if (found) continue;
        return tl::unexpected(
            usage_error(fmt::format("--with {}: no such pack{} (known: {})", escape(pack, 40),
                                    policy::did_you_mean(pack, known), fmt::join(known, ", "))));
    }
    return {};
}

Message incomplete(const std::string& why) {
    return {fmt::format("orphan-reaper: {}\n", why), static_cast<int>(ExitStatus::incomplete)};
}

// Members name their home as their host wrote it; so it is taken as typed, and as what it really
// is.
tl::expected<std::vector<std::string>, Message> find_homes_in_place(
    const std::vector<std::string>& wanted) {
    std::vector<std::string> homes;
    for (const std::string& path : wanted) {
        if (!scanner::may_read(::geteuid(), path))
            return tl::unexpected(incomplete(unanswered_text(escape(path, 200))));
        struct stat status{};
        const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                               &std::free);
        if (!real || ::stat(real.get(), &status) != 0) {
            const std::string why = std::generic_category().message(errno);
            return tl::unexpected(
                usage_error(fmt::format("--home {}: {}", escape(path, 200), why)));
        }
        if (!S_ISDIR(status.st_mode)) {
            return tl::unexpected(
                usage_error(fmt::format("--home {}: this is no folder", escape(path, 200))));
        }
        homes.emplace_back(real.get());
        std::string typed = path;
        while (typed.size() > 1 && typed.back() == '/') typed.pop_back();
        if (typed.starts_with('/') && typed != homes.back()) homes.push_back(std::move(typed));
    }
    return homes;
}

// What it reads may be on a file system that hangs.
tl::expected<std::vector<std::string>, Message> find_homes(const std::vector<std::string>& wanted) {
    using Homes = tl::expected<std::vector<std::string>, Message>;
    if (wanted.empty()) return wanted;
    auto homes = read_bounded<Homes>([&] { return Result<Homes>(find_homes_in_place(wanted)); });
    return homes ? *std::move(homes)
                 : tl::unexpected(incomplete(escape(describe(homes.error()), 2000)));
}

template <class T>
using RulesRead = tl::expected<T, std::string>;

template <class T>
RulesRead<T> read_rules_bounded(const std::function<RulesRead<T>()>& read) {
    auto result = read_bounded<RulesRead<T>>([&] { return Result<RulesRead<T>>(read()); });
    return result ? *std::move(result) : tl::unexpected(describe(result.error()));
}

// Root's own places are in no other user's hands.
tl::expected<std::vector<RuleSource>, std::string> find_sources(const std::string& config) {
    const auto read = [&] { return read_rule_sources(usual_rule_places(config)); };
    return ::geteuid() == 0 && config.empty() ? read()
                                              : read_rules_bounded<std::vector<RuleSource>>(read);
}

// A file that is to be checked has its place among the others, or is laid over them.
tl::expected<void, std::string> add_checked(const std::string& path, Setup& setup) {
    auto file = read_rules_bounded<RuleSource>([&] { return read_rule_file(path); });
    if (!file) return tl::unexpected(std::move(file.error()));
    std::vector<RuleSource>& sources = setup.rule_sources;
    const auto known =
        std::ranges::find_if(sources, [&](const auto& source) { return same_file(source, *file); });
    setup.checked =
        CheckedRules{static_cast<std::size_t>(known - sources.begin()), known != sources.end()};
    if (known == sources.end()) sources.push_back(std::move(*file));
    return {};
}

// As `su` without a login or `setpriv` leave it: HOME is another user's.
std::string closed_home() {
    const std::string home = own_home();
    const auto is_closed = [&] {
        return !home.empty() && scanner::may_read(::geteuid(), home) &&
               ::access(home.c_str(), X_OK) != 0 && errno == EACCES;
    };
    const auto closed = read_bounded<bool>([&] { return Result<bool>(is_closed()); });
    return closed && *closed
               ? fmt::format(": HOME is {}, which this user may not enter", escape(home, 200))
               : std::string();
}

tl::expected<void, Message> find_rules(const ScopeOptions& options, Setup& setup) {
    const auto wrong = [](const std::string& why) {
        return tl::unexpected(Message{fmt::format("orphan-reaper: {}\nnothing was done{}\n",
                                                  escape(why, 2000), closed_home()),
                                      static_cast<int>(ExitStatus::configuration)});
    };
    auto sources = find_sources(options.config);
    if (!sources) return wrong(sources.error());
    setup.rule_sources = std::move(*sources);
    const bool checks = !options.rule_file.empty();
    if (auto added =
            checks ? add_checked(options.rule_file, setup) : tl::expected<void, std::string>();
        !added)
        return wrong(added.error());
    auto rules = combine_rules(setup.rule_sources);
    if (!rules) return wrong(rules.error());
    setup.rules = std::move(*rules);
    return {};
}

// Whatever the rules are.
tl::expected<Setup, Message> prepare_scope(const ScopeOptions& options, Setup setup) {
    auto families = choose_families(setup.rules, options.families);
    if (!families) return tl::unexpected(families.error());
    if (auto added = add_packs(setup.rules, options.packs, *families); !added)
        return tl::unexpected(added.error());
    auto under = find_under(options.under);
    if (!under) return tl::unexpected(under.error());
    const bool wanted = !under->names.empty();
    setup.under_is_gone = wanted && under->home != under->names.front();
    if (options.lists_others || wanted) policy::list_apart(setup.rules);
    if (wanted) policy::add_leftovers(setup.rules, under->names, under->home);
    // Facts can speak of homes of another machine.
    auto homes = options.from_facts.empty() ? find_homes(options.homes) : options.homes;
    if (!homes) return tl::unexpected(homes.error());
    auto scope = find_scope(options);
    if (!scope) return tl::unexpected(scope.error());
    setup.uid = *scope;
    setup.settings = {setup.uid ? std::vector<Uid>{*setup.uid} : std::vector<Uid>{},
                      std::move(*homes),
                      std::move(under->names),
                      std::move(*families),
                      options.also_reap,
                      options.reap_inside_services,
                      options.min_age,
                      options.grace,
                      options.grace_cap};
    return setup;
}

}  // namespace

tl::expected<Setup, Message> prepare(const ScopeOptions& options) {
    Setup setup;
    if (auto found = find_rules(options, setup); !found) return tl::unexpected(found.error());
    return prepare_scope(options, std::move(setup));
}

tl::expected<Setup, Message> prepare_without_rule_files(const ScopeOptions& options) {
    Setup setup;
    setup.rules = policy::built_in_rules();
    return prepare_scope(options, std::move(setup));
}

tl::expected<std::vector<RuleSource>, std::string> check_rule_files(const std::string& config) {
    auto sources = find_sources(config);
    if (!sources) return sources;
    const auto rules = combine_rules(*sources);
    return rules ? std::move(sources) : tl::unexpected(rules.error());
}

}  // namespace reaper::agent
