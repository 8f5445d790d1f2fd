// Runs while the program is built: reads policy/families/*.json as any rule file is read, and
// writes them as C++, so that a start reads no JSON.
//
//   compile_families OUTPUT FILE...
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "policy/rules/rules.hpp"

namespace reaper::policy {

namespace {

std::string code(const std::string& text) {
    return text.empty() ? "{}" : fmt::format("R\"({})\"s", text);
}

std::string code(bool value) {
    return value ? "true" : "false";
}

std::string code(std::uint16_t number) {
    return std::to_string(number);
}

std::string code(std::chrono::milliseconds time) {
    return fmt::format("std::chrono::milliseconds({})", time.count());
}

template <class Enum>
std::string enumerator(const char* type, Enum value) {
    return fmt::format("{}({})", type, static_cast<int>(value));
}

std::string code(Verdict value) {
    return enumerator("Verdict", value);
}

std::string code(Action value) {
    return enumerator("Action", value);
}

std::string code(HomeSource::From value) {
    return enumerator("HomeSource::From", value);
}

std::string code(OwnerSource::From value) {
    return enumerator("OwnerSource::From", value);
}

std::string code(AtUpdate value) {
    return enumerator("AtUpdate", value);
}

std::string code(std::optional<Verdict> value) {
    return value ? code(*value) : "std::nullopt";
}

// The structs of rules.hpp, their members in the order in which they stand there.
std::string code(const HomeSource& source);
std::string code(const OwnerSource& source);
std::string code(const Role& role);
std::string code(const InterpreterOptions& options);
std::string code(const Program& program);

template <class T>
std::string code(const std::vector<T>& items) {
    std::string list;
    for (const T& item : items) list += code(item) + ", ";
    return "{" + list + "}";
}

std::string code(const std::map<Verdict, Action>& actions) {
    std::string list;
    for (const auto& [verdict, action] : actions)
        list += fmt::format("{{{}, {}}}, ", code(verdict), code(action));
    return "{" + list + "}";
}

template <class... Member>
std::string aggregate(const char* type, const Member&... members) {
    std::string list;
    ((list += code(members) + ", "), ...);
    return fmt::format("{}{{{}}}", type, list);
}

std::string code(const HomeSource& source) {
    return aggregate("HomeSource", source.from, source.name, source.above);
}

std::string code(const OwnerSource& source) {
    return aggregate("OwnerSource", source.from, source.name, source.time_option);
}

std::string code(const Role& role) {
    return aggregate("Role", role.name, role.flags, role.outlives_host, role.keep_as);
}

std::string code(const InterpreterOptions& options) {
    return aggregate("InterpreterOptions", options.with_value, options.without_value,
                     options.without_script);
}

std::string code(const Program& program) {
    return aggregate("Program", program.interpreters, program.options, program.scripts,
                     program.packages, program.launchers, program.modules, program.executables,
                     program.titles, program.called, program.commands,
                     program.command_options_with_value, program.required, program.forbidden,
                     program.marked_variables);
}

std::string code(const FamilyRule& rule) {
    return aggregate("FamilyRule", rule.name, rule.origin, rule.pack, rule.enabled, rule.listed,
                     rule.apart, rule.keep_as, rule.programs, rule.inside_parts,
                     rule.inside_package, rule.roles, rule.home, rule.hosts, rule.owners,
                     rule.needs_owner, rule.keeps_runner, rule.proofs, rule.single_instance,
                     rule.several_with, rule.same_options, rule.daemon_roles, rule.daemon_ports,
                     rule.at_update, rule.listens, rule.actions, rule.under, rule.start_up,
                     rule.grace, rule.grace_cap);
}

// Every family in a function of its own: one for all would take the compiler half a minute.
std::string source_of(const Rules& rules) {
    std::string functions;
    std::string calls;
    for (const FamilyRule& rule : rules.families) {
        functions +=
            fmt::format("FamilyRule {}() {{\n    return {};\n}}\n\n", rule.name, code(rule));
        calls += fmt::format("    rules.families.push_back({}());\n", rule.name);
    }
    return fmt::format(
        "// Made by compile_families from policy/families/*.json.\n#include "
        "\"policy/rules/rules.hpp\"\n\n"
        "namespace reaper::policy {{\n\nnamespace {{\n\nusing namespace "
        "std::string_literals;\n\n{}}}  // namespace\n\n"
        "Rules built_in_rules() {{\n    Rules rules;\n    rules.families.reserve({});\n{}    "
        "return rules;\n}}\n\n"
        "}}  // namespace reaper::policy\n",
        functions, rules.families.size(), calls);
}

tl::expected<Rules, RuleMistake> read_families(const std::vector<std::string>& paths) {
    Rules rules;
    for (const std::string& path : paths) {
        const std::ifstream file(path);
        std::ostringstream text;
        text << file.rdbuf();
        auto more = overlay_rules(std::move(rules), text.str(), path);
        if (!more) return more;
        rules = std::move(*more);
    }
    for (FamilyRule& rule : rules.families) rule.origin = "built-in";
    return rules;
}

int compile(const std::string& output, const std::vector<std::string>& paths) {
    const auto rules = read_families(paths);
    if (!rules) {
        std::cerr << rules.error().message << '\n';
        return 1;
    }
    std::ofstream file(output);
    file << source_of(*rules);
    return file.flush() ? 0 : 1;
}

}  // namespace

}  // namespace reaper::policy

int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << "compile_families OUTPUT FILE...\n";
        return 2;
    }
    return reaper::policy::compile(argv[1], {argv + 2, argv + argc});
}
