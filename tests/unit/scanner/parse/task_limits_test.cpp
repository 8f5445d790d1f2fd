#include "scanner/parse/task_limits.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace reaper::scanner;

TEST_CASE("the number of processes of a cgroup, or that it may have") {
    CHECK(parse_pids_number("4711\n")->value == 4711);
    CHECK(parse_pids_number("0\n")->value == 0);
    REQUIRE(parse_pids_number("max\n"));
    CHECK_FALSE(parse_pids_number("max\n")->value);
    for (const char* odd : {"", "\n", "4711", "max", "-1\n", "4711 \n", "maximum\n", "1\n2\n",
                            "18446744073709551616\n"})
        CHECK_FALSE(parse_pids_number(odd));
}

TEST_CASE("the cgroups above a process, as far as they are seen") {
    using Folders = std::set<std::string>;
    const auto folders_in = [](const PidsHierarchy& hierarchy, const std::string& cgroups) {
        Folders folders;
        add_pids_folders(hierarchy, cgroups, folders);
        return folders;
    };
    const PidsHierarchy unified{"/sys/fs/cgroup", "/", true};
    CHECK(folders_in(unified, "0::/a/b\n") ==
          Folders{"/sys/fs/cgroup", "/sys/fs/cgroup/a", "/sys/fs/cgroup/a/b"});
    CHECK(folders_in(unified, "0::/\n") == Folders{"/sys/fs/cgroup"});
    CHECK(folders_in(unified, "8:pids:/a\n").empty());
    CHECK(folders_in(unified, "0::/../b\n").empty());
    CHECK(folders_in(unified, "").empty());
    const PidsHierarchy old{"/pids", "/docker/1", false};
    CHECK(folders_in(old, "8:pids:/docker/1/a\n0::/\n") == Folders{"/pids", "/pids/a"});
    CHECK(folders_in(old, "8:pids:/docker/1\n") == Folders{"/pids"});
    CHECK(folders_in(old, "8:pids:/docker/12\n").empty());
    CHECK(folders_in(old, "8:pids:/docker\n").empty());
    CHECK(folders_in(old, "0::/docker/1/a\n").empty());
    std::string deep = "0::";
    for (int level = 0; level < 3000; ++level) deep += "/a";
    CHECK(folders_in(unified, deep + "\n").size() == 1024);
}

TEST_CASE("how many processes a user may have") {
    const std::string before =
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max resident set          unlimited            unlimited            bytes     \n";
    const auto limit = [&](const std::string& line) { return parse_process_limit(before + line); };
    CHECK(limit("Max processes             1234                 96365                processes \n")
              ->value == 1234);
    const auto none =
        limit("Max processes             unlimited            96365                processes \n");
    REQUIRE(none);
    CHECK_FALSE(none->value);
    for (const char* odd : {"", "Max processes ", "Max processes   \n", "Max processes many 7 \n",
                            "Max processes -1 7 \n", "Max open files 7 7\n"})
        CHECK_FALSE(limit(odd));
}

TEST_CASE("how many threads the machine has") {
    CHECK(parse_thread_count("7.66 6.37 6.65 7/125 24683\n") == 125);
    for (const char* odd : {"", "/", "7.66 6.37 6.65 7", "1/x 7", "1/-5 7", "1/7"})
        CHECK_FALSE(parse_thread_count(odd));
}
