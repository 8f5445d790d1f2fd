#include "scanner/parse/proc_status.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace reaper;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    const auto status = scanner::parse_status(text);
    if (!status) {
        fuzz::require(status.error().code == std::errc::invalid_argument);
        return 0;
    }
    fuzz::require(text.ends_with('\n') && !status->namespace_pids.empty());
    for (const char* field : {"Tgid:\t", "Uid:\t", "TracerPid:\t", "NSpid:\t"}) {
        fuzz::require(text.find(field) != text.npos);
    }
    // Twice the same is never one.
    fuzz::require(!scanner::parse_status(std::string(text) + std::string(text)));
    return 0;
}
