#include "agent/history/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

using test::TemporaryFolder;

std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

HistoryFile opened(const std::string& folder, std::size_t most = kActions.most) {
    auto file = HistoryFile::open(folder, {kHistoryFile, most, true});
    REQUIRE(file);
    return std::move(*file);
}

mode_t mode_of(const std::string& path) {
    struct stat status{};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    return status.st_mode & 0777;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

}  // namespace

TEST_CASE("lines are appended to a file that only its owner can read") {
    const TemporaryFolder folder;
    const mode_t mask = ::umask(0);
    auto file = opened(folder / "a/b");
    ::umask(mask);
    REQUIRE(file.append("one\n"));
    REQUIRE(opened(folder / "a/b").append("two\n"));
    CHECK(text_of(folder / "a/b/history.jsonl") == "one\ntwo\n");
    CHECK(mode_of(folder / "a/b/history.jsonl") == 0600);
}

TEST_CASE("the folder that root makes can be entered by services that have theirs in it") {
    const TemporaryFolder folder;
    const mode_t mask = ::umask(077);
    REQUIRE(opened(folder / "state").append("one\n"));
    ::umask(mask);
    CHECK(mode_of(folder / "state") == (::geteuid() == 0 ? 0755U : 0700U));
    CHECK(mode_of(folder / "state/history.jsonl") == 0600);
}

TEST_CASE("a file that others could read is closed to them") {
    const TemporaryFolder folder;
    folder.write("history.jsonl", "one\n");
    REQUIRE(::chmod((folder / "history.jsonl").c_str(), 0644) == 0);
    REQUIRE(opened(folder.path()).append("two\n"));
    CHECK(mode_of(folder / "history.jsonl") == 0600);
}

TEST_CASE("a line is never glued to one that was cut short") {
    const TemporaryFolder folder;
    folder.write("history.jsonl", "one\ntw");
    auto file = opened(folder.path());
    REQUIRE(file.append("three\n"));
    CHECK(text_of(folder / "history.jsonl") == "one\ntw\nthree\n");
    SECTION("also when that happens between two lines") {
        std::ofstream(folder / "history.jsonl", std::ios::app) << "fo";
        REQUIRE(file.append("five\n"));
        CHECK(text_of(folder / "history.jsonl") == "one\ntw\nthree\nfo\nfive\n");
    }
}

TEST_CASE("anything else in the place of the file is refused") {
    const TemporaryFolder folder;
    SECTION("a FIFO, which is not waited for") {
        folder.fifo("history.jsonl");
    }
    SECTION("a link") {
        folder.write("other", "precious");
        folder.link("history.jsonl", folder / "other");
    }
    SECTION("a file with a second name") {
        folder.write("history.jsonl", "precious");
        REQUIRE(::link((folder / "history.jsonl").c_str(), (folder / "other").c_str()) == 0);
    }
    CHECK_FALSE(HistoryFile::open(folder.path()));
    CHECK((text_of(folder / "other").empty() || text_of(folder / "other") == "precious"));
}

TEST_CASE("the history is bounded: a full file makes way for a new one, once") {
    const TemporaryFolder folder;
    auto file = opened(folder.path(), 20);
    for (const char* line : {"first 10.\n", "second 10\n", "third 10.\n"})
        REQUIRE(file.append(line));
    CHECK(text_of(folder / "history.jsonl.1") == "first 10.\nsecond 10\n");
    CHECK(text_of(folder / "history.jsonl") == "third 10.\n");
    CHECK(mode_of(folder / "history.jsonl") == 0600);
    for (const char* line : {"fourth 10\n", "a fifth one that is longer than the file may get\n"})
        REQUIRE(file.append(line));
    CHECK(text_of(folder / "history.jsonl.1") == "third 10.\nfourth 10\n");
    CHECK(text_of(folder / "history.jsonl") ==
          "a fifth one that is longer than the file may get\n");
}

TEST_CASE("a process that still has the file open that made way writes into the new one") {
    const TemporaryFolder folder;
    auto slow = opened(folder.path(), 20);
    auto quick = opened(folder.path(), 20);
    for (const char* line : {"first 10.\n", "second 10\n", "third 10.\n"})
        REQUIRE(quick.append(line));
    REQUIRE(slow.append("late 100.\n"));
    CHECK(text_of(folder / "history.jsonl.1") == "first 10.\nsecond 10\n");
    CHECK(text_of(folder / "history.jsonl") == "third 10.\nlate 100.\n");
    SECTION("also when it was deleted") {
        REQUIRE(::unlink((folder / "history.jsonl").c_str()) == 0);
        REQUIRE(slow.append("later 10.\n"));
        CHECK(text_of(folder / "history.jsonl") == "later 10.\n");
    }
}

TEST_CASE("a lock that is kept delays nothing") {
    const TemporaryFolder folder;
    folder.write("history.jsonl", std::string(30, 'x') + "\n");
    const Fd holder(::open((folder / "history.jsonl").c_str(), O_RDONLY | O_CLOEXEC));
    REQUIRE(::flock(holder.get(), LOCK_EX) == 0);
    REQUIRE(opened(folder.path(), 20).append("one\n"));
    // Without the lock nothing is moved: another process may be about to.
    CHECK(text_of(folder / "history.jsonl") == std::string(30, 'x') + "\none\n");
}

TEST_CASE("programs that append at the same time lose no line, and tear none") {
    const TemporaryFolder folder;
    constexpr int kWriters = 4;
    constexpr int kLines = 100;
    std::atomic<int> failed = 0;
    std::vector<std::thread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
        writers.emplace_back([&, writer] {
            auto file = HistoryFile::open(folder.path(), {kHistoryFile, 3000, true});
            for (int i = 0; i < kLines; ++i) {
                if (!file ||
                    !file->append("[" + std::string(200, static_cast<char>('a' + writer)) + "]\n"))
                    ++failed;
            }
        });
    }
    for (std::thread& writer : writers) writer.join();
    CHECK(failed == 0);
    const std::string text =
        text_of(folder / "history.jsonl.1") + text_of(folder / "history.jsonl");
    CHECK(text.size() % 203 == 0);
    CHECK(count(text, "]\n") == text.size() / 203);
    // A writer that waited too long for the lock may have written to a file just after its move.
    CHECK(text_of(folder / "history.jsonl.1").size() <= 3000 + kWriters * 203);
}

}  // namespace reaper::agent
