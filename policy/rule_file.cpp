// Rule files: JSON text -> FamilyRule and ProtectRule values, each field checked where it stands.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "policy/duration.hpp"
#include "policy/escape.hpp"
#include "policy/json_text.hpp"
#include "policy/nearest.hpp"
#include "policy/rules.hpp"

namespace reaper::policy {

namespace {

using nlohmann::json;

// The text that is being read, and the first mistake that was found in it.
struct Source {
    std::string_view origin;
    std::string_view text;
    const std::map<std::string, std::size_t>& offsets;
    std::string mistake;

    void complain(const std::string& pointer, const std::string& what) {
        if (!mistake.empty()) return;
        const auto found = offsets.find(pointer);
        mistake = fmt::format("{}:{}: {}", origin, place_of(text, found == offsets.end() ? 0 : found->second), what);
    }
};

// One value in the text. Readers leave their target alone when the value is not what it should be, and complain.
class Value {
   public:
    using Reader = std::function<void(const Value&)>;
    using Members = std::map<std::string, Reader, std::less<>>;

    Value(Source& source, const json& value, std::string pointer)
        : source_(&source), value_(&value), pointer_(std::move(pointer)) {}

    void read(bool& target) const {
        if (value_->is_boolean())
            target = value_->get<bool>();
        else
            expect("true or false");
    }
    void read(std::string& target) const {
        if (value_->is_string() && !value_->get_ref<const std::string&>().empty())
            target = value_->get<std::string>();
        else
            expect("a text that is not empty");
    }
    void read(std::chrono::milliseconds& target) const {
        if (!value_->is_string()) return expect("a duration such as \"30s\"");
        const auto duration = parse_duration(value_->get_ref<const std::string&>());
        if (duration)
            target = *duration;
        else
            complain(duration.error());
    }
    void read(std::uint16_t& target) const {
        const bool fits = value_->is_number_unsigned() && value_->get<std::uint64_t>() - 1 < 65535;
        if (fits)
            target = value_->get<std::uint16_t>();
        else
            expect("a port from 1 to 65535");
    }
    // A list replaces what was there.
    template <class T>
    void read(std::vector<T>& target) const {
        list(
            [&target](const Value& element) {
                T item{};
                element.read_item(item);
                target.push_back(std::move(item));
            },
            [&target] { target.clear(); });
    }
    void read(HomeSource& target) const;
    void read(OwnerSource& target) const;
    void read(Verdict& target) const;
    void read(Action& target) const;
    void read(std::map<Verdict, Action>& target) const;
    void read(Role& target) const;
    void read(Program& target) const;
    void read(ProtectRule& target) const;

    // Every member by its reader; a member that has none is a mistake.
    void members(const Members& readers) const {
        if (!value_->is_object()) return expect("an object, { ... }");
        for (const auto& [key, member] : value_->items()) {
            const Value at(*source_, member, member_pointer(pointer_, key));
            const auto reader = readers.find(key);
            if (reader == readers.end())
                at.reject(key, readers);
            else
                reader->second(at);
        }
    }
    // Every member, whatever its key.
    void each_member(const std::function<void(const std::string& key, const Value&)>& reader) const {
        if (!value_->is_object()) return expect("an object, { ... }");
        for (const auto& [key, member] : value_->items()) {
            reader(key, Value(*source_, member, member_pointer(pointer_, key)));
        }
    }
    // Every element of a list.
    void each_element(const Reader& reader) const {
        list(reader, [] {});
    }
    void complain(const std::string& what) const { source_->complain(pointer_, what); }
    [[nodiscard]] bool has(const char* key) const { return value_->is_object() && value_->contains(key); }

   private:
    template <class T>
    void read_item(T& item) const {
        read(item);
    }
    void list(const Reader& reader, const std::function<void()>& begin) const {
        if (!value_->is_array()) return expect("a list, [ ... ]");
        begin();
        for (std::size_t at = 0; at < value_->size(); ++at) {
            reader(Value(*source_, (*value_)[at], pointer_ + "/" + std::to_string(at)));
        }
    }
    void expect(std::string_view what) const {
        complain(fmt::format("expected {}, found {}", what,
                             escape(value_->dump(-1, ' ', true, json::error_handler_t::replace), 40)));
    }
    void reject(const std::string& key, const Members& readers) const {
        std::vector<std::string_view> known;
        for (const auto& [name, reader] : readers) known.push_back(name);
        complain(fmt::format("\"{}\" is not known here{}", escape(key, 40), did_you_mean(key, known)));
    }

