#include "scanner/json/facts_json.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "scanner/json/bytes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/random_facts.hpp"

using namespace reaper;
using namespace reaper::scanner;

namespace {

std::string golden() {
    std::ifstream file(std::string(REAPER_TEST_DATA) + "/facts/machine.json");
    REQUIRE(file.good());
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    INFO(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::string mistake_in(const std::string& text) {
    const auto facts = facts_from_json(text);
    REQUIRE_FALSE(facts);
    REQUIRE(facts.error().code == std::errc::invalid_argument);
    return facts.error().subject;
}

bool says(const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
    return text.find(part) != std::string::npos;
}

bool is_ascii(const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); });
}

template <class T>
constexpr std::size_t kListed =
    std::tuple_size_v<std::remove_cvref_t<decltype(json::FieldsOf<T>::kList)>>;

}  // namespace

TEST_CASE("facts that were written are read back as they were") {
    test::RandomFacts random(20261118);
    for (int round = 0; round < 1500; ++round) {
        const Record facts = random.make();
        const std::string text = facts_to_json(facts);
        const auto read = facts_from_json(text);
        const bool same = read && *read == facts;
        if (same && facts_to_json(*read) == text && is_ascii(text)) continue;
        INFO(text);
        REQUIRE(is_ascii(text));
        REQUIRE(read);
        REQUIRE(same);
        REQUIRE(facts_to_json(*read) == text);
    }
    CHECK(facts_from_json(facts_to_json(Record{})).value() == Record{});
}

// Does not compile when a record has got a field more.
TEST_CASE("every field is listed") {
    [[maybe_unused]] const auto& [a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14] =
        Facts{};
    [[maybe_unused]] const auto& [p1, p2, p3] = Background{};
    [[maybe_unused]] const auto& [z1, z2, z3, z4, z5, z6, z7, z8] = ClaimMark{};
    [[maybe_unused]] const auto& [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14] =
        Machine{};
    [[maybe_unused]] const auto& [c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14,
                                  c15] = Claim{};
    [[maybe_unused]] const auto& [d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14,
                                  d15] = ProcessRow{};
    [[maybe_unused]] const auto& [e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15,
                                  e16, e17, e18, e19, e20, e21, e22, e23, e24, e25, e26, e27, e28,
                                  e29, e30, e31] = ProcessFacts{};
    [[maybe_unused]] const auto& [f1, f2, f3, f4, f5, f6] = Identity{};
    [[maybe_unused]] const auto& [g1, g2, g3, g4] = Uids{};
    [[maybe_unused]] const auto& [h1, h2, h3, h4] = ScanCount{};
    [[maybe_unused]] const auto& [i1, i2] = CommandLine{};
    [[maybe_unused]] const auto& [j1, j2, j3, j4] = StdioEnd{};
    [[maybe_unused]] const auto& [k1, k2, k3, k4, k5] = Listener{};
    [[maybe_unused]] const auto& [l1, l2, l3, l4, l5] = ServiceUnit{};
    [[maybe_unused]] const auto& [q1, q2, q3] = Lease{};
    [[maybe_unused]] const auto& [m1, m2, m3, m4, m5] = Protection{};
    [[maybe_unused]] const auto& [n1, n2] = UserWithUnreadableRules{};
    [[maybe_unused]] const auto& [o1, o2, o3, o4, o5, o6, o7, o8] = Keepalive{};
    CHECK(kListed<Keepalive> == 8);
    CHECK(kListed<Record> == 14 + 3);
    CHECK(kListed<ClaimMark> == 8);
    CHECK(kListed<Machine> == 14);
    CHECK(kListed<Claim> == 15);
    CHECK(kListed<ProcessRow> == 15);
    CHECK(kListed<ProcessFacts> == 31);
    CHECK(kListed<Lease> == 3);
    CHECK(kListed<Identity> == 6);
    CHECK(kListed<Uids> == 4);
    CHECK(kListed<ScanCount> == 4);
    CHECK(kListed<CommandLine> == 2);
    CHECK(kListed<StdioEnd> == 4);
    CHECK(kListed<Listener> == 5);
    CHECK(kListed<ServiceUnit> == 5);
    CHECK(kListed<Protection> == 5);
    CHECK(kListed<UserWithUnreadableRules> == 2);
}

TEST_CASE("what older files do not say yet is written only where it says something") {
    Record facts = facts_from_json(golden()).value();
    CHECK(facts_to_json(facts) == golden());
    facts.users_with_unreadable_rules = {{1000, "why"}};
    facts.protections = {{1000, "file", "", {"--x"}, "/home"}};
    facts.wrappers = {77};
    facts.plain_wrappers = {77};
    facts.candidates.front().swap_bytes = 4096;
    facts.candidates.front().identity.exec_version = 7;
    facts.candidates.front().first_parent = FirstParent::orphan_that_executed;
    facts.candidates.front().coalition = 513;
    facts.unanswered = {"/home"};
    facts.keepalives = {{1000, "bridge", "/home", 77, 5, "python3", 3, 9}};
    CHECK(facts_from_json(facts_to_json(facts)).value() == facts);
    CHECK(
        says(mistake_in(replaced(facts_to_json(facts), "\"why\":", "\"whx\":")), "untold[0].why"));
}

