#include "scanner/claims.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "scanner/access_guard.hpp"
#include "scanner/claim_files.hpp"
#include "scanner/linux/claim_reading.hpp"
#include "scanner/linux/nested_pids.hpp"
#include "scanner/parse/claim_text.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/regular_file.hpp"

namespace reaper::scanner {

namespace {

bool is_stdio_pid(std::string_view name) {
    return name.starts_with("bridge-stdio") && name.ends_with(".pid");
}

std::optional<std::string> stdio_pid_file(const std::string& name) {
    return is_stdio_pid(name) ? std::optional(name) : std::nullopt;
}

std::optional<std::string> backend_lock(const std::string& name) {
    return name + "/backend.lock.json";
}

void read_data_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::bridge_pid, "daemon/bridge.pid", files);
    read_folder(home, ClaimKind::bridge_stdio_pid, "daemon", stdio_pid_file, files);
}

constexpr const char* kMarker = ".hermes-update-in-progress";

void read_marker(const Home& home, Files& files) {
    read_file(home, ClaimKind::update_marker, kMarker, files);
}

void read_hermes_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::gateway_pid, "gateway.pid", files);
    read_file(home, ClaimKind::ledger, "spawn-ledger.json", files);
    read_file(home, ClaimKind::process_registry, "processes.json", files);
    read_file(home, ClaimKind::compute_host_registry, "state/dashboard-compute-host.json", files);
    read_file(home, ClaimKind::proxy_pid, "proxy/iron-proxy.pid", files);
    read_marker(home, files);
    read_folder(home, ClaimKind::desktop_lock, "desktop-ssh", backend_lock, files);
}

// Not for `pidfiles`: users move their workspace elsewhere and link it, which would look like a pid
// file that cannot be read.
void read_meetings(const Home& home, Files& files) {
    read_file(home, ClaimKind::meet_bot_record, "workspace/meetings/.active.json", files);
}

void read_plugin_root(const Home& root, Files& files) {
    read_file(root, ClaimKind::headless_registry, "daemon/headless-bridges.json", files);
}

void read_socket_folder(const Home& folder, Files& files) {
    const auto is_owner = [](std::string_view name) { return name.ends_with(".owner_pid"); };
    read_all_named(folder, ClaimKind::browser_owner, "*.owner_pid", is_owner, files);
}

// The files that the three functions above read; here only their existence matters.
constexpr const char* kRecords[] = {"daemon/bridge.pid",
                                    "gateway.pid",
                                    "spawn-ledger.json",
                                    "processes.json",
                                    "state/dashboard-compute-host.json",
                                    "proxy/iron-proxy.pid",
                                    "workspace/meetings/.active.json",
                                    kMarker,
                                    "desktop-ssh",
                                    "daemon/headless-bridges.json"};

// Reads files that protect nothing, so only `pidfiles` needs them.

void read_rest_of_data_home(const Home& home, Files& files) {
    const auto is_bridge_pid = [](std::string_view name) { return name == "bridge.pid"; };
    read_file(home, ClaimKind::viewer_lock, "daemon/viewer-start.lock/owner", files);
    read_quarantined(home, ClaimKind::bridge_pid, "daemon", is_bridge_pid, files);
    read_quarantined(home, ClaimKind::bridge_stdio_pid, "daemon", is_stdio_pid, files);
}

void read_rest_of_hermes_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::gateway_lock, "gateway.lock", files);
    read_file(home, ClaimKind::whatsapp_bridge_pid, "whatsapp/session/bridge.pid", files);
    const auto is_gateway_pid = [](std::string_view name) { return name == "gateway.pid"; };
    read_quarantined(home, ClaimKind::gateway_pid, ".", is_gateway_pid, files);
    const auto is_marker = [](std::string_view name) { return name == std::string_view(kMarker); };
    read_quarantined(home, ClaimKind::update_marker, ".", is_marker, files);
}

void read_rest_of_plugin_root(const Home& root, Files& files) {
    const auto is_registry = [](std::string_view name) { return name == "headless-bridges.json"; };
    read_quarantined(root, ClaimKind::headless_registry, "daemon", is_registry, files);
}

// host-ROLE.token beside them is a secret, and never opened.
constexpr std::string_view kHostLocks[] = {"host-gateway.lock", "host-serve.lock",
                                           "host-desktop-serve.lock"};
constexpr std::string_view kHostRecords[] = {"host-gateway.json", "host-serve.json",
                                             "host-desktop-serve.json"};

