#include <cstring>

#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz.hpp"
#include "tests/support/judged_facts.hpp"
#include "tests/support/mutated_facts.hpp"

using namespace reaper;

// Bytes alone seldom become another facts file: most of the time its tree is changed instead.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned seed) {
    auto tree =
        nlohmann::json::parse(fuzz::text_of(data, size), nullptr, /*allow_exceptions=*/false);
    if (tree.is_discarded() || seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
    test::FactsMutator(seed).mutate(tree);
    const std::string text = tree.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data, text.data(), text.size());
    return text.size();
}

// Whatever is accepted is judged, planned and reported, in every form; so is what contradicts
// itself, as if nothing had checked it.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const policy::Rules rules = policy::built_in_rules();
    const auto facts = scanner::facts_from_json(fuzz::text_of(data, size));
    if (!facts) return 0;
    fuzz::require(!test::judge_and_report(*facts, rules).empty());
    fuzz::require(test::is_plan_sound(*facts, rules));
    return 0;
}
