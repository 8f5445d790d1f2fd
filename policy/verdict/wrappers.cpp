#include "policy/verdict/wrappers.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "policy/match/parentage.hpp"
#include "policy/verdict/ownership.hpp"

namespace reaper::policy {

namespace {

using scanner::Facts;
using scanner::Pid;
using scanner::ProcessRow;
using Words = std::span<const std::string>;

// Programs that stay while their command runs; others (env, nice, nohup) become it.
constexpr std::string_view kWrappers[] = {"timeout", "sudo",  "doas",   "su",   "runuser",
                                          "setsid",  "flock", "script", "time", "orphan-reaper"};
constexpr std::string_view kShells[] = {"sh", "bash", "dash", "ash", "zsh", "ksh"};
constexpr std::string_view kLoops[] = {"while", "until", "for", "repeat", "foreach"};

template <std::size_t N>
bool contains(const std::string_view (&words)[N], std::string_view word) {
    return std::ranges::find(words, word) != std::end(words);
}

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

bool is_option(std::string_view word) {
    return word.starts_with('-');
}

Words after_options(Words words) {
    const auto first = std::ranges::find_if_not(words, is_option);
    return words.subspan(static_cast<std::size_t>(first - words.begin()));
}

// Returns the text after "-c" or "-ec", and the words that are given to it.
Words command_of_shell(Words arguments) {
    const Words command = after_options(arguments);
    const auto options = arguments.first(arguments.size() - command.size());
    const bool has_text = std::ranges::any_of(options, [](std::string_view option) {
        return !option.starts_with("--") && option.find('c') != std::string_view::npos;
    });
    return has_text ? command : Words();
}

bool has_loop(std::string_view text) {
    const auto is_letter = [](unsigned char one) { return std::isalpha(one) != 0; };
    for (auto at = text.begin(); at != text.end();) {
        const auto word = std::find_if(at, text.end(), is_letter);
        at = std::find_if_not(word, text.end(), is_letter);
        if (contains(kLoops, std::string_view(word, at))) return true;
    }
    return false;
}

// True if the script, module or command that the child runs occurs in the text, or in the words
// that are given to it.
bool names(Words command, const ProcessRow& child) {
    const Words words = after_options(Words(child.command_line.value.argv).subspan(1));
    const std::string_view what =
        words.empty() ? child.command_line.value.argv.front() : words.front();
    const std::string_view name = file_name(what);
    return !name.empty() && std::ranges::any_of(command, [&](std::string_view word) {
        return word.find(name) != std::string_view::npos;
    });
}

// No list, pipeline, redirection to another process, substitution or variable.
bool is_one_command(std::string_view text) {
    return text.find_first_of(";&|()`$<>{}\n\\#!") == std::string_view::npos;
}

// Without the quotes that npm puts around a path.
std::string_view first_word(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.starts_with('\'') || text.starts_with('"')) {
        const char quote = text.front();
        text.remove_prefix(1);
        return text.substr(0, text.find(quote));
    }
    return text.substr(0, text.find(' '));
}

// True for what argv[0] or the first word that is no option is called.
bool is_program_of(std::string_view word, const ProcessRow& child) {
    const auto& argv = child.command_line.value.argv;
    const Words words = after_options(Words(argv).subspan(1));
    const std::string_view name = file_name(word);
    return !name.empty() && (file_name(argv.front()) == name ||
                             (!words.empty() && file_name(words.front()) == name));
}

bool is_wrapper(Pid pid, const Facts& facts) {
    return std::ranges::find(facts.wrappers, pid) != facts.wrappers.end() &&
           std::ranges::none_of(facts.candidates,
                                [pid](const auto& candidate) { return candidate.row.pid == pid; });
}

}  // namespace

bool is_wrapper_of(const ProcessRow& wrapper, const ProcessRow& child) {
    const auto& argv = wrapper.command_line.value.argv;
    if (argv.empty() || child.command_line.value.argv.empty()) return false;
    std::string_view program = file_name(argv.front());
    if (program.starts_with('-')) program.remove_prefix(1);  // a login shell
    if (contains(kWrappers, program)) return true;
    if (!contains(kShells, program) || wrapper.command_line.value.truncated) return false;
    const Words command = command_of_shell(Words(argv).subspan(1));
    return std::ranges::none_of(command, has_loop) && names(command, child);
}

bool only_runs(const ProcessRow& wrapper, const ProcessRow& child) {
    const auto& argv = wrapper.command_line.value.argv;
    if (!is_wrapper_of(wrapper, child)) return false;
    const std::string_view program = file_name(argv.front());
    if (contains(kWrappers, program)) return true;
    const Words command = command_of_shell(Words(argv).subspan(1));
    return !command.empty() && is_one_command(command.front()) &&
           is_program_of(first_word(command.front()), child);
}

Pid host_behind_wrappers(const Member& member, const Facts& facts) {
    Pid host = host_of(member, facts);
    for (std::size_t step = 0; step < facts.wrappers.size() && is_wrapper(host, facts); ++step) {
        const ProcessRow* wrapper = find_row(facts, host);
        if (wrapper == nullptr || is_host(member.rule(), *wrapper)) break;
        const Parentage above = parentage_of(facts, member.rule(), *wrapper);
        if (!above.has_live_host()) break;
        host = above.pid;
    }
    return host;
}

}  // namespace reaper::policy
