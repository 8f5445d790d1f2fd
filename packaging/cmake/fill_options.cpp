// Runs while the program is built: fills what the table of options says into a template of the
// manual or of a shell's completions, so that no text about an option is written twice.
//
//   fill_options bash|zsh|fish|manual TEMPLATE OUTPUT
#include <cctype>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "agent/cli/option_table.hpp"

namespace reaper::agent {

namespace {

std::string replace_all(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

std::string command_names() {
    std::vector<std::string_view> names;
    for (const CommandInfo& command : command_table()) names.push_back(command.name);
    return fmt::format("{}", fmt::join(names, " "));
}

std::vector<const OptionInfo*> options_for(Command command) {
    std::vector<const OptionInfo*> options;
    for (const OptionInfo& option : option_table()) {
        if (is_for(option, command)) options.push_back(&option);
    }
    return options;
}

// ---- bash

std::string fill_bash(std::string text) {
    std::string values;
    for (const OptionInfo& option : option_table()) {
        if (option.value.empty()) continue;
        const std::string letter = option.letter.empty() ? "" : fmt::format(" | {}", option.letter);
        values += fmt::format("        {}{}) _orphan_reaper_value {} \"{}\"; return ;;\n",
                              option.name, letter, option.value, value_of(option).choices);
    }
    std::string cases;
    for (const CommandInfo& command : command_table()) {
        std::string names = command.starts_program ? "--" : "";
        for (const OptionInfo* option : options_for(command.command))
            names += fmt::format(" {} {}", option->name, option->letter);
        cases +=
            fmt::format("        {}) options=\"{}\" ;;\n",
                        command.command == Command::report ? "report | ''" : command.name, names);
    }
    text = replace_all(text, "@COMMANDS@", command_names());
    text = replace_all(text, "@VALUES@\n", values);
    return replace_all(text, "@OPTIONS@\n", cases);
}

// ---- zsh

std::string zsh_action(const ValueInfo& value) {
    if (value.value == "DIR") return "folder:_files -/";
    if (value.value == "FILE") return "file:_files";
    if (value.value == "FAMILY") return "family:_orphan-reaper_families";
    if (value.value == "USER") return "user:_users";
    if (value.value == "PID") return "pid:_pids";
    if (value.value == "LIST") return fmt::format("list:_values -s , kind {}", value.choices);
    if (!value.choices.empty()) return fmt::format("{}:({})", value.value, value.choices);
    return fmt::format("{}:", value.value);
}

// The options that must not follow: itself, unless it is repeatable, and what contradicts it.
std::string zsh_excluded(const OptionInfo& option) {
    std::string names;
    const auto add = [&](std::string_view name) {
        names += fmt::format(" {} {}", name, find_option(name)->letter);
    };
    if (option.value.empty() || !value_of(option).repeatable) add(option.name);
    for (const auto& [one, other] : kExclusive) {
        if (option.name == one) add(other);
        if (option.name == other) add(one);
    }
    return names.empty() ? "*" : fmt::format("({})", names);
}

std::string zsh_option(const OptionInfo& option) {
    const std::string help = replace_all(
        replace_all(replace_all(std::string(option.help), "[", "\\["), "]", "\\]"), "'", R"('\'')");
    const std::string value =
        option.value.empty() ? "" : fmt::format(":{}", zsh_action(value_of(option)));
    std::string lines;
    for (const std::string_view name : {option.letter, option.name}) {
        if (!name.empty())
            lines +=
                fmt::format("            '{}{}[{}]{}'\n", zsh_excluded(option), name, help, value);
    }
    return lines;
}

std::string fill_zsh(std::string text) {
    std::string cases;
    std::string commands;
    for (const CommandInfo& command : command_table()) {
        cases += fmt::format("        {}) options=(\n", command.name);
        for (const OptionInfo* option : options_for(command.command)) cases += zsh_option(*option);
        cases += "        ) ;;\n";
        commands += fmt::format("        '{}:{}'\n", command.name,
                                replace_all(std::string(command.help), "'", R"('\'')"));
    }
    text = replace_all(text, "@COMMANDS@\n", commands);
    return replace_all(text, "@OPTIONS@\n", cases);
}

// ---- fish

std::string fish_text(std::string_view text) {
    return "'" + replace_all(std::string(text), "'", R"(\')") + "'";
}

std::string fish_action(const OptionInfo& option) {
    if (option.value.empty()) return "";
    const ValueInfo& value = value_of(option);
    if (value.value == "FILE") return " -r -F";
    if (value.value == "DIR") return " -x -a \"(__fish_complete_directories)\"";
    if (value.value == "FAMILY") return " -x -a \"(__orphan_reaper_families)\"";
    if (value.value == "USER") return " -x -a \"(__fish_complete_users)\"";
    if (value.value == "PID") return " -x -a \"(__fish_complete_pids)\"";
    return value.choices.empty() ? " -x" : fmt::format(" -x -a \"{}\"", value.choices);
}

// Where there is no command it is report, so that what report takes is named by the others.
std::string fish_condition(const OptionInfo& option) {
    const bool reported = is_for(option, Command::report);
    std::vector<std::string_view> names;
    for (const CommandInfo& command : command_table()) {
        if (is_for(option, command.command) != reported) names.push_back(command.name);
    }
    if (names.empty()) return "";
    return fmt::format(" -n \"{}__fish_seen_subcommand_from {}\"", reported ? "not " : "",
                       fmt::join(names, " "));
}

std::string fill_fish(std::string text) {
    std::string commands;
    for (const CommandInfo& command : command_table()) {
        commands += fmt::format(
            "complete -c orphan-reaper -n \"not __fish_seen_subcommand_from $commands help\" "
            "-a {} -d {}\n",
            command.name, fish_text(command.help));
    }
    std::string options;
    for (const OptionInfo& option : option_table()) {
        const std::string letter =
            option.letter.empty() ? "" : fmt::format(" -s {}", option.letter.substr(1));
        options +=
            fmt::format("complete -c orphan-reaper{}{} -l {}{} -d {}\n", fish_condition(option),
                        letter, option.name.substr(2), fish_action(option), fish_text(option.help));
    }
    text = replace_all(text, "@DESCRIBED_COMMANDS@\n", commands);
    text = replace_all(text, "@COMMANDS@", command_names());
    return replace_all(text, "@OPTIONS@\n", options);
}

// ---- the manual, in mdoc(7)

// "--facts," as ".Fl -facts ,", "read(2)" as ".Xr read 2"; nothing for other words and quotations.
std::string mdoc_macro(std::string_view word) {
    if (word.find('\'') != std::string_view::npos) return {};
    const std::size_t end = word.find_last_not_of(".,;:)") + 1;
    const std::string_view name = word.substr(0, end);
    const std::size_t open = name.find('(');
    if (name.starts_with("--")) return fmt::format(".Fl {} {}", name.substr(1), word.substr(end));
    if (open != 0 && open != std::string_view::npos && word.find(')') != std::string_view::npos)
        return fmt::format(".Xr {} {} {}", name.substr(0, open), name.substr(open + 1),
                           word.substr(end + 1));
    return {};
}

// Every sentence and every macro on a line of its own.
std::string mdoc_text(std::string_view text) {
    std::string lines;
    bool fresh = true;
    for (const std::string_view word : split_words(text)) {
        const std::string macro = mdoc_macro(word);
        if (!macro.empty()) {
            lines += fmt::format("{}{}\n", fresh ? "" : "\n", macro);
        } else {
            lines += fmt::format("{}{}{}", fresh ? "" : " ",
                                 fresh && word.starts_with('\'') ? "\\&" : "", word);
        }
        fresh = !macro.empty() || word.ends_with('.');
        if (fresh && macro.empty()) lines += "\n";
    }
    return lines + (fresh ? "" : "\n");
}

std::string mdoc_option(const OptionInfo& option) {
    std::string help = fmt::format("{}.", option.help);
    const bool is_choice = !option.value.empty() && !value_of(option).choices.empty() &&
                           help.starts_with(split_words(value_of(option).choices).front());
    if (!is_choice) help.front() = static_cast<char>(std::toupper(help.front()));
    std::string text = fmt::format(
        ".It {}Fl {}{}\n", option.letter.empty() ? "" : fmt::format("Fl {} , ", option.letter[1]),
        option.name.substr(1), option.value.empty() ? "" : fmt::format(" Ar {}", option.value));
    text += mdoc_text(help) + mdoc_text(option.more);
    return option.only.empty()
               ? text
               : text + fmt::format("For {}.\n", join_words(split_words(option.only), "and"));
}

std::string fill_manual(std::string text) {
    std::string options;
    std::string_view group;
    for (const OptionInfo& option : option_table()) {
        if (option.group != group)
            options += fmt::format("{}.Ss {}\n.Bl -tag -width Ds\n", group.empty() ? "" : ".El\n",
                                   option.group);
        group = option.group;
        options += mdoc_option(option);
    }
    return replace_all(std::move(text), "@OPTIONS@\n", options + ".El\n");
}

std::string fill(std::string_view form, std::string text) {
    if (form == "bash") return fill_bash(std::move(text));
    if (form == "zsh") return fill_zsh(std::move(text));
    return form == "fish" ? fill_fish(std::move(text)) : fill_manual(std::move(text));
}

}  // namespace

}  // namespace reaper::agent

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "fill_options bash|zsh|fish|manual TEMPLATE OUTPUT\n";
        return 2;
    }
    const std::ifstream in(argv[2]);
    std::ostringstream text;
    text << in.rdbuf();
    std::ofstream out(argv[3]);
    out << reaper::agent::fill(argv[1], text.str());
    return in && out.flush() ? 0 : 1;
}
