// Rule files: JSON text -> FamilyRule and ProtectRule values, each field checked where it stands.
#include <functional>
#include <map>
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
    void complain(const std::string& what) const { source_->complain(pointer_, what); }

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
             {"options_without_script", into(target.options_without_script)},
             {"scripts", into(target.scripts)},
             {"launchers", into(target.launchers)},
             {"modules", into(target.modules)},
             {"required", into(target.required)}});
    if (target.interpreters.empty()) complain("a program needs interpreters");
    if (target.scripts.empty() && target.modules.empty()) complain("a program needs scripts or modules");
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

void read_family(const Value& value, FamilyRule& rule) {
    value.members({
        {"enabled", into(rule.enabled)},
        {"program", into(rule.program)},
        {"inside",
         [&](const Value& inside) {
             inside.members({{"folders", into(rule.inside_parts)}, {"package", into(rule.inside_package)}});
         }},
        {"roles", into(rule.roles)},
        {"home", into(rule.home)},
        {"hosts", into(rule.hosts)},
        {"parent_option", into(rule.parent_option)},
        {"same_options", into(rule.same_options)},
        {"daemon",
         [&](const Value& daemon) {
             daemon.members({{"roles", into(rule.daemon_roles)}, {"ports", into(rule.daemon_ports)}});
         }},
        {"start_up", into(rule.start_up)},
        {"grace", into(rule.grace)},
        {"grace_cap", into(rule.grace_cap)},
    });
    if (rule.program.interpreters.empty()) value.complain("a new family needs a program");
    if (rule.home.empty()) value.complain("a new family needs a home");
    if (rule.roles.empty()) value.complain("a new family needs roles");
    if (rule.grace_cap < rule.grace) value.complain("grace_cap is shorter than grace");
}

FamilyRule& family_of(Rules& rules, const std::string& name) {
    for (FamilyRule& rule : rules.families) {
        if (rule.name == name) return rule;
    }
    FamilyRule fresh;
    fresh.name = name;
    fresh.start_up = std::chrono::seconds(180);
    fresh.grace = std::chrono::seconds(10);
    fresh.grace_cap = std::chrono::minutes(10);
    return rules.families.emplace_back(std::move(fresh));
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
    whole.members({
        {"families",
         [&](const Value& families) {
             families.each_member([&](const std::string& name, const Value& family) {
                 FamilyRule& rule = family_of(base, name);
                 rule.origin = origin;
                 read_family(family, rule);
             });
         }},
        {"protect", [&](const Value& protect) { read_protect(protect, origin, base.protect); }},
    });
    if (!source.mistake.empty()) return tl::unexpected(RuleMistake{source.mistake});
    return base;
}

}  // namespace reaper::policy
