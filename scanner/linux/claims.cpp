#include "scanner/claims.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <tuple>

#include "scanner/claim_files.hpp"
#include "scanner/linux/claim_reading.hpp"
#include "scanner/linux/namesakes.hpp"
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

void read_marker(const Home& home, Files& files) {
    read_file(home, ClaimKind::update_marker, ".hermes-update-in-progress", files);
}

void read_hermes_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::gateway_pid, "gateway.pid", files);
    read_file(home, ClaimKind::ledger, "spawn-ledger.json", files);
    read_file(home, ClaimKind::process_registry, "processes.json", files);
    read_marker(home, files);
    read_folder(home, ClaimKind::desktop_lock, "desktop-ssh", backend_lock, files);
}

void read_plugin_root(const Home& root, Files& files) {
    read_file(root, ClaimKind::headless_registry, "daemon/headless-bridges.json", files);
}

void read_socket_folder(const Home& folder, Files& files) {
    read_all_named(folder, ClaimKind::browser_owner, ".owner_pid", files);
}

// What protects nobody, so that only `pidfiles` reads it.

void read_rest_of_data_home(const Home& home, Files& files) {
    const auto is_bridge_pid = [](std::string_view name) { return name == "bridge.pid"; };
    read_file(home, ClaimKind::viewer_lock, "daemon/viewer-start.lock/owner", files);
    read_taken_aside(home, ClaimKind::bridge_pid, "daemon", is_bridge_pid, files);
    read_taken_aside(home, ClaimKind::bridge_stdio_pid, "daemon", is_stdio_pid, files);
}

void read_rest_of_hermes_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::gateway_lock, "gateway.lock", files);
    read_file(home, ClaimKind::whatsapp_bridge_pid, "whatsapp/session/bridge.pid", files);
    const auto is_gateway_pid = [](std::string_view name) { return name == "gateway.pid"; };
    read_taken_aside(home, ClaimKind::gateway_pid, ".", is_gateway_pid, files);
}

void read_rest_of_plugin_root(const Home& root, Files& files) {
    const auto is_registry = [](std::string_view name) { return name == "headless-bridges.json"; };
    read_taken_aside(root, ClaimKind::headless_registry, "daemon", is_registry, files);
}

void read_lock_folder(const Home& folder, Files& files) {
    read_all_named(folder, ClaimKind::gateway_scope_lock, ".lock", files);
}

void read_openclaw_home(const Home& home, Files& files) {
    read_file(home, ClaimKind::openclaw_lock, "daemon/openclaw-runtime.lock/owner.json", files);
}

Reading<ProcessRow> look_up(const Procfs& procfs, Pid pid) {
    if (pid <= 0) return {};
    auto row = read_row(procfs, pid);
    return row ? Reading<ProcessRow>::of(std::move(*row)) : Reading<ProcessRow>::failed(access_of(row.error().code));
}

template <class Reader>
void read_homes(const std::vector<std::string>& homes, Uid uid, Reader read, Files& files) {
    for (const std::string& path : homes) {
        if (const auto home = open_home(path, uid)) read(*home, files);
    }
}

Files read_protecting(const ClaimPlaces& places) {
    Files files;
    read_homes(places.data_homes, places.uid, read_data_home, files);
    read_homes(places.hermes_homes, places.uid, read_hermes_home, files);
    read_homes(places.plugin_roots, places.uid, read_plugin_root, files);
    read_homes(places.socket_folders, places.uid, read_socket_folder, files);
    return files;
}

void look_up_named(const Procfs& procfs, std::vector<Claim>& claims) {
    for (Claim& claim : claims) {
        claim.named = look_up(procfs, claim.pid);
        claim.spawner_row = look_up(procfs, claim.spawner);
    }
}

// By path.
std::vector<Claim> claims_of(const Procfs& procfs, Files files) {
    std::vector<Claim> claims;
    for (ClaimFile& file : files) std::ranges::move(file.claims, std::back_inserter(claims));
    look_up_named(procfs, claims);
    std::ranges::sort(claims, {}, [](const Claim& claim) { return std::tie(claim.path, claim.pid); });
    return claims;
}

bool has_exited(Pid pid) {
    const auto handle = PidHandle::open(pid);
    return handle && handle->exited();
}

void look_up_named(const Procfs& procfs, ClaimFile& file) {
    look_up_named(procfs, file.claims);
    const bool one_zombie =
        file.claims.size() == 1 && file.claims[0].named.ok() && file.claims[0].named.value.state == 'Z';
    file.named_exited = one_zombie && has_exited(file.claims[0].pid);
}

void look_up_lock(const Procfs& procfs, ClaimFile& file) {
    if (file.kind != ClaimKind::gateway_pid && file.kind != ClaimKind::gateway_lock) return;
    const auto home = open_claim_home(file.home);
    file.lock = home ? find_lock(procfs, home->get(), "gateway.lock") : LockReading{LockState::unknown, 0};
}

// One walk over all processes, and only where a file makes it worth while.
void look_up_namesakes(const Procfs& procfs, std::span<ClaimFile> files) {
    if (std::ranges::none_of(files, has_namesakes)) return;
    const auto nested = find_nested(procfs);
    for (ClaimFile& file : files) {
        if (has_namesakes(file)) file.namesakes = namesakes_of(procfs, file, nested);
    }
}

}  // namespace

std::vector<ClaimFile> read_claim_files(const Procfs& procfs, const ClaimPlaces& places) {
    Files files = read_protecting(places);
    read_homes(places.data_homes, places.uid, read_rest_of_data_home, files);
    read_homes(places.hermes_homes, places.uid, read_rest_of_hermes_home, files);
    read_homes(places.plugin_roots, places.uid, read_rest_of_plugin_root, files);
    read_homes(places.lock_folders, places.uid, read_lock_folder, files);
    read_homes(places.openclaw_homes, places.uid, read_openclaw_home, files);
    for (ClaimFile& file : files) {
        look_up_named(procfs, file);
        look_up_lock(procfs, file);
    }
    look_up_namesakes(procfs, files);
    std::ranges::sort(files, {}, &ClaimFile::path);
    return files;
}

ClaimFile read_again(const Procfs& procfs, const ClaimFile& file, int directory, const std::string& name) {
    ClaimFile fresh = file;
    fresh.found = false;
    fresh.stamp = {};
    fresh.text.clear();
    const auto found = find_below(directory, name.c_str());
    fresh = found ? read_into(std::move(fresh), *found) : unreadable(std::move(fresh));
    look_up_named(procfs, fresh);
    look_up_lock(procfs, fresh);
    look_up_namesakes(procfs, {&fresh, 1});
    return fresh;
}

std::vector<Claim> read_update_markers(const Procfs& procfs, const ClaimPlaces& places) {
    Files files;
    read_homes(places.hermes_homes, places.uid, read_marker, files);
    return claims_of(procfs, std::move(files));
}

std::vector<Claim> read_claims(const Procfs& procfs, const ClaimPlaces& places) {
    return claims_of(procfs, read_protecting(places));
}

}  // namespace reaper::scanner
