#include "scanner/parse/proc_io.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "tests/support/catch.hpp"

using reaper::scanner::parse_io;
using reaper::scanner::ProcIo;

TEST_CASE("io is what went through calls and what went to storage") {
    const auto io = parse_io(
        "rchar: 100\nwchar: 20\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\nwrite_bytes: "
        "8192\ncancelled_write_bytes: 1\n");
    CHECK(io.value() == ProcIo{120, 12288});
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    CHECK(parse_io("rchar: 18446744073709551615\nwchar: 1\nread_bytes: 0\nwrite_bytes: 0\n")
              .value() == ProcIo{kMost, 0});
}

TEST_CASE("io that is not in the kernel's form") {
    const std::string whole = "rchar: 1\nwchar: 2\nread_bytes: 3\nwrite_bytes: 4\n";
    for (const std::string& text :
         {std::string(), whole.substr(0, 20), whole + "rchar: 1\n",
          std::string("rchar: 1\nwchar: -2\nread_bytes: 3\nwrite_bytes: 4\n"),
          std::string("rchar: 99999999999999999999\nwchar: 2\nread_bytes: 3\nwrite_bytes: 4\n"),
          std::string("rchar: 1x\nwchar: 2\nread_bytes: 3\nwrite_bytes: 4\n")}) {
        INFO(text);
        CHECK_FALSE(parse_io(text));
    }
}
