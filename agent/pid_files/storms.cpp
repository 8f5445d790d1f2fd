#include "agent/pid_files/storms.hpp"

#include "policy/text/escape.hpp"
#include "policy/update/gateways.hpp"
#include "scanner/claim_files.hpp"

namespace reaper::agent {

std::vector<std::string> storm_remarks(const PidFilePlaces& places,
                                       const scanner::Machine& machine) {
    std::vector<std::string> remarks;
    for (const scanner::ClaimPlaces& of_user : places.places) {
        for (const scanner::GatewayStarts& starts : scanner::read_gateway_starts(of_user)) {
            if (const auto storm = policy::describe_storm(starts, machine))
                remarks.push_back(policy::escape(*storm, 400));
        }
    }
    return remarks;
}

}  // namespace reaper::agent
