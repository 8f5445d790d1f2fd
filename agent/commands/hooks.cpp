#include <algorithm>

#include <fmt/format.h>

#include "agent/commands/platform.hpp"
#include "agent/hooks/agents_pack.hpp"
#include "agent/hooks/hosts.hpp"
#include "agent/hooks/places.hpp"
#include "agent/hooks/plan.hpp"
#include "agent/hooks/view.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/rules/sources.hpp"
#include "agent/system/environment.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

using Answer = tl::expected<HooksAnswer, Message>;

constexpr int kClean = static_cast<int>(ExitStatus::clean);
constexpr int kRefused = static_cast<int>(ExitStatus::configuration);
constexpr int kIncomplete = static_cast<int>(ExitStatus::incomplete);

tl::unexpected<Message> failed(std::string_view why, int status) {
    return tl::unexpected(
        Message{fmt::format("orphan-reaper: hooks: {}\n", policy::escape(why, 2000)), status});
}

Result<std::vector<HookPlace>> find_places(const std::vector<std::string>& names) {
    const auto home = home_of_caller();
    if (!home) return tl::unexpected(home.error());
    std::vector<HookPlace> places;
    for (const HookHost& host : hook_hosts()) {
        if (names.empty() || std::ranges::find(names, host.name) != names.end())
            places.push_back(find_hook_place(host, *home));
    }
    return places;
}

// As sudo can leave it. Empty: there is nothing to say.
std::string home_remark() {
    const std::string said = variable("HOME");
    const auto home = home_of_caller();
    if (said.empty() || !home || said == *home) return {};
    return fmt::format("this is about {}, the home of its user, and not about HOME, which is {}",
                       *home, said);
}

// By the rules in effect; none: they cannot be read.
std::optional<bool> ends_agents_here() {
    const auto sources = read_rule_sources(usual_rule_places(""));
    if (!sources) return std::nullopt;
    const auto rules = combine_rules(*sources);
    return rules ? std::optional(ends_agents(*rules)) : std::nullopt;
}

// Empty: there is nothing to say.
std::string agents_remark_about(const HooksView& view) {
    if (view.ends_agents.value_or(true) || !has_hook_of_agents(view.hosts)) return {};
    return agents_remark(usual_rule_places("").folders.back());
}

HooksView view_of(const std::vector<HookPlace>& places, const HookProgram& program) {
    HooksView view{.version = REAPER_VERSION,
                   .program = program.name,
                   .refusal = program.refusal,
                   .ends_agents = ends_agents_here()};
    for (const HookPlace& place : places) view.hosts.push_back(hook_status(place, program.name));
    for (std::string remark : {home_remark(), agents_remark_about(view)}) {
        if (!remark.empty()) view.remarks.push_back(std::move(remark));
    }
    return view;
}

Answer status(const std::vector<HookPlace>& places, const Options& options) {
    const HooksView view = view_of(places, find_hook_program());
    const ExitStatus exit_status = exit_status_of(view.hosts, !options.hook_hosts.empty());
    return HooksAnswer{
        options.format == Format::json ? render_hooks_json(view, exit_status) : render_hooks(view),
        static_cast<int>(exit_status)};
}

std::string line_of(const std::string& remark) {
    return remark.empty() ? "" : policy::escape(remark, 2000) + "\n";
}

// What is to be done to each file, and what is refused.
struct HooksPlan {
    std::vector<HookChange> changes;
    std::string refused;
    int status = kClean;

    [[nodiscard]] bool is_empty() const {
        return std::ranges::none_of(changes, &HookChange::changes_file);
    }
    [[nodiscard]] std::string text() const {
        std::string text;
        for (const HookChange& change : changes) text += change_text(change);
        return text;
    }
    [[nodiscard]] std::string remarks() const {
        std::string text;
        for (const HookChange& change : changes) text += line_of(change.remark);
        return text;
    }
};

std::string by_hand(const HookPlace& place, std::string_view program) {
    if (!place.is_there) return {};
    const bool is_whole = place.host->form == HookForm::module;
    const std::string_view how = asks_already(place)
                                     ? "it asks for a sweep already; install would write this"
                                 : !is_whole       ? "by hand, add this to it"
                                 : place.file.text ? "by hand, make another file beside it of this"
                                                   : "by hand, make it of this";
    return fmt::format("  {}:\n{}", how, whole_file(*place.host, program));
}

