#include <tuple>

#include "scanner/claim_text.hpp"
#include "scanner/package_json.hpp"
#include "scanner/script_path.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace reaper;

namespace {

void check_path(std::string_view text) {
    const std::string path = scanner::resolve_script(text, "/home/u");
    if (path.empty()) return;
    fuzz::require(path.starts_with('/') && path.find("//") == path.npos && path.find("/../") == path.npos);
    fuzz::require(scanner::resolve_script(path, "/") == path);
}

}  // namespace

// Whatever a file says, the pid that is taken from it is one that a process can have.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    const auto bare = scanner::parse_bare_pid(text);
    if (bare) fuzz::require(*bare > 0);
    const auto gateway = scanner::parse_gateway_record(text);
    if (gateway) fuzz::require(gateway->pid > 0);
    const auto whatsapp = scanner::parse_whatsapp_pid(text);
    if (whatsapp) fuzz::require(whatsapp->pid > 0);
    const auto viewer = scanner::parse_viewer_lock(text);
    if (viewer) fuzz::require(*viewer > 0);
    const auto desktop = scanner::parse_desktop_lock(text);
    if (desktop) fuzz::require(*desktop > 0);
    const auto marker = scanner::parse_update_marker(text);
    if (marker) fuzz::require(marker->pid > 0);
    for (const auto& ledger :
         {scanner::parse_ledger(text), scanner::parse_headless_registry(text), scanner::parse_process_registry(text)}) {
        if (!ledger) continue;
        for (const scanner::LedgerEntry& entry : ledger->entries) fuzz::require(entry.pid > 0 && entry.spawner >= 0);
    }
    std::ignore = scanner::parse_package_name(text);
    check_path(text);
    return 0;
}
