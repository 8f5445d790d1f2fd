// Reads pid, lock and ledger files without following or waiting for anything planted in their
// place.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "scanner/model/facts.hpp"
#include "scanner/process_table.hpp"

namespace reaper::scanner {

// The folders of one user to look in.
struct ClaimPlaces {
    Uid uid = 0;
    std::vector<std::string> data_homes;    // <home>/daemon/bridge.pid, bridge-stdio*.pid
    std::vector<std::string> hermes_homes;  // gateway.pid, desktop-ssh/*/backend.lock.json,
                                            // spawn-ledger.json, processes.json, update marker,
                                            // records of compute host, meet bot and proxy
    std::vector<std::string> plugin_roots = {};    // <root>/daemon/headless-bridges.json
    std::vector<std::string> socket_folders = {};  // *.owner_pid
    // The next two are only for read_claim_files().
    std::vector<std::string> lock_folders = {};    // *.lock of gateways, host-ROLE.json
    std::vector<std::string> openclaw_homes = {};  // daemon/openclaw-runtime.lock/owner.json

    bool operator==(const ClaimPlaces&) const = default;
};

struct ClaimsRead {
    std::vector<Claim> claims;  // sorted by path
    // Of all files that exist, also of those that name no living process; sorted by path.
    std::vector<ClaimMark> marks;
};

// The result of an earlier look at the same places. Unchanged files are not read again. Processes
// are looked up again only for claims that name one of `about`, that are new, or that name updaters
// or owners of browsers.
struct ClaimsBefore {
    const ClaimsRead* read = nullptr;
    std::set<Pid> about = {};
};

// Reads the claims of these places. Only regular files with one name, owned by the user or root, of
// at most 64 KiB (ledgers and registries: record_reader.hpp) count. Anything else becomes a claim
// with access `denied` (a link, FIFO, device, foreign owner, larger) or `malformed`. Files that do
// not exist yield no claim, nor do entries of ledgers and registries whose process does not exist.
// Processes that ledgers and process registries name are looked up without exe, command line and
// cgroup.
[[nodiscard]] ClaimsRead read_claims(const ProcessTable& table, const ClaimPlaces& places,
                                     const ClaimsBefore& before = {});

}  // namespace reaper::scanner
