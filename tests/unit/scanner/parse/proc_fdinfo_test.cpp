#include "scanner/parse/proc_fdinfo.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace reaper::scanner;

TEST_CASE("locks of a descriptor") {
    const auto locks = parse_fdinfo_locks(
        "pos:\t0\nflags:\t02100002\nmnt_id:\t29\nino:\t131\n"
        "lock:\t1: POSIX  ADVISORY  WRITE 1234 fe:01:131 120 122\n"
        "lock:\t2: FLOCK  ADVISORY  READ 1234 00:13:11691 0 EOF\n"
        "lock:\t3: OFDLCK ADVISORY  WRITE -1 08:10:7 1073741824 1073742335\n"
        "lock:\t4: LEASE  ACTIVE    READ 1234 08:10:7 0 EOF\n");
    REQUIRE(locks);
    REQUIRE(locks->size() == 4);
    CHECK((*locks)[0] == FileLock{LockKind::posix, true, 0xfe, 1, 131, 120, 122, 1234});
    CHECK((*locks)[1] ==
          FileLock{LockKind::flock, false, 0, 0x13, 11691, 0, FileLock::kEndOfFile, 1234});
    CHECK((*locks)[2] ==
          FileLock{LockKind::open_file_description, true, 8, 0x10, 7, 1073741824, 1073742335, -1});
    CHECK((*locks)[3].kind == LockKind::other);
    CHECK(parse_fdinfo_locks("")->empty());
    CHECK(parse_fdinfo_locks("pos:\t0\nxlock:\t1: POSIX\n")->empty());
}

TEST_CASE("locks of all, without those that wait for one") {
    const auto locks = parse_locks(
        "1: FLOCK  ADVISORY  WRITE 77 08:10:7 0 EOF\n"
        "1: -> FLOCK  ADVISORY  WRITE 78 08:10:7 0 EOF\n"
        "2: POSIX  ADVISORY  READ 79 00:13:8 0 EOF\n");
    REQUIRE(locks);
    REQUIRE(locks->size() == 2);
    CHECK((*locks)[0] == FileLock{LockKind::flock, true, 8, 0x10, 7, 0, FileLock::kEndOfFile, 77});
    CHECK((*locks)[1].pid == 79);
    CHECK_FALSE(parse_locks("1: FLOCK  ADVISORY  WRITE x 08:10:7 0 EOF\n"));
}

TEST_CASE("bytes are looked for by overlap") {
    const FileLock merged{LockKind::posix, true, 0, 0, 0, 120, 122};
    CHECK(merged.overlaps(122, 127));
    CHECK(merged.overlaps(0, 120));
    CHECK(merged.overlaps(121, 121));
    CHECK_FALSE(merged.overlaps(123, 127));
    CHECK_FALSE(merged.overlaps(0, 119));
    CHECK(FileLock{LockKind::posix, true, 0, 0, 0, 5, FileLock::kEndOfFile}.overlaps(1073741824,
                                                                                     1073742335));
}

TEST_CASE("locks that are not in the kernel's form") {
    for (const char* line :
         {"lock:\t", "lock:\t1: POSIX", "lock:\t1: POSIX ADVISORY WRITE 1 08:01:131 120",
          "lock:\t1: POSIX ADVISORY WRITE 1 08:01 0 EOF",
          "lock:\t1: POSIX ADVISORY WRITE 1 08:01:131 120 119",
          "lock:\t1: POSIX ADVISORY WRITE 1 08:01:131 -1 5",
          "lock:\t1: POSIX ADVISORY NONE 1 08:01:131 1 5",
          "lock:\t1: POSIX ADVISORY WRITE 1 zz:01:131 1 5",
          "lock:\t1: POSIX ADVISORY WRITE 1 08:01:131 1 99999999999999999999",
          "lock:\t1: POSIX ADVISORY WRITE 1 08:01:131 1 5 6",
          "lock:\t1: FLOCK ADVISORY WRITE 1 1ffffffff:0:1 0 EOF"}) {
        INFO(line);
        const auto locks = parse_fdinfo_locks(line);
        REQUIRE_FALSE(locks);
        CHECK(locks.error().code == std::errc::invalid_argument);
    }
}

TEST_CASE("fdinfo: single numbers are found by name") {
    using reaper::scanner::parse_fdinfo_number;
    constexpr std::string_view kText = "pos:\t0\nflags:\t012100000\nmnt_id:\t25\nino:\t7\n";
    CHECK(parse_fdinfo_number(kText, "mnt_id") == 25U);
    CHECK(parse_fdinfo_number(kText, "ino") == 7U);
    CHECK_FALSE(parse_fdinfo_number(kText, "id"));
    CHECK_FALSE(parse_fdinfo_number("mnt_id:\t\n", "mnt_id"));
    CHECK_FALSE(parse_fdinfo_number("", "ino"));
}
