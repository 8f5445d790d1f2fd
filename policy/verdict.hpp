// What a process is, and what will be done about it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/evidence.hpp"
#include "scanner/identity.hpp"

namespace reaper::policy {

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

enum class Action { reap, report, keep };

[[nodiscard]] std::string_view to_string(Verdict verdict);
[[nodiscard]] std::optional<Verdict> verdict_from(std::string_view word);
[[nodiscard]] std::string_view to_string(Action action);

// What an update of Hermes means for a process.
enum class AtUpdate {
    untouched,   // nothing, unless it runs out of the install
    in_the_way,  // it is a part of Hermes, and goes on with half of the old code
    restarted,   // the update itself ends it and starts it again, with all that it has started
    is_update,   // it is an update
};

[[nodiscard]] std::string_view to_string(AtUpdate at_update);
[[nodiscard]] std::optional<AtUpdate> at_update_from(std::string_view word);

// What was decided about one candidate. Evidence is in the order in which it was found; the first entry of the deciding
// kind is the one that a short report prints.
struct Judgement {
    scanner::Identity identity;
    std::string family;
    std::string role;
    std::string home;
    bool launcher = false;  // it runs the other half of its unit
    Verdict verdict = Verdict::unknown;
    Action action = Action::keep;
    std::vector<Evidence> evidence;
    std::chrono::milliseconds grace{};
    std::chrono::milliseconds grace_cap{};
    std::vector<scanner::Pid>
        ends_with;  // other pids of its unit (a tsx launcher and its bridge): all or none is ended
    std::vector<scanner::Pid>
        relies_on;            // kept processes that this verdict needs to stay as they are (the designated daemon)
    scanner::Pid host = 0;    // that lives, behind wrappers (starter.hpp); 0: none does, or none is known
    bool kept_alive = false;  // it would be ended, were it not started again each time

    bool operator==(const Judgement&) const = default;
};

}  // namespace reaper::policy
