// The second look before every signal: reads again, and judges again, one target and all that its
// verdict relies on.
#pragma once

#include "agent/observe/setup.hpp"
#include "agent/observe/snapshot.hpp"
#include "agent/reaping/reaper.hpp"

namespace reaper::agent {

class FreshVerifier : public Verifier {
   public:
    // `look` is the newest one; objection() updates single processes in it. All references outlive
    // this.
    FreshVerifier(const Observer& observer, const Setup& setup, Look& look)
        : observer_(observer), setup_(setup), look_(look), memory_(look.rules) {}

    [[nodiscard]] Result<std::optional<std::string>> objection(const Target& target) override;

   private:
    const Observer& observer_;
    const Setup& setup_;
    Look& look_;
    policy::MatchMemory memory_;
};

// Says why `now` is no longer the step that was planned; none: it still is. Null: the process is no
// member any more.
[[nodiscard]] std::optional<std::string> difference(const policy::Judgement& planned,
                                                    const policy::Judgement* now);

}  // namespace reaper::agent
