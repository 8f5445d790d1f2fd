// The second look before every signal: reads the target again through its handle, and judges it again among all the others.
#pragma once

#include "agent/look.hpp"
#include "agent/reaper.hpp"
#include "agent/setup.hpp"

namespace reaper::agent {

class FreshVerifier : public Verifier {
   public:
    // `look` is the newest one; single processes of it are brought up to date as they are asked for. All outlive this.
    FreshVerifier(const Lookout& lookout, const Setup& setup, Look& look)
        : lookout_(lookout), setup_(setup), look_(look) {}

    [[nodiscard]] Result<std::optional<std::string>> objection(const Target& target) override;

   private:
    const Lookout& lookout_;
    const Setup& setup_;
    Look& look_;
};

// Why `now` is no longer the step that was planned; none: it still is.
[[nodiscard]] std::optional<std::string> difference(const policy::Judgement& planned,
                                                    const std::vector<policy::Judgement>& now);

}  // namespace reaper::agent
