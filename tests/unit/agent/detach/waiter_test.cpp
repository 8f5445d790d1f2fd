// Requests that meet, and hosts that end. Runs inside a pid namespace of its own.
#include "agent/detach/waiter.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "tests/support/catch.hpp"

namespace reaper::agent {

using namespace std::chrono_literals;
using scanner::PidHandle;

namespace {

constexpr const char* kPlace = "orphan-reaper/test";

// A process that ends when told to.
class Host {
   public:
    Host() : child_(*start({{"sleep", "100"}})) {}
    ~Host() { end(); }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    void end() {
        if (ended_) return;
        ended_ = true;
        ::kill(child_.handle().pid(), SIGKILL);
        REQUIRE(child_.wait());
    }
    [[nodiscard]] SweepRequest request(std::string from) const {
        auto handle = PidHandle::open(child_.handle().pid());
        REQUIRE(handle);
        return {std::move(from), std::move(*handle)};
    }

   private:
    Child child_;
    bool ended_ = false;
};

// Sweeps that only write down for whom they are, a line each.
class Sweeps {
   public:
    Sweeps() { REQUIRE(::pipe2(ends_.data(), O_CLOEXEC) == 0); }
    ~Sweeps() {
        for (const int end : ends_) ::close(end);
    }
    Sweeps(const Sweeps&) = delete;
    Sweeps& operator=(const Sweeps&) = delete;

    [[nodiscard]] Waiter::Sweep sweep(std::chrono::milliseconds duration = 0ms) const {
        return [this, duration](const std::string& from) {
            const std::string line = from + "\n";
            const bool told = ::write(ends_[1], line.data(), line.size()) > 0;
            std::this_thread::sleep_for(duration);
            return told ? 0 : 1;
        };
    }
    // All lines so far.
    [[nodiscard]] std::string told() const {
        std::array<char, 1000> text{};
        struct pollfd entry{ends_[0], POLLIN, 0};
        const ssize_t size =
            ::poll(&entry, 1, 0) == 1 ? ::read(ends_[0], text.data(), text.size()) : 0;
        return {text.data(), static_cast<std::size_t>(size)};
    }

