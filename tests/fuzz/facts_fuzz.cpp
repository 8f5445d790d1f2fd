#include "scanner/json/facts_json.hpp"
#include "tests/fuzz/fuzz.hpp"

// Whatever is accepted can be written, and is the same when it is read again.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto facts = reaper::scanner::facts_from_json(reaper::fuzz::text_of(data, size));
    if (!facts) return 0;
    const auto again = reaper::scanner::facts_from_json(reaper::scanner::facts_to_json(*facts));
    reaper::fuzz::require(again && *again == *facts);
    return 0;
}
