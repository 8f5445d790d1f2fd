#include "scanner/parse/proc_stat.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace reaper;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    const auto stat = scanner::parse_stat(text);
    if (!stat) {
        fuzz::require(stat.error().code == std::errc::invalid_argument);
        return 0;
    }
    fuzz::require(stat->pid > 0 && stat->ppid >= 0);
    // Nothing of the name is taken for a field: the bracket that ends it is the last one.
    const std::size_t close = text.find(" (") + 2 + stat->comm.size();
    fuzz::require(text.substr(close, 2) == ") " && text.rfind(')') == close &&
                  text[close + 2] == stat->state);
    return 0;
}