HooksPlan make_plan(const std::vector<HookPlace>& places, bool installs, bool named,
                    std::string_view program) {
    HooksPlan plan;
    for (const HookPlace& place : places) {
        if (!place.is_there && !(named && installs)) continue;
        auto change = installs ? plan_hook_install(place, program) : plan_hook_remove(place);
        if (change) {
            if (change->is_left) plan.status = std::max(plan.status, kRefused);
            plan.changes.push_back(*std::move(change));
            continue;
        }
        plan.refused += fmt::format("{}\n{}", policy::escape(change.error(), 2000),
                                    installs ? by_hand(place, program) : "");
        plan.status = place.file.trouble.empty() ? std::max(plan.status, kRefused) : kIncomplete;
    }
    return plan;
}

std::string done_text(const HookChange& change, bool installs) {
    const std::string path = policy::escape(change.path, 1000);
    if (!change.changes_file() && !change.remark.empty()) return line_of(change.remark);
    if (!installs)
        return change.changes_file() ? fmt::format("{}: the hook is removed from {}\n{}",
                                                   change.host->name, path, line_of(change.remark))
                                     : fmt::format("{}: there is no hook\n", change.host->name);
    std::string text =
        fmt::format("{}: the hook is {} {}\n", change.host->name,
                    change.changes_file() ? "installed in" : "installed already in", path);
    if (!change.host->next.empty()) text += fmt::format("  -> {}\n", change.host->next);
    return text + line_of(change.remark);
}

HooksAnswer carry_out_all(const HooksPlan& plan, bool installs, std::string text) {
    int exit_status = plan.status;
    for (const HookChange& change : plan.changes) {
        if (const auto done = carry_out(change); done) {
            text += done_text(change, installs);
        } else {
            text += fmt::format("{}: {}\n", change.host->name,
                                policy::escape(describe(done.error()), 2000));
            exit_status = kIncomplete;
        }
    }
    if (plan.changes.empty() && plan.refused.empty())
        text += installs ? "no host is here\n" : "there is no hook\n";
    return {text + plan.refused, exit_status};
}

// What a dry run says.
std::string shown(const HooksPlan& plan) {
    const std::string text = plan.text() + plan.remarks() + plan.refused;
    return text.empty() ? "nothing is to be done\n" : text;
}

// About what is there once all is done.
std::string remark_after_install(const Options& options, const HookProgram& program) {
    const auto places = find_places(options.hook_hosts);
    return places ? line_of(agents_remark_about(view_of(*places, program))) : "";
}

Answer change(const std::vector<HookPlace>& places, const Options& options, const AskPerson& ask) {
    const bool installs = options.hooks_task == "install";
    const HookProgram program = installs ? find_hook_program() : HookProgram();
    if (!program.refusal.empty()) return failed(program.refusal, kRefused);
    const HooksPlan plan = make_plan(places, installs, !options.hook_hosts.empty(), program.name);
    const std::string about = line_of(home_remark());
    if (options.dry_run) return HooksAnswer{about + shown(plan), plan.status};
    const bool is_asked = !options.yes && !plan.is_empty();
    if (is_asked && !ask)
        return failed(
            "there is no terminal to ask on: --dry-run shows what would be changed, "
            "--yes changes it",
            static_cast<int>(ExitStatus::usage));
    if (is_asked && !ask(about + plan.text()))
        return HooksAnswer{"nothing was changed\n", static_cast<int>(ExitStatus::leaks_left)};
    HooksAnswer answer = carry_out_all(plan, installs, is_asked ? "" : about + plan.text());
    if (installs) answer.text += remark_after_install(options, program);
    return answer;
}

}  // namespace

Answer run_hooks(const Options& options, const AskPerson& ask) {
    const auto places = find_places(options.hook_hosts);
    if (!places) return failed(describe(places.error()), kIncomplete);
    return options.hooks_task == "status" ? status(*places, options)
                                          : change(*places, options, ask);
}

}  // namespace reaper::agent
