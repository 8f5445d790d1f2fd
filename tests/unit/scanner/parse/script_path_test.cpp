#include "scanner/parse/script_path.hpp"

#include "tests/support/catch.hpp"

using reaper::scanner::folder_of;
using reaper::scanner::resolve_script;

TEST_CASE("a script is where argv and the working folder say") {
    CHECK(resolve_script("/a/b.cjs", "/x") == "/a/b.cjs");
    CHECK(resolve_script("dist/b.cjs", "/home/u/.hermes/memos-plugin") ==
          "/home/u/.hermes/memos-plugin/dist/b.cjs");
    CHECK(resolve_script("../b.cjs", "/a/c") == "/a/b.cjs");
    CHECK(resolve_script("./x//y/./b.cjs", "/a/") == "/a/x/y/b.cjs");
    CHECK(resolve_script("/../../b", "") == "/b");
    CHECK(resolve_script("../../../b", "/a") == "/b");
    CHECK(resolve_script("/", "") == "/");
    CHECK(resolve_script("..", "/a") == "/");
    CHECK(resolve_script("..a", "/x") == "/x/..a");
}

TEST_CASE("a script without an absolute folder is nowhere") {
    CHECK(resolve_script("b.cjs", "").empty());
    CHECK(resolve_script("b.cjs", "(unreachable)/a").empty());
    CHECK(resolve_script("", "/a").empty());
    CHECK(resolve_script(std::string_view("/a\0b", 4), "/").empty());
}

TEST_CASE("folders up to the root") {
    CHECK(folder_of("/a/b.cjs") == "/a");
    CHECK(folder_of("/a") == "/");
    CHECK(folder_of("/") == "/");
    CHECK(folder_of("a") == "/");
}
