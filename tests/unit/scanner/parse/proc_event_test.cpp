#include "scanner/parse/proc_event.hpp"

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "tests/support/catch.hpp"

namespace reaper::scanner {

namespace {

// A netlink header, one of the connector, then the event, as numbers of 32 bits.
std::vector<std::byte> message(std::uint32_t what, std::initializer_list<std::uint32_t> data,
                               std::uint32_t index = 1) {
    std::vector<std::uint32_t> words{0, 3, 0, 0, index, 1, 9, 77, 0, what, 0, 0, 0};
    words.insert(words.end(), data);
    words[0] = static_cast<std::uint32_t>(words.size() * sizeof(std::uint32_t));
    std::vector<std::byte> bytes(words.size() * sizeof(std::uint32_t));
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
}

ProcEvent only(const std::vector<std::byte>& datagram) {
    const auto events = parse_proc_events(datagram);
    REQUIRE(events.size() == 1);
    return events.front();
}

}  // namespace

TEST_CASE("Events of the proc connector name processes, and tell threads apart") {
    CHECK(only(message(0x2, {4711, 4711})) ==
          ProcEvent{ProcEventKind::executed, 4711, false, 0, 77});
    CHECK(only(message(0x80000000, {4712, 4711, 0, 0})) ==
          ProcEvent{ProcEventKind::exited, 4711, true, 0, 77});
    CHECK(only(message(0x1, {1, 1, 2, 2})).kind == ProcEventKind::other);
    CHECK(only(message(0x0, {1, 0})) == ProcEvent{ProcEventKind::answer, 0, false, 1, 77});
}

TEST_CASE("What is no event of the proc connector is passed by") {
    CHECK(parse_proc_events({}).empty());
    CHECK(parse_proc_events(message(0x2, {4711, 4711}, 9)).empty());
    CHECK(parse_proc_events(message(0x2, {4711})).empty());
    auto cut = message(0x2, {4711, 4711});
    cut.pop_back();
    CHECK(parse_proc_events(cut).empty());
    auto nothing = message(0x2, {4711, 4711});
    nothing[0] = std::byte{0};
    CHECK(parse_proc_events(nothing).empty());
    auto two = message(0x2, {1, 1});
    const auto second = message(0x2, {2, 2});
    two.insert(two.end(), second.begin(), second.end());
    CHECK(parse_proc_events(two).size() == 2);
}

}  // namespace reaper::scanner
