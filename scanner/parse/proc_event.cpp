#include "scanner/parse/proc_event.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace reaper::scanner {

namespace {

// Offsets in linux/netlink.h, linux/connector.h and linux/cn_proc.h, as not every system has these
// headers. A netlink header (length first), one of the connector (its index, value, sequence, ...),
// and the event.
constexpr std::size_t kNetlinkHeader = 16;
constexpr std::size_t kIndex = kNetlinkHeader;
// The sequence number before it is the one of the kernel.
constexpr std::size_t kAnswers = kNetlinkHeader + 12;
constexpr std::size_t kEvent = kNetlinkHeader + 20;
// the kind, the cpu and a time stamp of 64 bits come first
constexpr std::size_t kData = kEvent + 16;
constexpr std::uint32_t kProcIndex = 1;
constexpr std::uint32_t kAnswer = 0;
constexpr std::uint32_t kExecuted = 0x2;
constexpr std::uint32_t kExited = 0x80000000;

std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t place) {
    std::uint32_t number = 0;
    std::memcpy(&number, bytes.data() + place, sizeof number);
    return number;
}

std::optional<ProcEvent> parse_message(std::span<const std::byte> message) {
    if (message.size() < kData + 8 || number_at(message, kIndex) != kProcIndex) return std::nullopt;
    const std::uint32_t what = number_at(message, kEvent);
    ProcEvent event;
    event.answers = number_at(message, kAnswers);
    if (what == kAnswer) {
        event.kind = ProcEventKind::answer;
        event.error = number_at(message, kData);
        return event;
    }
    if (what == kExecuted) event.kind = ProcEventKind::executed;
    if (what == kExited) event.kind = ProcEventKind::exited;
    event.pid = static_cast<Pid>(number_at(message, kData + 4));
    event.thread = number_at(message, kData) != number_at(message, kData + 4);
    return event;
}

}  // namespace

std::vector<ProcEvent> parse_proc_events(std::span<const std::byte> datagram) {
    std::vector<ProcEvent> events;
    while (datagram.size() >= kNetlinkHeader) {
        const std::size_t length = number_at(datagram, 0);
        if (length < kNetlinkHeader || length > datagram.size()) break;
        if (const auto event = parse_message(datagram.first(length))) events.push_back(*event);
        datagram = datagram.subspan(std::min((length + 3) & ~std::size_t{3}, datagram.size()));
    }
    return events;
}

}  // namespace reaper::scanner
