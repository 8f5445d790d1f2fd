#include "scanner/linux/units.hpp"

namespace reaper::scanner {

// Built without libsystemd: no manager can be asked, so none answers.
void ask_units(std::span<UnitQuestion>, std::chrono::steady_clock::time_point) {}

bool can_ask_units() {
    return false;
}

}  // namespace reaper::scanner
