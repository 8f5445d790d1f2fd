// For a program that is linked statically, which cannot load libproc2.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "scanner/inspector.hpp"
#include "scanner/linux/process_files.hpp"
#include "scanner/parse/proc_stat.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

// The kernel's numbers of devices, Documentation/admin-guide/devices.txt: 4 is the consoles and
// serial lines, 136 to 143 are the pseudo terminals.
std::string terminal_name(std::int32_t device) {
    const auto bits = static_cast<std::uint32_t>(device);
    const std::uint32_t major = (bits >> 8U) & 0xfffU;
    const std::uint32_t minor = (bits & 0xffU) | ((bits >> 12U) & 0xfff00U);
    if (major >= 136 && major <= 143)
        return "pts/" + std::to_string((major - 136) * 1048576 + minor);
    if (major != 4) return {};
    return minor < 64 ? "tty" + std::to_string(minor) : "ttyS" + std::to_string(minor - 64);
}

void add_times(int process, ProcessFacts& facts) {
    const auto text = read_at(process, "stat", 65536);
    if (!text) return;
    const auto stat = parse_stat(text->bytes);
    // The pid can be another process by now; the start tells.
    if (!stat || stat->start_ticks != facts.identity.start_ticks) return;
    static const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    facts.tty_name = terminal_name(stat->tty);
    facts.cpu_seconds =
        static_cast<double>(stat->user_ticks + stat->system_ticks) / ticks_per_second;
    facts.rss_bytes = read_resident_bytes(process);
    if (const auto status = read_status(process)) facts.swap_bytes = status->swap_bytes;
    facts.user = user_name(facts.row.uid);
}

}  // namespace

void add_details(std::span<ProcessFacts> candidates) {
    for (ProcessFacts& facts : candidates) {
        const std::string folder = "/proc/" + std::to_string(facts.identity.pid);
        const Fd process(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (process) add_times(process.get(), facts);
    }
}

}  // namespace reaper::scanner
