#include "agent/hooks/plan.hpp"

#include <fmt/format.h>

#include "agent/hooks/asking.hpp"
#include "agent/hooks/hosts.hpp"
#include "agent/hooks/json_hooks.hpp"
#include "agent/hooks/module_file.hpp"
#include "agent/hooks/places.hpp"
#include "agent/hooks/yaml_hooks.hpp"

namespace reaper::agent {

namespace {

using Refused = tl::unexpected<std::string>;

EditedText add_hook(std::string_view text, const HookHost& host, std::string_view program) {
    return host.form == HookForm::yaml ? add_yaml_hook(text, host, program)
                                       : add_json_hook(text, host, program);
}

EditedText remove_hooks(std::string_view text, const HookHost& host,
                        const std::optional<std::string>& backup) {
    return host.form == HookForm::yaml ? remove_yaml_hooks(text, host, backup)
                                       : remove_json_hooks(text, host, backup);
}

FoundHooks find_module_hooks(std::string_view text) {
    FoundHooks found;
    std::string program = program_of_module(text);
    if (program.empty())
        found.by_hand = line_that_detaches(text);
    else
        found.programs.push_back(std::move(program));
    return found;
}

FoundHooks find_hooks(const HookPlace& place) {
    if (!place.file.text) return {};
    const std::string& text = *place.file.text;
    switch (place.host->form) {
        case HookForm::module: return find_module_hooks(text);
        case HookForm::yaml: return find_yaml_hooks(text, *place.host);
        default: return find_json_hooks(text, *place.host);
    }
}

HookState state_of(const HookPlace& place, std::string_view program) {
    const HookHost& host = *place.host;
    if (!place.is_there) return HookState::no_host;
    if (!place.file.trouble.empty()) return HookState::unknown;
    if (!place.file.text) return HookState::not_installed;
    const std::string& text = *place.file.text;
    if (host.form == HookForm::yaml) return yaml_state(text, host, program);
    if (host.form != HookForm::module) return json_state(text, host, program);
    const FoundHooks found = find_module_hooks(text);
    if (found.by_hand) return HookState::by_hand;
    if (found.programs.empty()) return HookState::not_installed;
    return found.programs.front() == program ? HookState::installed : HookState::other_version;
}

std::string line_text(std::size_t line) {
    return line == 0 ? "a line" : fmt::format("line {}", line);
}

constexpr std::string_view kOff =
    "has \"disableAllHooks\": until that is taken out, Claude Code runs no hook";

// The entry that stands in the file, without indentation.
std::string entry_text(const HookHost& host, std::string_view program) {
    if (host.form == HookForm::yaml) return yaml_item(host, program);
    if (host.form == HookForm::module) return fmt::format("const program = \"{}\";\n", program);
    return hook_entry(host, program).dump(2) + "\n";
}

void show_taken_out(HookChange& change, const FoundHooks& found) {
    for (const std::string& program : found.programs)
        change.taken_out.push_back(entry_text(*change.host, program));
}

HookChange no_change(const HookPlace& place) {
    const HookFile& file = place.file;
    return {.host = place.host,
            .path = file.path,
            .target = file.target,
            .before = file.text,
            .after = file.text};
}

std::string refusal_of(const HookPlace& place, std::string_view why) {
    return fmt::format("{}: {} {}", place.host->name, place.file.path, why);
}

// What a file is once nothing of install is left in it, and install has made it.
bool is_nothing(std::string_view text, const HookHost& host) {
    if (host.form == HookForm::yaml) return text.empty();
    return is_same_json(text, host.form == HookForm::handlers ? "{\"version\":1}" : "{}");
}

// What the text of before is in the file without the hook, byte for byte where nothing but blanks
// differ.
std::string restored(const std::string& text, const HookPlace& place) {
    const auto& backup = place.file.backup;
    const bool is_json = place.host->form != HookForm::yaml;
    return backup && is_json && is_same_json(text, *backup) ? *backup : text;
}

HookPlan install_module(const HookPlace& place, std::string_view program) {
    const HookFile& file = place.file;
    const FoundHooks found = find_hooks(place);
    if (file.text && found.programs.empty())
        return Refused(refusal_of(place, "was not written by install"));
    HookChange change = no_change(place);
    change.makes_folder = !file.has_folder;
    change.after =
        module_text(program, file.text ? has_own_folder(*file.text) : change.makes_folder);
    show_taken_out(change, found);
    change.put_in.push_back(entry_text(*place.host, program));
    return change;
}

HookPlan remove_module(const HookPlace& place) {
    HookChange change = no_change(place);
    if (find_hooks(place).programs.empty()) return change;
    change.removes_folder = has_own_folder(*place.file.text);
    change.after.reset();
    return change;
}

// Why a file is not understood, as the end of a sentence.
std::string unknown_form(const HookPlace& place) {
    const auto bare = remove_hooks(*place.file.text, *place.host, std::nullopt);
    return bare ? "is not understood" : bare.error();
}

// Why it must not be changed at all; empty: it may.
std::string refuse_place(const HookPlace& place) {
    const HookFile& file = place.file;
    if (!file.trouble.empty()) return refusal_of(place, file.trouble);
    if (!file.refusal.empty()) return refusal_of(place, file.refusal);
    const bool is_unknown = state_of(place, "") == HookState::unknown;
    return is_unknown ? refusal_of(place, unknown_form(place)) : "";
}

// That install would be refused, for the status of a hook that is to be installed.
void add_refusal(HookStatus& status, const HookPlace& place, std::string_view program) {
    const bool is_missing =
        status.state == HookState::not_installed || status.state == HookState::other_version;
    if (!is_missing || program.empty()) return;
    const HookPlan plan = plan_hook_install(place, program);
    if (plan) return;
    const std::size_t before = refusal_of(place, "").size();
    status.is_refused = true;
    status.remark = "install is refused: the file " + plan.error().substr(before);
}

// What a person has written stays, and stays the only one.
HookChange leave_by_hand(const HookPlace& place, std::string_view program, std::size_t line) {
    HookChange change = no_change(place);
    change.is_left = state_of(place, program) != HookState::by_hand;
    const std::string where =
        fmt::format("{}: {} of {}", place.host->name, line_text(line), place.file.path);
    change.remark = where + (change.is_left ? " asks for a sweep in a form that is not understood: "
                                              "no hook is added"
                                            : " is a hook by hand: it is left as it is");
    return change;
}

std::string remark_of_rest(const HookPlace& place, std::size_t line) {
    return fmt::format("{}: {} of {} is by hand and left as it is: take it out by hand",
                       place.host->name, line_text(line), place.file.path);
}

HookPlan install_in(const HookPlace& place, std::string_view program, const FoundHooks& found) {
    const HookFile& file = place.file;
    const auto bare = remove_hooks(*file.text, *place.host, file.backup);
    if (!bare) return Refused(refusal_of(place, bare.error()));
    const auto after = add_hook(*bare, *place.host, program);
    if (!after) return Refused(refusal_of(place, after.error()));
    if (after->size() > kMostOfHookFile)
        return Refused(refusal_of(place, "would be larger than 1 MiB with the hook"));
    HookChange change = no_change(place);
    change.after = *after;
    show_taken_out(change, found);
    change.put_in.push_back(entry_text(*place.host, program));
    if (has_hooks_off(*after, *place.host)) change.remark = refusal_of(place, kOff);
    // One of an installation that is replaced is older, and still right.
    const bool is_replaced = *bare != *file.text;
    if (is_replaced && file.backup) return change;
    // That of a file which install has made is none.
    if (is_replaced && is_nothing(*bare, *place.host)) return change;
    change.backup = HookChange::Backup::write;
    change.backup_text = *bare;
    return change;
}

}  // namespace

HookStatus hook_status(const HookPlace& place, std::string_view program) {
    HookStatus status{
        .host = place.host, .state = state_of(place, program), .file = place.file.path};
    const FoundHooks found = find_hooks(place);
    if (found.by_hand) status.remark = line_text(*found.by_hand);
    if (status.state == HookState::unclear)
        status.remark += " asks for a sweep in a form that is not understood";
    if (status.state == HookState::unknown)
        status.remark = place.file.trouble.empty() ? unknown_form(place) : place.file.trouble;
    const bool is_there =
        status.state == HookState::installed || status.state == HookState::by_hand;
    if (is_there && has_hooks_off(*place.file.text, *place.host)) {
        status.state = HookState::off;
        status.remark = kOff;
    }
    add_refusal(status, place, program);
    return status;
}

bool asks_already(const HookPlace& place) {
    const FoundHooks found = find_hooks(place);
    return found.by_hand || !found.programs.empty();
}

HookPlan plan_hook_install(const HookPlace& place, std::string_view program) {
    const HookFile& file = place.file;
    if (!place.is_there)
        return Refused(fmt::format("{}: {} is not here: there is no folder for {}",
                                   place.host->name, place.host->title, file.path));
    if (std::string why = refuse_place(place); !why.empty()) return Refused(std::move(why));
    if (state_of(place, program) == HookState::installed) return no_change(place);
    const FoundHooks found = find_hooks(place);
    if (found.programs.empty() && found.by_hand)
        return leave_by_hand(place, program, *found.by_hand);
    if (place.host->form == HookForm::module) return install_module(place, program);
    if (file.text) return install_in(place, program, found);
    HookChange change = no_change(place);
    change.after = whole_file(*place.host, program);
    if (file.backup) change.backup = HookChange::Backup::remove;
    return change;
}

HookPlan plan_hook_remove(const HookPlace& place) {
    const HookFile& file = place.file;
    if (!place.is_there) return no_change(place);
    if (std::string why = refuse_place(place); !why.empty()) return Refused(std::move(why));
    const FoundHooks found = find_hooks(place);
    HookChange change = no_change(place);
    change.is_left = found.by_hand.has_value();
    if (change.is_left) change.remark = remark_of_rest(place, *found.by_hand);
    if (change.is_left && found.programs.empty()) return change;
    if (place.host->form == HookForm::module) return remove_module(place);
    if (file.backup) change.backup = HookChange::Backup::remove;
    // Whether it can be edited does not matter then.
    if (state_of(place, "") == HookState::not_installed) return change;
    const auto bare = remove_hooks(*file.text, *place.host, file.backup);
    if (!bare) return Refused(refusal_of(place, bare.error()));
    show_taken_out(change, found);
    if (!file.backup && is_nothing(*bare, *place.host)) {
        change.after.reset();
    } else {
        change.after = restored(*bare, place);
        change.restores_form = change.after != *bare;
    }
    return change;
}

}  // namespace reaper::agent
