#include "agent/reading/bounded_reader.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "scanner/access_guard.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/random_facts.hpp"

using namespace reaper;
using agent::BoundedReader;
using agent::ReaderLine;
using agent::ReadTask;
using Clock = std::chrono::steady_clock;

namespace {

void hang() {
    for (;;) ::poll(nullptr, 0, -1);
}

// Waits for ever at `path`, unless it was left out.
ReadTask stuck_at(scanner::Uid user, const std::string& path) {
    return {[=](ReaderLine& line) {
        if (scanner::may_read(user, path)) hang();
        line.answer("went on");
    }};
}

BoundedReader& started(BoundedReader& reader) {
    reader.begin();
    return reader;
}

}  // namespace

TEST_CASE("facts travel as they are") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const scanner::Record facts = test::RandomFacts(seed).make();
        const std::string bytes = agent::pack(facts);
        const auto back = agent::unpack<scanner::Record>(bytes);
        REQUIRE(back);
        CHECK(agent::pack(*back) == bytes);
        CHECK((*back == facts || facts != facts));  // a double can be no number
        CHECK_FALSE(
            agent::unpack<scanner::Record>(std::string_view(bytes).substr(0, bytes.size() - 1)));
        CHECK_FALSE(agent::unpack<scanner::Record>(bytes + "x"));
    }
}

TEST_CASE("errors travel with what they say") {
    const Result<std::string> none = failure(std::errc::permission_denied, "read", "/x");
    CHECK(agent::unpack<Result<std::string>>(agent::pack(none)).value().error() == none.error());
    const Result<void> done;
    CHECK(agent::unpack<Result<void>>(agent::pack(done)).value());
}

TEST_CASE("a copy answers, with descriptors") {
    BoundedReader reader;
    const std::string large(3'000'000, 'x');
    const auto reply = started(reader).run({[&](ReaderLine& line) {
        const auto pipe = test::make_pipe();
        std::vector<int> many(450, pipe.second.get());
        CHECK(::write(pipe.second.get(), "word", 4) == 4);
        many.front() = pipe.first.get();
        line.answer(large, many);
    }});
    REQUIRE(reply);
    CHECK(reply->bytes == large);
    REQUIRE(reply->descriptors.size() == 450);
    char word[8];
    CHECK(::read(reply->descriptors.front().get(), word, sizeof word) == 4);
}

TEST_CASE("a copy asks the one that waits for it") {
    BoundedReader reader;
    const auto reply = started(reader).run(
        {[](ReaderLine& line) { line.answer(line.ask("one") + line.ask("two")); },
         {},
         [](std::string_view question) { return std::string(question) + "!"; }});
    CHECK(reply.value().bytes == "one!two!");
}

TEST_CASE("a copy has only the descriptors that it needs, and no reader of ours waits for it") {
    BoundedReader reader;
    auto pipe = test::make_pipe();
    const auto reply = started(reader).run({[&](ReaderLine& line) {
        line.answer(::fcntl(pipe.second.get(), F_GETFD) == -1 && ::isatty(STDOUT_FILENO) == 0
                        ? "closed"
                        : "open");
    }});
    CHECK(reply.value().bytes == "closed");
    const auto kept =
        reader.run({[&](ReaderLine& line) {
                        line.answer(::fcntl(pipe.second.get(), F_GETFD) == -1 ? "closed" : "open");
                    },
                    {pipe.second.get()}});
    CHECK(kept.value().bytes == "open");
}

TEST_CASE(
    "what does not answer is left out, and named, and not tried again while a copy waits for it") {
    BoundedReader reader;
    auto began = Clock::now();
    const auto reply = started(reader).run(stuck_at(1000, "/no/answer"));
    CHECK(Clock::now() - began >= agent::kAnswerTime);
    CHECK(reply.value().bytes == "went on");
    CHECK(reply->unanswered == std::vector<std::string>{"/no/answer"});

    began = Clock::now();
    CHECK(reader.run(stuck_at(1000, "/no/answer")).value().unanswered.size() == 1);
    CHECK(Clock::now() - began < agent::kAnswerTime);
    // Another user's processes may see another thing there.
    CHECK(reader
              .run({[](ReaderLine& line) {
                  line.answer(scanner::may_read(1001, "/no/answer") ? "read" : "left out");
              }})
              .value()
              .bytes == "read");
}

TEST_CASE("what was left out and descriptors come together") {
    BoundedReader reader;
    const auto reply = started(reader).run({[](ReaderLine& line) {
        if (scanner::may_read(1000, "/no/answer")) hang();
        const auto pipe = test::make_pipe();
        const int ends[] = {pipe.first.get(), pipe.second.get()};
        line.answer("went on", ends);
    }});
    REQUIRE(reply);
    CHECK(reply->unanswered.size() == 1);
    CHECK(reply->descriptors.size() == 2);
}

TEST_CASE("a user whose homes do not answer costs a few seconds, and others nothing") {
    BoundedReader reader;
    const auto began = Clock::now();
    const auto reply = started(reader).run({[](ReaderLine& line) {
        for (int at = 0; at < 1000; ++at) {
            if (scanner::may_read(1000, "/bad/" + std::to_string(at))) hang();
        }
        line.answer(scanner::may_read(1001, "/good") ? "others are read" : "all is left out");
    }});
    CHECK(reply.value().bytes == "others are read");
    CHECK(Clock::now() - began < std::chrono::seconds(12));
}

TEST_CASE("what answers just in time, each time, is given up as well") {
    BoundedReader reader;
    const auto began = Clock::now();
    const auto reply = started(reader).run({[](ReaderLine& line) {
        for (int at = 0; at < 100; ++at) {
            if (scanner::may_read(1000, "/slow/" + std::to_string(at))) ::poll(nullptr, 0, 700);
        }
        line.answer("done");
    }});
    CHECK(reply.value().bytes == "done");
    CHECK(Clock::now() - began < std::chrono::seconds(25));
}

TEST_CASE("a copy that breaks off is an error") {
    BoundedReader reader;
    CHECK_FALSE(started(reader).run({[](ReaderLine&) {}}));
    CHECK_FALSE(reader.run({[](ReaderLine&) { throw std::bad_alloc(); }}));
}

TEST_CASE("an interrupt ends the wait") {
    sigset_t signals;
    sigset_t before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    ::sigprocmask(SIG_BLOCK, &signals, &before);
    ::raise(SIGINT);
    BoundedReader reader;
    const auto began = Clock::now();
    const auto reply = started(reader).run(stuck_at(1000, "/no/answer"));
    const timespec at_once{};
    CHECK(::sigtimedwait(&signals, nullptr, &at_once) == SIGINT);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == std::errc::interrupted);
    CHECK(Clock::now() - began < std::chrono::milliseconds(900));
}

TEST_CASE("in place nothing is copied") {
    CHECK(BoundedReader::of_program().reads_in_place());
    int touched = 0;
    const auto read = agent::read_bounded<int>([&]() -> Result<int> { return ++touched; });
    CHECK(read.value() == 1);
    CHECK(touched == 1);
}
