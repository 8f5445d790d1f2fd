#include "scanner/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "scanner/linux/procfs.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/proc_tree.hpp"

using namespace reaper::scanner;
using reaper::failure;
using reaper::Result;
using reaper::test::ProcTree;

TEST_CASE("a file is read to its end or to the limit, and says which") {
    const ProcTree tree{};
    const auto table = tree.table();
    for (const std::size_t size : {0U, 1U, 4095U, 4096U, 4097U, 9999U, 10000U}) {
        INFO(size);
        tree.write("file", std::string(size, 'x'));
        const auto text = read_at(fd_of(table), "file", 10000);
        REQUIRE(text);
        CHECK(text->bytes == std::string(size, 'x'));
        CHECK_FALSE(text->truncated);
    }
    tree.write("file", std::string(10001, 'x'));
    const auto text = read_at(fd_of(table), "file", 10000);
    REQUIRE(text);
    CHECK(text->bytes.size() == 10000);
    CHECK(text->truncated);
}

namespace {

constexpr std::chrono::seconds kLong{60};

Result<std::vector<std::string>> pieces_of(const ProcTree& tree,
                                           std::chrono::milliseconds most_time = kLong) {
    std::vector<std::string> pieces;
    const auto take = [&](std::string_view lines) -> Result<void> {
        if (lines == "refused\n") return failure(std::errc::invalid_argument, "take", "it");
        if (!lines.empty()) pieces.emplace_back(lines);
        return {};
    };
    if (auto read = read_lines_at(fd_of(tree.table()), "file", most_time, take); !read)
        return tl::unexpected(read.error());
    return pieces;
}

}  // namespace

TEST_CASE("lines come whole, however long the file is") {
    const ProcTree tree{};
    tree.write("file", "");
    CHECK(pieces_of(tree)->empty());
    tree.write("file", "one\ntwo");
    CHECK(pieces_of(tree) == std::vector<std::string>{"one\n", "two"});
    std::string text;
    for (int line = 0; line < 100000; ++line) text += std::to_string(line) + "\n";
    tree.write("file", text);
    std::string read;
    const auto pieces = pieces_of(tree);
    REQUIRE(pieces);
    for (const std::string& piece : *pieces) {
        CHECK(piece.size() <= 65536);
        CHECK(piece.ends_with('\n'));
        read += piece;
    }
    CHECK(read == text);
}

TEST_CASE("lines that are too long, come too late or are refused") {
    const ProcTree tree{};
    CHECK(pieces_of(tree).error().code == std::errc::no_such_file_or_directory);
    tree.write("file", std::string(65535, 'x') + "\n");
    CHECK(pieces_of(tree).has_value());
    CHECK(pieces_of(tree, std::chrono::seconds(0)).error().code == std::errc::stream_timeout);
    tree.write("file", std::string(65536, 'x') + "\n");
    CHECK(pieces_of(tree).error().code == std::errc::file_too_large);
    tree.write("file", "refused\n");
    CHECK(pieces_of(tree).error().code == std::errc::invalid_argument);
}

TEST_CASE("a file of which nothing may be read is either empty or truncated") {
    const ProcTree tree{};
    tree.write("empty", "");
    tree.write("full", "x");
    CHECK_FALSE(read_at(fd_of(tree.table()), "empty", 0)->truncated);
    CHECK(read_at(fd_of(tree.table()), "full", 0)->truncated);
}

TEST_CASE("why a file could not be read is kept") {
    const ProcTree tree{};
    std::filesystem::create_directory(tree.root() / "directory");
    const auto table = tree.table();
    CHECK(read_at(fd_of(table), "missing", 10).error().code ==
          std::errc::no_such_file_or_directory);
    CHECK(read_at(fd_of(table), "directory", 10).error().code == std::errc::is_a_directory);
    CHECK(read_at(fd_of(table), "missing", 10).error().subject == "missing");
    tree.link("loop", "loop");
    CHECK(read_at(fd_of(table), "loop", 10).error().code ==
          std::errc::too_many_symbolic_link_levels);
}

TEST_CASE("a FIFO does not block") {
    const ProcTree tree{};
    REQUIRE(::mkfifo((tree.root() / "fifo").c_str(), 0600) == 0);
    const auto text = read_at(fd_of(tree.table()), "fifo", 10);
    REQUIRE(text);
    CHECK(text->bytes.empty());
}

TEST_CASE("a link is read, not followed") {
    const ProcTree tree{};
    const std::string target = "/no/such\nfile \xff (deleted)";
    tree.link("link", target);
    tree.write("file", "");
    const auto table = tree.table();
    CHECK(read_link_at(fd_of(table), "link") == target);
    CHECK(read_link_at(fd_of(table), "file").error().code == std::errc::invalid_argument);
    CHECK(read_link_at(fd_of(table), "missing").error().code ==
          std::errc::no_such_file_or_directory);
}

TEST_CASE("the longest link that a file system takes is read whole") {
    const ProcTree tree{};
    std::string target = "/";
    while (target.size() < 4000) target += "directory/";
    tree.link("link", target);
    CHECK(read_link_at(fd_of(tree.table()), "link") == target);
}