void read_lock_folder(const Home& folder, Files& files) {
    const auto is_scope_lock = [](std::string_view name) {
        return name.ends_with(".lock") &&
               std::ranges::find(kHostLocks, name) == std::end(kHostLocks);
    };
    read_all_named(folder, ClaimKind::gateway_scope_lock, "*.lock", is_scope_lock, files);
    if (!folder.directory) return;
    for (const std::string_view name : kHostLocks)
        read_file(folder, ClaimKind::host_lock, std::string(name), files);
    for (const std::string_view name : kHostRecords)
        read_file(folder, ClaimKind::host_record, std::string(name), files);
    const auto is_record = [](std::string_view name) {
        return std::ranges::find(kHostRecords, name) != std::end(kHostRecords);
    };
    read_quarantined(folder, ClaimKind::host_record, ".", is_record, files);
}

void read_openclaw_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::openclaw_lock, "daemon/openclaw-runtime.lock/owner.json", files);
}

// Looks up each process once, even if many claims name it.
class Rows {
   public:
    explicit Rows(const ProcessTable& table) : table_(table) {}

    const Reading<ProcessRow>& of(Pid pid, bool shortly) {
        const auto [place, is_new] = rows_.try_emplace({pid, shortly});
        if (is_new && pid > 0) place->second = look_up(pid, shortly);
        return place->second;
    }

   private:
    [[nodiscard]] Reading<ProcessRow> look_up(Pid pid, bool shortly) const {
        auto row = shortly ? read_short_row(table_, pid) : read_row(table_, pid);
        return row ? Reading<ProcessRow>::of(std::move(*row))
                   : Reading<ProcessRow>::failed(access_of(row.error().code));
    }

    const ProcessTable& table_;
    std::map<std::pair<Pid, bool>, Reading<ProcessRow>> rows_;
};

template <class Reader>
void read_homes(const std::vector<std::string>& homes, Uid uid, ClaimContext& context, Reader read,
                Files& files) {
    for (const std::string& path : homes) {
        if (const auto home = open_home(path, uid, context)) read(*home, files);
    }
}

Files read_protecting(const ClaimPlaces& places, ClaimContext& context) {
    Files files;
    read_homes(places.data_homes, places.uid, context, read_data_home, files);
    read_homes(places.hermes_homes, places.uid, context, read_hermes_home, files);
    read_homes(places.plugin_roots, places.uid, context, read_plugin_root, files);
    read_homes(places.socket_folders, places.uid, context, read_socket_folder, files);
    return files;
}

void look_up_named(Rows& rows, Claim& claim, bool shortly) {
    claim.named = rows.of(claim.pid, shortly);
    claim.spawner_row = rows.of(claim.spawner, shortly);
}

void look_up_named(Rows& rows, std::vector<Claim>& claims) {
    for (Claim& claim : claims) look_up_named(rows, claim, false);
}

// True if its row must be read now: it never was, or the row of an earlier look is not good enough.
bool is_to_look_up(const Claim& claim, const std::set<Pid>& about) {
    const bool was_looked_up =
        claim.named.access != Access::not_read || claim.spawner_row.access != Access::not_read;
    return !was_looked_up || about.contains(claim.pid) || claim.kind == ClaimKind::update_marker ||
           claim.kind == ClaimKind::browser_owner;
}

// True where only start, state and user of the process matter.
bool is_looked_up_shortly(const Claim& claim) {
    return claim.kind == ClaimKind::ledger || claim.kind == ClaimKind::process_registry;
}

// Returns all claims, sorted by path, with the processes that they name looked up.
std::vector<Claim> claims_of(const ProcessTable& table, Files files, const std::set<Pid>& about) {
    std::vector<Claim> claims;
    for (ClaimFile& file : files) std::ranges::move(file.claims, std::back_inserter(claims));
    Rows rows(table);
    for (Claim& claim : claims) {
        if (is_to_look_up(claim, about)) look_up_named(rows, claim, is_looked_up_shortly(claim));
    }
    std::ranges::sort(claims, {},
                      [](const Claim& claim) { return std::tie(claim.path, claim.pid); });
    return claims;
}

bool has_exited(Pid pid) {
    const auto handle = PidHandle::open(pid);
    return handle && handle->exited();
}

void look_up_named(Rows& rows, ClaimFile& file) {
    look_up_named(rows, file.claims);
    const bool one_zombie = file.claims.size() == 1 && file.claims[0].named.ok() &&
                            file.claims[0].named.value.state == 'Z';
    file.named_exited = one_zombie && has_exited(file.claims[0].pid);
}

