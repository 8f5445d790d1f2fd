#include "scanner/parse/lease_path.hpp"

#include <string>

#include "tests/support/catch.hpp"

using reaper::scanner::parse_lease_path;

namespace {

const std::string kInstall = "/home/u/.hermes/installs/0123456789abcdef";
const std::string kLease =
    kInstall + "/environments/2026-11/.leases/00112233445566778899aabbccddeeff";

}  // namespace

TEST_CASE("a lease names its root, install and generation") {
    for (const std::string& path : {kLease, kLease + " (deleted)"}) {
        const auto lease = parse_lease_path(path);
        REQUIRE(lease);
        CHECK(lease->root == "/home/u/.hermes");
        CHECK(lease->install == kInstall);
        CHECK(lease->generation == "2026-11");
    }
}

TEST_CASE("any other path is no lease") {
    for (const std::string& path : std::vector<std::string>{
             "", "/", kInstall, kLease + "0", kLease.substr(1), kLease + "/x",
             kInstall + "/environments/2026-11/.leases/00112233445566778899AABBCCDDEEFF",
             kInstall + "/environments//.leases/00112233445566778899aabbccddeeff",
             kInstall + "/environments/2026-11/leases/00112233445566778899aabbccddeeff",
             "/home/u/.hermes/installs/x/environments/1/.leases/00112233445566778899aabbccddeeff",
             "/home/u/installed/0123456789abcdef/environments/1/.leases/"
             "00112233445566778899aabbccddeeff"}) {
        INFO(path);
        CHECK_FALSE(parse_lease_path(path));
    }
}
