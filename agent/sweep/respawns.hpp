// Finds helpers that the same host started again after they were ended.
#pragma once

#include <vector>

#include "agent/history/history.hpp"
#include "agent/observe/judged.hpp"
#include "agent/redaction/known_words.hpp"
#include "agent/sweep/steps.hpp"

namespace reaper::agent {

// Returns the host of a process that was judged. Of its command only the words that `known` has are
// shown.
[[nodiscard]] Host host_of(const scanner::Facts& facts, const policy::Judgement& judgement,
                           const KnownWords& known);

// Returns all that was judged, as the history has it.
[[nodiscard]] std::vector<Event> sightings_of(const Judged& judged);

// True for helpers of one family, home and user that one living host starts. What starts a daemon
// that outlives its hosts is not known. No other helper without a host is started again: what one
// dead host after the other leaves behind are leaks.
[[nodiscard]] bool have_one_host(const Event& left, const Event& right);

// Its host lives, or it is a daemon that outlives its hosts: another process can be started in its
// place.
[[nodiscard]] bool can_be_followed(const Event& ended);

// It was started by the host of `ended`, in the same family and home, as another process. Where the
// host is not known, it also has the same role.
[[nodiscard]] bool follows(const Event& ended, const Event& newcomer);

// It follows, and is the same helper by its argv.
[[nodiscard]] bool comes_again(const Event& ended, const Event& newcomer);

// Notes, for everything that was ended, what came in its place until a later look. Returns what is
// new. `before`: what was there when the first was ended; what came in the place of another is
// added.
std::vector<Respawn> find_respawns(std::vector<Event>& before, const Judged& after,
                                   Outcomes& outcomes);

// True if it was ended beside its host, which was not, and nothing has come in its place yet.
[[nodiscard]] bool may_come_again(const policy::Judgement& judgement, const Outcomes& outcomes);

}  // namespace reaper::agent