   private:
    std::array<int, 2> ends_{};
};

}  // namespace

TEST_CASE("A request is taken by the one that waits, with the handle of its host") {
    const Fd place = take_place(kPlace);
    REQUIRE(place);
    CHECK_FALSE(take_place(kPlace));
    CHECK_FALSE(take_request(place));
    Host host;
    Offer taken = Offer::nobody;
    std::thread sender([&] { taken = hand_over(kPlace, host.request("codex")); });
    std::optional<SweepRequest> request;
    while (!request) request = take_request(place);
    sender.join();
    CHECK(taken == Offer::taken);
    CHECK(request->from == "codex");
    REQUIRE(request->host);
    CHECK_FALSE(request->host->exited());
    host.end();
    CHECK(request->host->exited());
}

TEST_CASE("What is not answered is not taken") {
    CHECK(hand_over(kPlace, {"codex", std::nullopt}) == Offer::nobody);
    Fd place = take_place(kPlace);
    Offer taken = Offer::taken;
    std::thread sender([&] { taken = hand_over(kPlace, {"codex", std::nullopt}); });
    struct pollfd entry{place.get(), POLLIN, 0};
    REQUIRE(::poll(&entry, 1, 20'000) == 1);
    place.reset();  // it ends with a request that it has not seen
    sender.join();
    CHECK(taken == Offer::nobody);
    CHECK(take_place(kPlace));
}

TEST_CASE("A sweep waits for the host, and follows at once where there is none") {
    const Interrupt interrupt;
    const Sweeps sweeps;
    Host host;
    Waiter waiter(Fd(), {10ms, 0ms, 60s}, interrupt, sweeps.sweep());
    waiter.add(host.request("codex"));
    std::thread ends([&] {
        std::this_thread::sleep_for(200ms);
        CHECK(sweeps.told().empty());
        host.end();
    });
    waiter.run();
    ends.join();
    CHECK(sweeps.told() == "codex\n");
    Waiter other(Fd(), {60s, 0ms, 60s}, interrupt, sweeps.sweep());
    other.add({"none", std::nullopt});
    other.run();
    CHECK(sweeps.told() == "none\n");
}

TEST_CASE("A host that goes on is not waited for without end") {
    const Interrupt interrupt;
    const Sweeps sweeps;
    const Host host;
    Waiter waiter(Fd(), {10ms, 0ms, 100ms}, interrupt, sweeps.sweep());
    waiter.add(host.request("codex"));
    waiter.run();
    CHECK(sweeps.told() == "codex\n");
}

TEST_CASE("Hosts that end together share a sweep") {
    const Interrupt interrupt;
    const Sweeps sweeps;
    Host one;
    Host other;
    Waiter waiter(Fd(), {200ms, 0ms, 60s}, interrupt, sweeps.sweep());
    waiter.add(one.request("codex"));
    waiter.add(other.request("claude-code"));
    one.end();
    other.end();
    waiter.run();
    CHECK(sweeps.told() == "claude-code,codex\n");
}

TEST_CASE("A request in the middle of a sweep is followed by another sweep") {
    const Interrupt interrupt;
    const Sweeps sweeps;
    Waiter waiter(take_place(kPlace), {0ms, 0ms, 60s}, interrupt, sweeps.sweep(500ms));
    waiter.add({"first", std::nullopt});
    Offer taken = Offer::nobody;
    std::thread sender([&] {
        std::this_thread::sleep_for(150ms);
        taken = hand_over(kPlace, {"second", std::nullopt});
    });
    waiter.run();
    sender.join();
    CHECK(taken == Offer::taken);
    CHECK(sweeps.told() == "first\nsecond\n");
}

TEST_CASE("Sweeps begin no more often than is wished for") {
    const Interrupt interrupt;
    const Sweeps sweeps;
    const auto began = Waiter::Clock::now();
    Waiter waiter(take_place(kPlace), {0ms, 400ms, 60s}, interrupt, sweeps.sweep());
    waiter.add({"first", std::nullopt});
    std::thread sender([&] {
        while (sweeps.told().empty()) std::this_thread::sleep_for(5ms);
        CHECK(hand_over(kPlace, {"second", std::nullopt}) == Offer::taken);
    });
    waiter.run();
    sender.join();
    CHECK(sweeps.told() == "second\n");
    CHECK(Waiter::Clock::now() - began >= 800ms);
}

TEST_CASE("What was too young for the first sweep has a second one") {
    const Interrupt interrupt;
    const Sweeps sweeps;
    const auto began = Waiter::Clock::now();
    Waiter waiter(take_place(kPlace), {.again = 2000ms}, interrupt, sweeps.sweep());
    waiter.add({"first", std::nullopt});
    std::thread sender([&] {
        std::this_thread::sleep_for(100ms);
        CHECK(hand_over(kPlace, {"second", std::nullopt}) == Offer::taken);
    });
    waiter.run();
    sender.join();
    CHECK(sweeps.told() == "first\nsecond\nfirst,second\n");
    CHECK(Waiter::Clock::now() - began >= 2s);
}

TEST_CASE("A request whose handle is lost on the way is not taken") {
    const Fd place = take_place(kPlace);
    Host host;
    Offer offer = Offer::taken;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    std::thread sender([&] { offer = hand_over(kPlace, host.request("codex")); });
    struct pollfd entry{place.get(), POLLIN, 0};
    REQUIRE(::poll(&entry, 1, 20'000) == 1);
    std::this_thread::sleep_for(500ms);  // the request is on its way
    const Fd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const rlimit tight{static_cast<rlim_t>(next.get()) + 2, before.rlim_max};  // for its socket
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
    const auto request = take_request(place);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    sender.join();
    CHECK_FALSE(request);
    CHECK(offer == Offer::nobody);
}

TEST_CASE("Without room for a copy the one that waits sweeps itself") {
    const Interrupt interrupt;
    const Sweeps sweeps;
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const Fd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    Waiter waiter(Fd(), {0ms, 0ms, 60s}, interrupt, sweeps.sweep());
    waiter.add({"codex", std::nullopt});
    const rlimit tight{static_cast<rlim_t>(next.get()) + 1, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
    waiter.run();
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(sweeps.told() == "codex\n");
}

TEST_CASE("An interrupt ends the wait") {
    const Interrupt interrupt;
    const Sweeps sweeps;
    const Host host;
    Waiter waiter(Fd(), {0ms, 0ms, 60s}, interrupt, sweeps.sweep());
    waiter.add(host.request("codex"));
    ::kill(::getpid(), SIGTERM);
    waiter.run();
    CHECK(sweeps.told().empty());
}

}  // namespace reaper::agent
