#include "policy/pid_files/content.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "policy/match/named_process.hpp"
#include "scanner/parse/claim_text.hpp"

namespace reaper::policy {

namespace {

using scanner::Access;
using scanner::Claim;
using scanner::ClaimFile;
using scanner::ClaimKind;
using scanner::FileForm;
using scanner::Machine;

std::string_view to_string(FileForm form) {
    switch (form) {
        case FileForm::regular: return "a file";
        case FileForm::link: return "a link";
        case FileForm::folder: return "a folder";
        case FileForm::fifo: return "a FIFO";
        case FileForm::socket: return "a socket";
        case FileForm::device: return "a device";
    }
    return "something else";
}

FileJudgement from_named(const NamedProcess& named) {
    switch (named.state) {
        case NamedProcessState::lives: return judged(FileState::live, "pid.lives", named.detail);
        case NamedProcessState::gone: return judged(FileState::stale, "pid.gone", named.detail);
        case NamedProcessState::reused: return judged(FileState::stale, "pid.reused", named.detail);
        case NamedProcessState::other:
            return judged(FileState::foreign, "pid.other_program", named.detail);
        case NamedProcessState::other_bridge:
            return judged(FileState::foreign, "pid.whatsapp", named.detail);
        case NamedProcessState::contradicts:
            return judged(FileState::foreign, "pid.contradicts", named.detail);
        case NamedProcessState::other_namespace:
            return judged(FileState::foreign, "pid.other_namespace", named.detail);
        case NamedProcessState::unknown: break;
    }
    return unread("pid.unreadable", named.detail);
}

// No form of these files records a host name or boot id. But on a Mac only what runs in a virtual
// machine or container records a start in ticks.
FileJudgement from_named(const ClaimFile& file, const Claim& claim, const Machine& machine,
                         const NamedProcess& named) {
    const bool is_seen =
        named.state != NamedProcessState::gone && named.state != NamedProcessState::reused;
    if (is_seen) return from_named(named);
    if (file.shared_mount)
        return judged(
            FileState::foreign, "pid.other_machine",
            fmt::format("{} here, but the file lies on {} ({}), where a process of another "
                        "machine may have written it",
                        named.detail, file.shared_mount->place, file.shared_mount->type));
    if (is_mac(machine) && claim.start_ticks)
        return judged(FileState::foreign, "pid.other_system",
                      fmt::format("{} here, but a Linux has written the file, perhaps one in a "
                                  "container of this Mac",
                                  named.detail));
    return from_named(named);
}

FileJudgement judge_malformed(const ClaimFile& file) {
    const bool whatsapp =
        file.kind == ClaimKind::bridge_pid && scanner::parse_whatsapp_pid(file.text).has_value();
    if (whatsapp)
        return judged(FileState::foreign, "file.whatsapp",
                      "it is in the form of WhatsApp's bridge, which is another one");
    return judged(
        FileState::malformed, "file.malformed",
        file.text.empty() ? "it is empty" : "it is not in the form that its writer gives it");
}

}  // namespace

FileJudgement judged(FileState state, std::string code, std::string reason) {
    FileJudgement judgement;
    judgement.state = state;
    const Weight weight = state == FileState::stale ? Weight::for_kill : Weight::veto;
    judgement.reason = reason;
    judgement.evidence = {{std::move(code), weight, std::move(reason)}};
    return judgement;
}

FileJudgement unread(std::string code, std::string reason) {
    FileJudgement judgement = judged(FileState::foreign, std::move(code), std::move(reason));
    judgement.unread = true;
    return judgement;
}

FileJudgement judge_unreadable(const ClaimFile& file) {
    if (!file.found) return unread("file.unreadable", "it could not be looked at");
    if (file.stamp.form != FileForm::regular)
        return judged(
            FileState::foreign, "file.form",
            fmt::format("it is {}, which no writer leaves here", to_string(file.stamp.form)));
    if (file.stamp.links != 1)
        return judged(FileState::foreign, "file.links",
                      fmt::format("it has {} names: it may be another file", file.stamp.links));
    if (file.stamp.owner != file.scope && file.stamp.owner != 0)
        return judged(FileState::foreign, "file.owner",
                      fmt::format("it belongs to user id {}", file.stamp.owner));
    return unread("file.unreadable", "it could not be read");
}

FileJudgement judge_claims(const ClaimFile& file, const Machine& machine, const Rules& rules) {
    if (file.claims.empty())
        return judged(FileState::stale, "file.names_nobody", "it names no process");
    constexpr FileState kOrder[] = {FileState::live, FileState::foreign, FileState::malformed,
                                    FileState::stale};
    const auto rank = [&](const FileJudgement& one) {
        return std::ranges::find(kOrder, one.state) - std::begin(kOrder);
    };
    std::optional<FileJudgement> strongest;
    for (const Claim& claim : file.claims) {
        FileJudgement one =
            claim.access == Access::malformed
                ? judge_malformed(file)
                : from_named(file, claim, machine, find_named(file, claim, machine, rules));
        if (!strongest || rank(one) < rank(*strongest)) strongest = std::move(one);
    }
    return *std::move(strongest);
}

}  // namespace reaper::policy
