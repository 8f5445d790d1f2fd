#include <utility>

#include "agent/observe/judged.hpp"
#include "agent/reaping/descriptors.hpp"

namespace reaper::agent {

Result<Judged> look_and_judge(const Observer& observer, const Setup& setup,
                              const KeepHandles& held) {
    auto look = observer.look(held, &setup.settings);
    if (!look) return tl::unexpected(look.error());
    auto judgements = policy::judge(look->facts, look->rules, setup.settings, {});
    Judged judged{std::move(*look), std::move(judgements)};
    if (!judged.look.trouble.empty())
        judged.remarks.push_back(describe_descriptor_limit() + ": " + judged.look.trouble);
    return judged;
}

}  // namespace reaper::agent