    Source* source_;
    const json* value_;
    std::string pointer_;
};

// A reader for one field of a struct.
template <class T>
Value::Reader into(T& target) {
    return [&target](const Value& value) { value.read(target); };
}

void Value::read(HomeSource& target) const {
    int sources = 0;
    const auto source = [&](HomeSource::From from) {
        return [&target, &sources, from](const Value& value) {
            ++sources;
            target.from = from;
            value.read(target.name);
        };
    };
    members({{"option", source(HomeSource::From::option)},
             {"variable", source(HomeSource::From::environment)},
             {"parent_of_variable", source(HomeSource::From::environment_parent)},
             {"path", source(HomeSource::From::fixed)}});
    if (sources != 1) complain("expected one of option, variable, parent_of_variable, path");
    const bool absolute = target.name.starts_with('/') || target.name.starts_with("~/") || target.name == "~";
    if (target.from == HomeSource::From::fixed && !absolute) complain("expected a path that begins with / or ~/");
}

void Value::read(Role& target) const {
    members(
        {{"name", into(target.name)}, {"flags", into(target.flags)}, {"outlives_host", into(target.outlives_host)}});
    if (target.name.empty()) complain("a role needs a name");
}

void Value::read(Program& target) const {
    members({{"interpreters", into(target.interpreters)},
             {"options_with_value", into(target.options_with_value)},
             {"options_without_value", into(target.options_without_value)},
             {"options_without_script", into(target.options_without_script)},
             {"scripts", into(target.scripts)},
             {"launchers", into(target.launchers)},
             {"modules", into(target.modules)},
             {"executables", into(target.executables)},
             {"commands", into(target.commands)},
             {"command_options_with_value", into(target.command_options_with_value)},
             {"required", into(target.required)},
             {"forbidden", into(target.forbidden)}});
    const bool interpreted = !target.scripts.empty() || !target.modules.empty();
    if (interpreted == target.interpreters.empty()) {
        complain(interpreted ? "a program with scripts or modules needs interpreters"
                             : "a program with interpreters needs scripts or modules");
    } else if (!interpreted && target.executables.empty()) {
        complain("a program needs interpreters, or executables");
    } else if (!target.executables.empty() && target.required.empty() && target.commands.empty()) {
        complain("a name alone proves nothing: executables need required arguments or commands");
    }
}

void Value::read(OwnerSource& target) const {
    int sources = 0;
    const auto source = [&](OwnerSource::From from) {
        return [&target, &sources, from](const Value& value) {
            ++sources;
            target.from = from;
            value.read(target.name);
        };
    };
    members({{"option", source(OwnerSource::From::option)},
             {"variable", source(OwnerSource::From::environment)},
             {"spawn_purpose", source(OwnerSource::From::spawn_marker)},
             {"time_option", into(target.time_option)}});
    if (sources != 1) complain("expected one of option, variable, spawn_purpose");
}

void Value::read(Verdict& target) const {
    std::string word;
    read(word);
    const auto verdict = verdict_from(word);
    constexpr std::string_view kKept[] = {"designated", "attached", "supervised", "foreign"};
    const bool kept = std::find(std::begin(kKept), std::end(kKept), word) != std::end(kKept);
    if (verdict && kept)
        target = *verdict;
    else
        complain(fmt::format("expected designated, attached, supervised or foreign{}", did_you_mean(word, kKept)));
}

void Value::read(Action& target) const {
    std::string word;
    read(word);
    constexpr std::string_view kWords[] = {"reap", "report", "keep"};
    if (word == "reap")
        target = Action::reap;
    else if (word == "report")
        target = Action::report;
    else if (word == "keep")
        target = Action::keep;
    else
        complain(fmt::format("expected reap, report or keep{}", did_you_mean(word, kWords)));
}

void Value::read(std::map<Verdict, Action>& target) const {
    const auto action = [&target](Verdict verdict) {
        return [&target, verdict](const Value& value) {
            Action chosen = Action::report;
            value.read(chosen);
            target[verdict] = chosen;
        };
    };
    members({{"orphan", action(Verdict::orphan)},
             {"superseded", action(Verdict::superseded)},
             {"abandoned", action(Verdict::abandoned)},
             {"duplicate", action(Verdict::duplicate)},
             {"held", action(Verdict::held)}});
}

// Weaker evidence than this proves nothing: a process without stdio and host may be a daemon that is meant to be so.
void check_proof(const Value& value, const Proof& proof) {
    constexpr std::string_view kCodes[] = {"stdin.dead", "stdout.dead", "owner.dead"};
    for (const std::string& code : proof) {
        if (std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes)) continue;
        value.complain(
            fmt::format("\"{}\" is no evidence of an orphan{}", escape(code, 40), did_you_mean(code, kCodes)));
    }
    const auto has = [&](std::string_view code) { return std::find(proof.begin(), proof.end(), code) != proof.end(); };
    if (!has("owner.dead") && !(has("stdin.dead") && has("stdout.dead"))) {
        value.complain("a proof needs owner.dead, or stdin.dead and stdout.dead");
    }
}

void Value::read(ProtectRule& target) const {
    members({{"exe", into(target.exe)}, {"arguments", into(target.arguments)}, {"home", into(target.home)}});
    if (target.exe.empty() && target.arguments.empty() && target.home.empty()) {
        complain("expected at least one of exe, arguments, home");
    }
    // Compared with what the system says, letter by letter: another spelling would protect nobody.
    const auto is_absolute = [](const std::string& path) { return path.empty() || path.starts_with('/'); };
    if (!is_absolute(target.exe)) complain("exe: expected a full path, one that begins with /");
    if (!is_absolute(target.home)) complain("home: expected a full path, one that begins with /");
    while (target.home.size() > 1 && target.home.back() == '/') target.home.pop_back();
}

void read_proofs(const Value& value, std::vector<Proof>& target) {
    target.clear();
    value.each_element([&](const Value& element) {
        Proof proof;
        element.read(proof);
        check_proof(element, proof);
        target.push_back(std::move(proof));
    });
    if (target.empty()) value.complain("without a proof nothing is ever an orphan; switch the family off instead");
}

void read_family(const Value& value, FamilyRule& rule) {
    value.members({
        {"enabled", into(rule.enabled)},
        {"pack", into(rule.pack)},
        {"keep_as",
         [&](const Value& keep_as) {
             Verdict verdict = Verdict::attached;
             keep_as.read(verdict);
             rule.keep_as = verdict;
         }},
        {"programs", into(rule.programs)},
        {"inside",
         [&](const Value& inside) {
             inside.members({{"folders", into(rule.inside_parts)}, {"package", into(rule.inside_package)}});
         }},
        {"roles", into(rule.roles)},
        {"home", into(rule.home)},
        {"hosts", into(rule.hosts)},
        {"marked_variables", into(rule.marked_variables)},
        {"owners", into(rule.owners)},
        {"proofs", [&](const Value& proofs) { read_proofs(proofs, rule.proofs); }},
        {"listens", into(rule.listens)},
        {"actions", into(rule.actions)},
        {"same_options", into(rule.same_options)},
        {"daemon",
         [&](const Value& daemon) {
             daemon.members({{"roles", into(rule.daemon_roles)}, {"ports", into(rule.daemon_ports)}});
         }},
        {"start_up", into(rule.start_up)},
        {"grace", into(rule.grace)},
        {"grace_cap", into(rule.grace_cap)},
    });
    if (rule.programs.empty()) value.complain("a new family needs programs");
    if (rule.home.empty()) value.complain("a new family needs a home");
    if (rule.roles.empty()) value.complain("a new family needs roles");
    if (rule.grace_cap < rule.grace) value.complain("grace_cap is shorter than grace");
}

FamilyRule& family_of(Rules& rules, const std::string& name) {
    for (FamilyRule& rule : rules.families) {
        if (rule.name == name) return rule;
    }
    return rules.families.emplace_back(default_family(name));
}

// One word switches a whole pack on, but for the families that the same text switches itself.
void read_packs(const Value& value, const std::set<std::string>& switched, Rules& rules) {
    value.each_element([&](const Value& element) {
        std::string pack;
        element.read(pack);
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

void read_protect(const Value& value, std::string_view origin, std::vector<ProtectRule>& target) {
    std::vector<ProtectRule> more;
    value.read(more);
    for (ProtectRule& rule : more) {
        rule.origin = origin;
        target.push_back(std::move(rule));
    }
}

}  // namespace

tl::expected<Rules, RuleMistake> overlay_rules(Rules base, std::string_view text, std::string_view origin) {
    const auto parsed = parse_json_text(text);
    if (!parsed) return tl::unexpected(RuleMistake{fmt::format("{}:{}", origin, parsed.error())});
    Source source{origin, text, parsed->offsets, {}};
    const Value whole(source, parsed->value, "");
    std::set<std::string> switched;
    whole.members({
        {"families",
         [&](const Value& families) {
             families.each_member([&](const std::string& name, const Value& family) {
                 FamilyRule& rule = family_of(base, name);
                 rule.origin = origin;
                 read_family(family, rule);
                 if (family.has("enabled")) switched.insert(name);
             });
         }},
        {"packs", [&](const Value& packs) { read_packs(packs, switched, base); }},
        {"protect", [&](const Value& protect) { read_protect(protect, origin, base.protect); }},
    });
    if (!source.mistake.empty()) return tl::unexpected(RuleMistake{source.mistake});
    return base;
}

}  // namespace reaper::policy
