// One fact for or against a verdict, with a stable code and the value that was seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reaper::policy {

enum class Weight {
    for_kill,  // speaks for the process being leaked
    against,   // speaks for keeping it
    veto,      // forbids a kill whatever else is true
    note,      // worth reporting, decides nothing
};

struct Evidence {
    std::string code;  // stable: "parent.adopter", "stdin.dead", "veto.listens", ...
    Weight weight = Weight::note;
    std::string detail;  // for people, with the value: "parent is init (pid 1)"

    bool operator==(const Evidence&) const = default;
};

}  // namespace reaper::policy