void look_up_lock(const ProcessTable& table, ClaimFile& file) {
    const std::string name = lock_name(file.kind, file.name);
    if (name.empty()) return;
    const auto home = may_read(file.scope, file.home)
                          ? open_claim_home(file.home)
                          : failure(std::errc::timed_out, "open", file.home);
    file.lock = home ? find_lock(table, home->get(), name) : LockReading{LockState::unknown, 0};
}

// Walks over all processes, once, and only if there is a file that needs it.
void look_up_nested_matches(const ProcessTable& table, std::span<ClaimFile> files) {
    if (std::ranges::none_of(files, may_name_nested_process)) return;
    const auto nested = find_nested_pids(table);
    for (ClaimFile& file : files) {
        if (may_name_nested_process(file))
            file.nested_matches = find_nested_matches(table, file, nested);
    }
}

}  // namespace

Reading<bool> holds_records(int directory) {
    for (const char* name : kRecords) {
        const auto found = find_below(directory, name);
        if (found) return Reading<bool>::of(true);
        if (!proves_absence(found.error())) return Reading<bool>::failed(Access::denied);
    }
    return Reading<bool>::of(false);
}

std::vector<ClaimFile> read_claim_files(const ProcessTable& table, const ClaimPlaces& places) {
    ClaimContext context{table, /*removes=*/true};
    Files files = read_protecting(places, context);
    read_homes(places.data_homes, places.uid, context, read_rest_of_data_home, files);
    read_homes(places.hermes_homes, places.uid, context, read_rest_of_hermes_home, files);
    read_homes(places.plugin_roots, places.uid, context, read_rest_of_plugin_root, files);
    read_homes(places.lock_folders, places.uid, context, read_lock_folder, files);
    read_homes(places.openclaw_homes, places.uid, context, read_openclaw_home, files);
    Rows rows(table);
    for (ClaimFile& file : files) {
        look_up_named(rows, file);
        look_up_lock(table, file);
    }
    look_up_nested_matches(table, files);
    std::ranges::sort(files, {}, &ClaimFile::path);
    return files;
}

std::vector<GatewayStarts> read_gateway_starts(const ClaimPlaces& places) {
    constexpr const char* kName = "gateway-starts.log";
    constexpr std::size_t kMaxSize = 4096;  // of some 40 lines
    std::vector<GatewayStarts> all;
    for (const std::string& home : places.hermes_homes) {
        const auto folder = may_read(places.uid, home)
                                ? open_claim_home(home)
                                : failure(std::errc::timed_out, "open", home);
        const auto found =
            folder ? find_below(folder->get(), kName) : tl::unexpected(folder.error());
        if (!found || !is_trustworthy(found->status, places.uid)) continue;
        if (const auto text = read_found(*found, kMaxSize))
            all.push_back(
                {home, std::string(home).append("/").append(kName), parse_gateway_starts(*text)});
    }
    return all;
}

ClaimFile read_again(const ProcessTable& table, const ClaimFile& file, int directory,
                     const std::string& name) {
    ClaimFile fresh = file;
    fresh.found = false;
    fresh.stamp = {};
    fresh.text.clear();
    const auto found = find_below(directory, name.c_str());
    ClaimContext context{table, /*removes=*/true};
    fresh = found ? read_into(std::move(fresh), *found, context) : unreadable(std::move(fresh));
    Rows rows(table);
    look_up_named(rows, fresh);
    look_up_lock(table, fresh);
    look_up_nested_matches(table, {&fresh, 1});
    return fresh;
}

std::vector<Claim> read_update_markers(const ProcessTable& table, const ClaimPlaces& places) {
    ClaimContext context{table};
    Files files;
    read_homes(places.hermes_homes, places.uid, context, read_marker, files);
    return claims_of(table, std::move(files), {});
}

ClaimsRead read_claims(const ProcessTable& table, const ClaimPlaces& places,
                       const ClaimsBefore& before) {
    ClaimContext context{table, /*removes=*/false, before.read};
    ClaimsRead read;
    Files files = read_protecting(places, context);
    read_homes(places.hermes_homes, places.uid, context, read_meetings, files);
    read.claims = claims_of(table, std::move(files), before.about);
    read.marks = std::move(context.marks);
    std::ranges::sort(read.marks, {}, &ClaimMark::path);
    return read;
}

}  // namespace reaper::scanner
