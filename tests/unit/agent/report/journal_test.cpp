#include "agent/report/journal.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include "agent/report/journal_stream.hpp"
#include "scanner/fd.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/agent/report/sample_report.hpp"

namespace reaper::agent {

using std::chrono::milliseconds;

namespace {

// Stands in for the journal.
Fd bound_to(const std::string& path) {
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    path.copy(std::begin(place.sun_path), sizeof place.sun_path - 1);
    Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) == 0);
    return socket;
}

// What goes to stderr when `entries` are sent there.
std::string on_stderr(const std::vector<JournalEntry>& entries, const std::string& path) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const Fd reading(ends[0]);
    Fd writing(ends[1]);
    const Fd own(::dup(STDERR_FILENO));
    REQUIRE(::dup2(writing.get(), STDERR_FILENO) == STDERR_FILENO);
    writing.reset();
    send_to_journal(entries, path.c_str());
    ::dup2(own.get(), STDERR_FILENO);
    std::array<char, 4096> text{};
    const ssize_t size = ::read(reading.get(), text.data(), text.size());
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace

TEST_CASE("The journal has read a line when its socket is empty") {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    const Fd own(ends[0]);
    const Fd other(ends[1]);
    CHECK(wait_until_read(own.get(), milliseconds(0)));
    REQUIRE(::write(own.get(), "line\n", 5) == 5);
    CHECK_FALSE(wait_until_read(own.get(), milliseconds(20)));
    std::array<char, 5> line{};
    ssize_t size = 0;
    std::thread reader([&] { size = ::read(other.get(), line.data(), line.size()); });
    const bool was_read = wait_until_read(own.get(), milliseconds(20'000));
    reader.join();
    CHECK(was_read);
    CHECK(size == 5);
}

TEST_CASE("What is no socket is not waited for") {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), 0) == 0);
    const Fd reading(ends[0]);
    const Fd writing(ends[1]);
    REQUIRE(::write(writing.get(), "line\n", 5) == 5);
    CHECK(wait_until_read(writing.get(), milliseconds(20'000)));
    CHECK(wait_until_read(-1, milliseconds(20'000)));
}

TEST_CASE("An entry has fields for programs, and one id for each kind of event") {
    const auto field = [](const JournalEntry& entry, const std::string& name) {
        for (const auto& [key, value] : entry) {
            if (key == name) return value;
        }
        return std::string("(none)");
    };
    const auto entry_of = [](const ReportedProcess& process) {
        return journal_entry(test::report_of("sweep", {process}), process);
    };
    const auto ended = entry_of(test::with(test::orphan(7), OutcomeResult::ended_on_term));
    CHECK(field(ended, "MESSAGE_ID") == "67514b5d1c33429d9edf09a1eac429de");
    CHECK(field(ended, "PRIORITY") == "6");
    CHECK(field(ended, "ORPHAN_REAPER_PID") == "7");
    CHECK(field(ended, "ORPHAN_REAPER_FAMILY") == "bridge");
    CHECK(field(ended, "ORPHAN_REAPER_HOME") == "/home/u/.hermes/memos-plugin");
    CHECK(field(ended, "ORPHAN_REAPER_RESULT") == "ended_on_term");
    CHECK(field(ended, "ORPHAN_REAPER_REASON") ==
          "parent is init (pid 1); nothing can write to its stdin any more");
    CHECK(field(ended, "MESSAGE").find("ended on TERM") != std::string::npos);
    const auto failed = entry_of(test::with(test::orphan(7), OutcomeResult::survived));
    CHECK(field(failed, "MESSAGE_ID") == "b80f7f0456b8440c917e1e0e6f06cce3");
    CHECK(field(failed, "PRIORITY") == "4");
    const auto refused = entry_of(test::with(test::orphan(7), OutcomeResult::refused));
    CHECK(field(refused, "MESSAGE_ID") == "b0cca653e4d3406581fcd1e75393a182");
    const auto left =
        entry_of(test::process(7, policy::Verdict::abandoned, policy::Action::report));
    CHECK(field(left, "MESSAGE_ID") == "45e3c866ddc64105b1b0ed0e0aff238a");
    CHECK(field(left, "ORPHAN_REAPER_RESULT") == "(none)");
    CHECK(field(left, "ORPHAN_REAPER_FROM") == "(none)");
    Report asked = test::report_of("sweep", {test::orphan(7)});
    asked.from = "codex";
    CHECK(field(journal_entry(asked, asked.processes.front()), "ORPHAN_REAPER_FROM") == "codex");
}

TEST_CASE("A value with a newline cannot become a field") {
    CHECK(journal_datagram({{"A", "b"}, {"C", ""}}) == "A=b\nC=\n");
    const std::string length("\x05\0\0\0\0\0\0\0", 8);
    CHECK(journal_datagram({{"A", "b\nC=d"}}) == "A\n" + length + "b\nC=d\n");
}

TEST_CASE("Entries reach the socket of the journal, one datagram each") {
    const reaper::test::TemporaryFolder folder;
    const std::string path = folder / "socket";
    const Fd journal = bound_to(path);
    std::vector<std::string> taken;
    constexpr std::size_t kMany = 600;  // more than a socket keeps
    std::thread reader([&] {
        std::array<char, 200> datagram{};
        while (taken.size() < kMany) {
            const ssize_t size = ::recv(journal.get(), datagram.data(), datagram.size(), 0);
            if (size <= 0) return;
            taken.emplace_back(datagram.data(), static_cast<std::size_t>(size));
        }
    });
    std::vector<JournalEntry> entries;
    for (std::size_t at = 0; at < kMany; ++at)
        entries.push_back({{"MESSAGE", "entry " + std::to_string(at)}});
    send_to_journal(entries, path.c_str());
    reader.join();
    REQUIRE(taken.size() == kMany);
    CHECK(taken.front() == "MESSAGE=entry 0\n");
    CHECK(taken.back() == "MESSAGE=entry 599\n");
}

TEST_CASE("Without that socket, the lines go to stderr") {
    const reaper::test::TemporaryFolder folder;
    CHECK(on_stderr({{{"MESSAGE", "one"}}, {{"MESSAGE", "two"}, {"PRIORITY", "4"}}},
                    folder / "socket") == "one\ntwo\n");
}

TEST_CASE("A journal that hangs is waited for once, and the rest goes to stderr") {
    const reaper::test::TemporaryFolder folder;
    const Fd journal = bound_to(folder / "socket");
    const std::vector<JournalEntry> entries(600, {{"MESSAGE", "x"}});  // more than a socket keeps
    const auto began = std::chrono::steady_clock::now();
    const std::string lines = on_stderr(entries, folder / "socket");
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));
    CHECK(lines.size() >= 20);
    CHECK(lines.size() < 1200);
}

TEST_CASE("Output goes to the journal as that of a unit does") {
    const reaper::test::TemporaryFolder folder;
    const std::string path = folder / "stdout";
    CHECK_FALSE(write_to_journal(path.c_str()));
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    path.copy(std::begin(place.sun_path), sizeof place.sun_path - 1);
    const Fd journal(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(journal.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) == 0);
    REQUIRE(::listen(journal.get(), 1) == 0);
    const Fd out(::dup(STDOUT_FILENO));
    const Fd err(::dup(STDERR_FILENO));
    const bool taken = write_to_journal(path.c_str());
    const bool known = stderr_is_journal();
    const bool said = ::write(STDERR_FILENO, "<4>line\n", 8) == 8;
    ::dup2(out.get(), STDOUT_FILENO);
    ::dup2(err.get(), STDERR_FILENO);
    ::unsetenv("JOURNAL_STREAM");
    CHECK((taken && known && said));
    const Fd stream(::accept(journal.get(), nullptr, nullptr));
    std::array<char, 100> text{};
    REQUIRE(::read(stream.get(), text.data(), text.size()) > 0);
    CHECK(std::string(text.data()) == "orphan-reaper\n\n6\n1\n0\n0\n0\n<4>line\n");
}

}  // namespace reaper::agent
