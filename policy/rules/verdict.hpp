// What a process is, and what will be done about it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/rules/evidence.hpp"
#include "scanner/model/identity.hpp"

namespace reaper::policy {

// In the order of all reports, lists and manuals. Up to `superseded` a rule ends it by default, up
// to `held` it is a leak.
enum class Verdict {
    orphan,
    superseded,
    abandoned,
    duplicate,
    held,
    designated,
    attached,
    supervised,
    young,
    zombie,
    foreign,
    unknown,
};

inline constexpr auto kVerdicts = [] {
    std::array<Verdict, static_cast<std::size_t>(Verdict::unknown) + 1> all{};
    for (std::size_t at = 0; at < all.size(); ++at) all[at] = static_cast<Verdict>(at);
    return all;
}();

enum class Action { reap, report, keep };

[[nodiscard]] std::string_view to_string(Verdict verdict);
[[nodiscard]] std::optional<Verdict> verdict_from(std::string_view word);
// True if it serves no host any more, or never will.
[[nodiscard]] constexpr bool is_leak(Verdict verdict) {
    return verdict <= Verdict::held;
}
// True for a leak that is ended unless a rule says otherwise; the others need `--reap`.
[[nodiscard]] constexpr bool is_ended_by_default(Verdict verdict) {
    return verdict <= Verdict::superseded;
}
// Returns which of two verdicts that are both true, by vetoes, says more; `left` if that is open.
[[nodiscard]] Verdict stronger(Verdict left, Verdict right);
[[nodiscard]] std::string_view to_string(Action action);

// What an update of Hermes means for a process of a family.
enum class AtUpdate {
    untouched,   // nothing, unless it runs out of the install
    in_the_way,  // it is a part of Hermes, and would go on with old code
    restarted,   // the update ends it and starts it again, with all that it started
    is_update,   // it is an update
};

[[nodiscard]] std::string_view to_string(AtUpdate at_update);
[[nodiscard]] std::optional<AtUpdate> at_update_from(std::string_view word);

// What was decided about one candidate. Evidence is in the order of discovery; a short report
// prints the first piece of the deciding kind.
struct Judgement {
    scanner::Identity identity;
    scanner::Uid uid = 0;
    std::string family;
    std::string role;
    std::string home;
    bool launcher = false;  // it runs the other half of its unit
    Verdict verdict = Verdict::unknown;
    Action action = Action::keep;
    std::vector<Evidence> evidence;
    std::chrono::milliseconds grace{};
    std::chrono::milliseconds grace_cap{};
    // The other pids of its unit (a tsx launcher and its bridge): all end, or none.
    std::vector<scanner::Pid> ends_with;
    // Kept processes that must stay as they are for this verdict (the designated daemon).
    std::vector<scanner::Pid> relies_on;
    // The living host, behind wrappers (wrappers.hpp); 0: none is alive or known.
    scanner::Pid host = 0;
    bool kept_alive = false;  // it would be ended, but is started again each time

    bool operator==(const Judgement&) const = default;
};

}  // namespace reaper::policy
