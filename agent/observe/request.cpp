#include "agent/observe/request.hpp"

#include "agent/observe/claim_places.hpp"

namespace reaper::agent {

using scanner::ProcessFacts;

scanner::InspectionRequest request_for(const policy::Rules& rules, const policy::Match& match) {
    return {policy::environment_keys_of(rules), match.invocation.script,
            !match.rule->inside_package.empty(),
            [&rules](const ProcessFacts& facts) { return named_folders(facts, rules); }};
}

Result<ProcessFacts> inspect(scanner::Inspector& inspector, const scanner::PidHandle& handle,
                             const scanner::InspectionRequest& request) {
    auto facts = inspector.inspect(handle, request);
    if (!facts && facts.error().code == std::errc::resource_unavailable_try_again)
        facts = inspector.inspect(handle, request);
    return facts;
}

}  // namespace reaper::agent
