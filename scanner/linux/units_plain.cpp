#include "scanner/linux/units.hpp"

namespace reaper::scanner {

// Built without libsystemd: there is nobody to ask, and the answer is the one of a manager that does not answer.
std::optional<Pid> ask_main_pid(const ServiceUnit&) {
    return std::nullopt;
}

}  // namespace reaper::scanner
