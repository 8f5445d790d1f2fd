#include "agent/hooks/plan.hpp"

#include <fmt/format.h>

#include "agent/hooks/hosts.hpp"
#include "agent/hooks/json_hooks.hpp"
#include "agent/hooks/module_file.hpp"
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

HookState state_of(const HookPlace& place, std::string_view program) {
    const HookHost& host = *place.host;
    if (!place.is_there) return HookState::no_host;
    if (!place.file.trouble.empty()) return HookState::unknown;
    if (!place.file.text) return HookState::not_installed;
    const std::string& text = *place.file.text;
    if (host.form == HookForm::yaml) return yaml_state(text, host, program);
    if (host.form != HookForm::module) return json_state(text, host, program);
    if (!is_own_module(text)) return HookState::not_installed;
    return text == module_text(program, has_own_folder(text)) ? HookState::installed
                                                              : HookState::other_version;
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
    if (file.text && !is_own_module(*file.text))
        return Refused(refusal_of(place, "was not written by install"));
    HookChange change = no_change(place);
    change.makes_folder = !file.has_folder;
    change.after =
        module_text(program, file.text ? has_own_folder(*file.text) : change.makes_folder);
    return change;
}

HookPlan remove_module(const HookPlace& place) {
    HookChange change = no_change(place);
    if (!place.file.text || !is_own_module(*place.file.text)) return change;
    change.removes_folder = has_own_folder(*place.file.text);
    change.after.reset();
    return change;
}

// Why it is not even looked at closer; empty: it is.
std::string refuse_place(const HookPlace& place) {
    const HookFile& file = place.file;
    if (!file.trouble.empty()) return refusal_of(place, file.trouble);
    return file.refusal.empty() ? "" : refusal_of(place, file.refusal);
}

}  // namespace

HookStatus hook_status(const HookPlace& place, std::string_view program) {
    HookStatus status{
        .host = place.host, .state = state_of(place, program), .file = place.file.path};
    if (status.state == HookState::unknown)
        status.remark = place.file.trouble.empty() ? "is not understood" : place.file.trouble;
    return status;
}

HookPlan plan_hook_install(const HookPlace& place, std::string_view program) {
    const HookFile& file = place.file;
    if (!place.is_there)
        return Refused(fmt::format("{}: {} is not here: there is no folder for {}",
                                   place.host->name, place.host->title, file.path));
    if (std::string why = refuse_place(place); !why.empty()) return Refused(std::move(why));
    HookChange change = no_change(place);
    if (state_of(place, program) == HookState::installed) return change;
    if (place.host->form == HookForm::module) return install_module(place, program);
    if (!file.text) {
        change.after = whole_file(*place.host, program);
        if (file.backup) change.backup = HookChange::Backup::remove;
        return change;
    }
    const auto bare = remove_hooks(*file.text, *place.host, file.backup);
    if (!bare) return Refused(refusal_of(place, bare.error()));
    const auto after = add_hook(*bare, *place.host, program);
    if (!after) return Refused(refusal_of(place, after.error()));
    change.after = *after;
    // One of an installation that is replaced is older, and still right.
    const bool is_replaced = *bare != *file.text;
    if (is_replaced && file.backup) return change;
    // That of a file which install has made is none.
    if (is_replaced && is_nothing(*bare, *place.host)) return change;
    change.backup = HookChange::Backup::write;
    change.backup_text = *bare;
    return change;
}

HookPlan plan_hook_remove(const HookPlace& place) {
    const HookFile& file = place.file;
    if (!place.is_there) return no_change(place);
    if (std::string why = refuse_place(place); !why.empty()) return Refused(std::move(why));
    if (place.host->form == HookForm::module) return remove_module(place);
    HookChange change = no_change(place);
    if (file.backup) change.backup = HookChange::Backup::remove;
    // Whether it can be edited does not matter then.
    if (state_of(place, "") == HookState::not_installed) return change;
    const auto bare = remove_hooks(*file.text, *place.host, file.backup);
    if (!bare) return Refused(refusal_of(place, bare.error()));
    if (!file.backup && is_nothing(*bare, *place.host)) {
        change.after.reset();
    } else {
        change.after = restored(*bare, place);
    }
    return change;
}

}  // namespace reaper::agent
