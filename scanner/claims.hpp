// Pid, lock and ledger files: what they say, read without ever following or waiting on something planted in their place.
#pragma once

#include <string>
#include <vector>

#include "scanner/facts.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// The folders of one user to look in.
struct ClaimPlaces {
    Uid uid = 0;
    std::vector<std::string> data_homes;  // <home>/daemon/bridge.pid, bridge-stdio*.pid
    std::vector<std::string>
        hermes_homes;  // gateway.pid, desktop-ssh/*/backend.lock.json, spawn-ledger.json, processes.json,
                       // update marker
    std::vector<std::string> plugin_roots = {};    // <root>/daemon/headless-bridges.json
    std::vector<std::string> socket_folders = {};  // *.owner_pid
    // For read_claim_files() only.
    std::vector<std::string> lock_folders = {};    // *.lock of gateways
    std::vector<std::string> openclaw_homes = {};  // daemon/openclaw-runtime.lock/owner.json

    bool operator==(const ClaimPlaces&) const = default;
};

// Only regular files with one name, owned by the user or root, of at most 256 KiB (ledgers and registries 16 MiB) count; anything
// else that is there is a claim with access `denied` (a link, FIFO, device, foreign owner, more than that) or `malformed`. Files that
// are not there yield no claim.
[[nodiscard]] std::vector<Claim> read_claims(const Procfs& procfs, const ClaimPlaces& places);

}  // namespace reaper::scanner
