#include "scanner/parse/proc_mountinfo.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <string>

using namespace reaper;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    if (scanner::is_mounted_with_hidepid(text, "/proc")) {
        fuzz::require(text.find(" /proc ") != text.npos && text.find("hidepid=") != text.npos);
    }
    if (const auto device = scanner::find_mounted_device(text, 20)) {
        fuzz::require(text.find("20 ") != text.npos &&
                      text.find(std::to_string(device->major) + ":") != text.npos);
    }
    return 0;
}
