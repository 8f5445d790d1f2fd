#include "scanner/parse/darwin/process_rows.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/darwin/records.hpp"

using namespace reaper::scanner::darwin;
using namespace reaper::test::darwin;

namespace {

KernelRow helper() {
    KernelRow row;
    row.pid = 4242;
    row.parent = 1;
    row.group = 4200;
    row.terminal = 0x10000003;
    row.state = 'R';
    row.start = 1'763'000'000'123'456;
    row.uids = {501, 502, 503, 502};
    row.name = "node";
    return row;
}

bool is_refused(std::string_view bytes) {
    const auto rows = parse_process_rows(bytes);
    return !rows && rows.error().code == std::errc::invalid_argument;
}

template <class T>
std::string with(Field<T> field, std::type_identity_t<T> value) {
    std::string bytes = row_bytes(helper());
    put(bytes, field, value);
    return bytes;
}

}  // namespace

TEST_CASE("rows of the process table of macOS") {
    KernelRow second = helper();
    second.pid = 77;
    second.parent = 4300;
    second.parent_before_tracing = 4242;
    second.terminal = 0;
    second.traced = second.exiting = true;
    const auto rows = parse_process_rows(row_bytes(helper()) + row_bytes(second));
    REQUIRE(rows);
    CHECK(*rows == std::vector{helper(), second});
}

TEST_CASE("a pid that no process has is no row") {
    const auto rows = parse_process_rows("");
    REQUIRE(rows);
    CHECK(rows->empty());
}

TEST_CASE("rows say in which state a process is") {
    const auto [number, state, newborn] = GENERATE(table<int, char, bool>(
        {{1, 'R', true}, {2, 'R', false}, {3, 'R', false}, {4, 'T', false}, {5, 'Z', false}}));
    const auto rows = parse_process_rows(with(kinfo::kState, static_cast<std::int8_t>(number)));
    REQUIRE(rows);
    CHECK(rows->front().state == state);
    CHECK(rows->front().newborn == newborn);
}

TEST_CASE("a table of rows of another length is refused whole") {
    const std::string one = row_bytes(helper());
    CHECK(is_refused(one.substr(1)));
    CHECK(is_refused(one + "x"));
    CHECK(is_refused(one + one.substr(0, kinfo::kSize / 2)));
}

TEST_CASE("a row that no process can have is refused") {
    CHECK(is_refused(with(kinfo::kState, 0)));
    CHECK(is_refused(with(kinfo::kState, 6)));
    CHECK(is_refused(with(kinfo::kState, -1)));
    CHECK(is_refused(with(kinfo::kPid, -1)));
    CHECK(is_refused(with(kinfo::kParent, -1)));
    CHECK(is_refused(with(kinfo::kParentBeforeTracing, -1)));
    CHECK(is_refused(with(kinfo::kGroup, -1)));
    CHECK(is_refused(with(kinfo::kStartSeconds, -1)));
    CHECK(is_refused(with(kinfo::kStartSeconds, std::numeric_limits<std::int64_t>::max())));
    CHECK(is_refused(with(kinfo::kStartMicroseconds, -1)));
    CHECK(is_refused(with(kinfo::kStartMicroseconds, 1'000'000)));
}

TEST_CASE("a name that fills its field is read whole") {
    std::string bytes = row_bytes(helper());
    bytes.replace(kinfo::kName.offset, kinfo::kName.size, std::string(kinfo::kName.size, 'n'));
    const auto rows = parse_process_rows(bytes);
    REQUIRE(rows);
    CHECK(rows->front().name == std::string(17, 'n'));
}
