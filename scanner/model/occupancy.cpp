#include "scanner/model/occupancy.hpp"

namespace reaper::scanner {

std::vector<Pid> Occupancy::ancestors_of(Pid pid) const {
    std::vector<Pid> ancestors;
    for (auto at = parents.find(pid); at != parents.end() && at->second > 0;
         at = parents.find(at->second)) {
        if (ancestors.size() > parents.size()) break;  // a pid was reused meanwhile
        ancestors.push_back(at->second);
    }
    return ancestors;
}

}  // namespace reaper::scanner