TEST_CASE("bytes stay readable where they are text") {
    Record facts;
    facts.machine.name =
        "b\xc3\xbc"
        "chse\n";
    facts.machine.kernel = "\xff\x01";
    const std::string text = facts_to_json(facts);
    CHECK(says(text, R"("name": "b\u00fcchse\n")"));
    CHECK(says(replaced(text, "\n   \"bytes\"", "\"bytes\""), "\"bytes\": \"ff01\""));
    for (const char* wrong : {"f", "fg", "FF", "0x"}) CHECK_FALSE(json::from_hex(wrong));
    for (const char* wrong :
         {"\x80", "\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xed\xa0\x80",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3", "\xe2\x82", "a\xff"})
        CHECK_FALSE(json::is_utf8(wrong));
    for (const char* right :
         {"", "a", "\xc3\xbc", "\xe2\x82\xac", "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf"})
        CHECK(json::is_utf8(right));
}

TEST_CASE("a file that was cut off anywhere is refused") {
    const std::string text = golden();
    REQUIRE(facts_from_json(text));
    CHECK(facts_to_json(*facts_from_json(text)) == text);
    for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
        if (facts_from_json(text.substr(0, length))) FAIL(length);
    }
}

TEST_CASE("a mistake is named by its place") {
    const std::string text = golden();
    CHECK(says(mistake_in(replaced(text, "facts/1", "facts/2")), "\"schema\""));
    CHECK(says(mistake_in(replaced(text, "\"schema\"", "\"scheme\"")), "\"schema\""));
    CHECK(says(mistake_in("[]"), "\"schema\""));
    CHECK(says(mistake_in("{}"), "\"schema\""));
    CHECK(says(mistake_in(""), "no JSON"));
    CHECK(says(mistake_in(text + "x"), "no JSON"));
    CHECK(says(mistake_in(replaced(text, "\"ppid\"", "\"pqid\"")),
               "candidates[0].row.ppid (expected this field)"));
    CHECK(says(mistake_in(replaced(text, "\"machine\": {", "\"machine\": {\"more\": 1,")),
               "machine (expected no other fields)"));
    CHECK(says(mistake_in(replaced(text, "\"machine\": {", "\"machine\": {\"name\": \"x\",")),
               "'name', which is there twice"));
    for (const char* wrong :
         {"-1", "18446744073709551616", "1e3", "1.5", "\"7\"", "null", "true", "[]", "{}"})
        CHECK(says(mistake_in(replaced(text, "\"now_ticks\": 10000000",
                                       std::string("\"now_ticks\": ") + wrong)),
                   "machine.now_ticks (expected a whole number in range)"));
    for (const char* wrong : {"NaN", "Infinity", "1e999", "--1", "01"})
        CHECK(says(mistake_in(replaced(text, "\"now_ticks\": 10000000",
                                       std::string("\"now_ticks\": ") + wrong)),
                   "no JSON"));
    CHECK(
        says(mistake_in(replaced(text, "\"self\": 4000", "\"self\": 2147483648")), "machine.self"));
    CHECK(says(mistake_in(replaced(text, "\"has_handles\": true", "\"has_handles\": 1")),
               "expected true or false"));
    CHECK(says(mistake_in(replaced(text, "\"kind\": \"pipe\"", "\"kind\": \"pipes\"")),
               "expected one of the known words"));
    CHECK(says(mistake_in(replaced(text, "\"state\": \"S\"", "\"state\": \"SS\"")),
               "row.state (expected one letter)"));
    CHECK(says(mistake_in(replaced(text, "\"os\": \"linux\"", "\"os\": {\"bytes\":\"f\"}")),
               "machine.os (expected a string"));
    CHECK(says(mistake_in(replaced(text, "\"access\": \"ok\",", "")),
               "expected an object with \"access\""));
    CHECK(says(mistake_in(replaced(text, "\"access\": \"ok\",", "\"access\": \"ok\", \"x\": 1,")),
               "\"access\" and \"value\""));
}

TEST_CASE("deep nesting and huge files cost nothing") {
    CHECK(says(mistake_in(std::string(10'000'000, '[')), "nested too deeply"));
    CHECK(says(mistake_in(replaced(
                   golden(), "\"schema\"",
                   "\"x\": " + std::string(40, '[') + std::string(40, ']') + ", \"schema\"")),
               "nested too deeply"));
    const auto huge = facts_from_json(std::string(kLargestFacts + 1, ' '));
    REQUIRE_FALSE(huge);
    CHECK(huge.error().code == std::errc::file_too_large);
}
