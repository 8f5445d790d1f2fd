// Asks a person, by way of the client, whether a plan may be carried out. Pure.
#pragma once

#include <string>

#include "agent/mcp/plans.hpp"

namespace reaper::agent {

// The params of elicitation/create: a form with one box to tick.
[[nodiscard]] Json consent_form(const SweepPlan& plan);

enum class Consent {
    given,
    refused,    // or put off: the box is not ticked, or the form was closed
    no_answer,  // what came is none
};
// `result`: what the client returned for the form.
[[nodiscard]] Consent consent_of(const Json& result);

// The result of a modern request that has to be made again, with the answer and with `state`.
[[nodiscard]] Json input_required(const SweepPlan& plan);
// The answer in the params of a modern request; null: there is none.
[[nodiscard]] const Json& input_response(const Json& params);

}  // namespace reaper::agent
