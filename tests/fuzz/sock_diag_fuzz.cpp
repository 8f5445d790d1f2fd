#include "scanner/parse/sock_diag_reply.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace reaper;

// A socket of an answer takes at least a header's and a record's room, so there cannot be more of
// them than fit.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto reply = scanner::parse_sock_diag(fuzz::text_of(data, size), 1);
    if (!reply) {
        fuzz::require(reply.error().code != std::error_code());
        return 0;
    }
    fuzz::require(reply->sockets.size() <= size / 32);
    for (const scanner::DiagSocket& socket : reply->sockets)
        fuzz::require(socket.address.size() <= size + 46);
    return 0;
}
