#include <array>

#include "scanner/parse/proc_cmdline.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace reaper;

namespace {

std::string join(const std::vector<std::string>& arguments) {
    std::string bytes;
    for (const std::string& argument : arguments) bytes.append(argument).push_back('\0');
    return bytes;
}

}  // namespace

// No byte is lost or made up: put together again, the arguments are the input, but for a last NUL
// that it lacked.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = fuzz::text_of(data, size);
    std::string whole(bytes);
    if (!bytes.empty() && bytes.back() != '\0') whole.push_back('\0');
    const auto line = scanner::parse_command_line(bytes, false);
    fuzz::require(join(line.argv) == whole);

    const std::array<std::string, 3> keys = {"HERMES_HOME", "A", ""};
    for (const auto& [key, value] : scanner::parse_environment(bytes, keys)) {
        fuzz::require(!key.empty());
        fuzz::require(whole.find(key + "=" + value + std::string(1, '\0')) != whole.npos);
    }
    return 0;
}
