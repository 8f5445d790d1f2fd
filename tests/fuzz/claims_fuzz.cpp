#include <algorithm>
#include <tuple>
#include <vector>

#include "scanner/json/package_json.hpp"
#include "scanner/json/record_reader.hpp"
#include "scanner/parse/claim_text.hpp"
#include "scanner/parse/script_path.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace reaper;

namespace {

void check_path(std::string_view text) {
    const std::string path = scanner::resolve_script(text, "/home/u");
    if (path.empty()) return;
    fuzz::require(path.starts_with('/') && path.find("//") == path.npos &&
                  path.find("/../") == path.npos);
    fuzz::require(scanner::resolve_script(path, "/") == path);
}

// In pieces, which do not matter, and of two processes only.
void check_pieces(scanner::RecordForm form, std::string_view text,
                  const Result<scanner::Ledger>& whole) {
    const std::vector<scanner::Pid> living = {5, 77};
    scanner::RecordReader reader(form, &living);
    Result<void> fed;
    for (std::string_view rest = text; fed && !rest.empty();
         rest.remove_prefix(std::min<std::size_t>(rest.size(), 3)))
        fed = reader.feed(rest.substr(0, 3));
    const auto ledger = fed ? reader.finish() : tl::unexpected(fed.error());
    fuzz::require(ledger.has_value() == whole.has_value());
    if (!ledger || !whole) return;
    fuzz::require(ledger->malformed == whole->malformed &&
                  ledger->entries.size() <= whole->entries.size());
    for (const scanner::LedgerEntry& entry : ledger->entries)
        fuzz::require(std::ranges::count(whole->entries, entry) == 1 &&
                      (entry.pid == 5 || entry.pid == 77));
}

}  // namespace

// Whatever a file says, the pid that is taken from it is one that a process can have.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = fuzz::text_of(data, size);
    const auto bare = scanner::parse_bare_pid(text);
    if (bare) fuzz::require(*bare > 0);
    const auto gateway = scanner::parse_gateway_record(text);
    if (gateway) fuzz::require(gateway->pid > 0);
    const auto host = scanner::parse_host_record(text);
    if (host) fuzz::require(host->pid > 0);
    const auto whatsapp = scanner::parse_whatsapp_pid(text);
    if (whatsapp) fuzz::require(whatsapp->pid > 0);
    const auto viewer = scanner::parse_viewer_lock(text);
    if (viewer) fuzz::require(*viewer > 0);
    const auto desktop = scanner::parse_desktop_lock(text);
    if (desktop) fuzz::require(*desktop > 0);
    const auto compute = scanner::parse_compute_host_registry(text);
    if (compute) fuzz::require(compute->pid > 0 && compute->spawner >= 0);
    const auto bot = scanner::parse_meet_bot_record(text);
    if (bot) fuzz::require(bot->pid > 0);
    const auto marker = scanner::parse_update_marker(text);
    if (marker) fuzz::require(marker->pid > 0);
    const auto check_record = [&](scanner::RecordForm form, const Result<scanner::Ledger>& ledger) {
        check_pieces(form, text, ledger);
        if (!ledger) return;
        for (const scanner::LedgerEntry& entry : ledger->entries)
            fuzz::require(entry.pid > 0 && entry.spawner >= 0);
    };
    check_record(scanner::RecordForm::ledger, scanner::parse_ledger(text));
    check_record(scanner::RecordForm::headless_registry, scanner::parse_headless_registry(text));
    check_record(scanner::RecordForm::process_registry, scanner::parse_process_registry(text));
    std::ignore = scanner::parse_package_name(text);
    check_path(text);
    return 0;
}
