// Who was started again by the same host after it was ended?
#pragma once

#include <vector>

#include "agent/commands.hpp"
#include "agent/sweep_steps.hpp"
#include "agent/vocabulary.hpp"

namespace reaper::agent {

// The host of somebody who was judged. Of its command only the words are told that `known` has.
[[nodiscard]] Host host_of(const scanner::Facts& facts, const policy::Judgement& judgement, const Vocabulary& known);

// Everybody who was judged, as the history would have it.
[[nodiscard]] std::vector<Event> sightings_of(const Judged& judged);

// Helpers of one family, home and user that one host starts, which lives. Of a daemon that outlives its hosts nobody knows who starts
// it. Nobody else without a host is started by anybody any more: what one dead host after the other leaves behind are leaks.
[[nodiscard]] bool have_one_host(const Event& left, const Event& right);

// The same helper again?
[[nodiscard]] bool comes_again(const Event& ended, const Event& newcomer);

// Notes, for everything that was ended, who came in its place until a later look. Gives back what is new. `before`: everybody who was
// there when the first was ended, and then whoever has come in somebody's place.
std::vector<Respawn> find_respawns(std::vector<Event>& before, const Judged& after, Outcomes& outcomes);

// It was ended beside its host, which was not, and nobody has come in its place yet.
[[nodiscard]] bool may_come_again(const policy::Judgement& judgement, const Outcomes& outcomes);

}  // namespace reaper::agent
