// Where requests meet, on the system that this is built for and on others. Runs inside a pid
// namespace of its own.
#include <poll.h>

#include <csignal>
#include <thread>

#include "agent/detach/request.hpp"
#include "agent/reaping/child.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

namespace reaper::agent {

namespace {

using scanner::PidHandle;

// A path, which is a name for Linux like any other.
class Place {
   public:
    [[nodiscard]] std::string name() const { return folder_.path() + "/place"; }

   private:
    test::TemporaryFolder folder_;
};

PidHandle handle_to(const Child& child) {
    auto handle = PidHandle::open(child.handle().pid());
    REQUIRE(handle);
    return std::move(*handle);
}

// What arrives of a request that is handed over.
std::optional<SweepRequest> hand_to(const Place& where, const SweepRequest& request) {
    const Fd place = take_place(where.name());
    REQUIRE(place);
    Offer offer = Offer::nobody;
    std::thread sender([&] { offer = hand_over(where.name(), request); });
    struct pollfd entry{place.get(), POLLIN, 0};
    REQUIRE(::poll(&entry, 1, 20'000) == 1);
    auto arrived = take_request(place);
    sender.join();
    CHECK(offer == Offer::taken);
    return arrived;
}

}  // namespace

TEST_CASE("A place has one process at a time, and is free when that has ended") {
    const Place where;
    const std::string name = where.name();
    CHECK(hand_over(name, {}) == Offer::nobody);
    for (int round = 0; round < 3; ++round) {
        const Fd first = take_place(name);
        REQUIRE(first);
        CHECK_FALSE(take_place(name));
        const Fd other = take_place(name + "-other");
        CHECK(other);
    }
    CHECK(hand_over(name, {}) == Offer::nobody);
}

TEST_CASE("A request arrives with its name, and with the end of its host") {
    const auto host = start({{"sleep", "100"}});
    REQUIRE(host);
    const auto arrived = hand_to(Place(), {"codex", handle_to(*host)});
    REQUIRE(arrived);
    CHECK(arrived->from == "codex");
    REQUIRE(arrived->host);
    CHECK_FALSE(arrived->host->exited());
    ::kill(host->handle().pid(), SIGKILL);
    REQUIRE(host->wait());
    CHECK(arrived->host->exits_within(std::chrono::seconds(5)));
}

TEST_CASE("A host that has ended is not waited for") {
    const auto host = start({{"true"}});
    REQUIRE(host);
    SweepRequest request{"", handle_to(*host)};
    REQUIRE(host->wait());
    const auto arrived = hand_to(Place(), request);
    REQUIRE(arrived);
    CHECK((!arrived->host || arrived->host->exited()));
}

TEST_CASE("A request without a host has none") {
    const auto arrived = hand_to(Place(), {std::string(60, 'x'), std::nullopt});
    REQUIRE(arrived);
    CHECK(arrived->from == std::string(40, 'x'));
    CHECK_FALSE(arrived->host);
}

}  // namespace reaper::agent
