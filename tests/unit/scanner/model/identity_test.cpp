#include "scanner/model/identity.hpp"

#include "tests/support/catch.hpp"

using namespace reaper::scanner;

namespace {

Identity with_inode() {
    return {"boot", 4026531836, 42, 1000, 77};
}

Identity with_ticks() {
    return {"boot", 4026531836, 42, 1000, std::nullopt};
}

// The answer may not depend on which side is asked.
Sameness compare_both_ways(const Identity& left, const Identity& right) {
    const Sameness result = compare(left, right);
    CHECK(compare(right, left) == result);
    return result;
}

}  // namespace

TEST_CASE("an identity is the same as itself") {
    CHECK(compare_both_ways(with_inode(), with_inode()) == Sameness::same);
    CHECK(compare_both_ways(with_ticks(), with_ticks()) == Sameness::same);
}

TEST_CASE("one known difference is proof") {
    Identity other = with_inode();
    SECTION("pid") {
        other.pid = 43;
    }
    SECTION("boot") {
        other.boot_id = "other";
    }
    SECTION("namespace") {
        other.pid_namespace = 1;
    }
    SECTION("inode, even at the same tick") {
        other.pidfs_inode = 78;
    }
    CHECK(compare_both_ways(with_inode(), other) == Sameness::different);
}

TEST_CASE("another start is another process, where no inode says more") {
    Identity other = with_ticks();
    other.start_ticks = 1001;
    CHECK(compare_both_ways(with_ticks(), other) == Sameness::different);
    CHECK(compare_both_ways(with_inode(), other) == Sameness::different);
}

TEST_CASE("another program in the same process is the same process") {
    Identity other = with_inode();
    other.exec_version = 2;
    CHECK(compare_both_ways(with_inode(), other) == Sameness::same);
    Identity before = other;
    before.exec_version = 1;
    CHECK(compare_both_ways(before, other) == Sameness::same);
    CHECK_FALSE(before == other);
}

TEST_CASE("what is not known is never taken for the same") {
    Identity other = with_inode();
    SECTION("no boot id") {
        other.boot_id.clear();
    }
    SECTION("no namespace") {
        other.pid_namespace = 0;
    }
    SECTION("no inode on one side") {
        other.pidfs_inode.reset();
    }
    CHECK(compare_both_ways(with_inode(), other) == Sameness::unknown);
}

TEST_CASE("unknown on both sides is still unknown, and a difference outweighs it") {
    Identity left = with_inode();
    left.boot_id.clear();
    CHECK(compare_both_ways(left, left) == Sameness::unknown);
    Identity right = left;
    right.pid = 43;
    CHECK(compare_both_ways(left, right) == Sameness::different);
}

TEST_CASE("an identity as text") {
    CHECK(to_string(with_inode()) == "boot:4026531836:42:77");
    CHECK(to_string(with_ticks()) == "boot:4026531836:42:t1000");
}
