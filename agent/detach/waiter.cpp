#include "agent/detach/waiter.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/reaping/process_control.hpp"

namespace reaper::agent {

namespace {

// Hosts that end one after the other put a sweep off no longer.
constexpr std::chrono::seconds kLongestDelay{10};

int milliseconds_until(Waiter::Clock::time_point moment) {
    if (moment == Waiter::Clock::time_point::max()) return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(moment - Waiter::Clock::now()).count();
    return static_cast<int>(std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max()));
}

}  // namespace

void Waiter::add(SweepRequest request) {
    waiting_.push_back({std::move(request), Clock::now() + times_.longest});
}

void Waiter::take_requests() {
    while (auto request = take_request(place_)) add(*std::move(request));
}

// A request without a host waits for nothing, and what its host has left has settled.
void Waiter::take_ended_hosts() {
    const auto now = Clock::now();
    std::erase_if(waiting_, [&](const Waiting& one) {
        const auto& host = one.request.host;
        if (host && !host->exited() && now < one.last) return false;
        if (!one.request.from.empty()) names_.insert(one.request.from);
        if (!due_) due_at_last_ = now + times_.settle + kLongestDelay;
        due_ = std::max(due_.value_or(now), now + (host ? times_.settle : Clock::duration{}));
        return true;
    });
    if (due_) due_ = std::min(*due_, std::max(due_at_last_, now));
}

void Waiter::take_finished_sweep() {
    if (!sweeping_ || !sweeping_->handle().exited()) return;
    std::ignore = sweeping_->wait();
    sweeping_.reset();
}

Waiter::Clock::time_point Waiter::may_begin() const {
    return began_ ? *began_ + times_.at_most_every : Clock::time_point::min();
}

void Waiter::sweep_if_due() {
    const auto now = Clock::now();
    if (sweeping_ || now < may_begin()) return;
    if (due_ && now >= *due_) {
        due_.reset();
        if (times_.again.count() > 0) {
            again_ = now + times_.again;
            again_names_.insert(names_.begin(), names_.end());
        }
        begin_sweep(std::exchange(names_, {}));
    } else if (again_ && now >= *again_) {
        again_.reset();
        begin_sweep(std::exchange(again_names_, {}));
    }
}

// The copy takes no requests: what it has open would outlive this process. Where there is no room
// for a copy, requests wait until this process has swept itself.
void Waiter::begin_sweep(const std::set<std::string>& names) {
    const std::string from = fmt::format("{}", fmt::join(names, ","));
    began_ = Clock::now();
    auto copy = branch([&] {
        place_.reset();
        waiting_.clear();
        return sweep_(from);
    });
    if (copy) sweeping_ = std::move(*copy);
    if (!copy) std::ignore = sweep_(from);
}

bool Waiter::is_over() const {
    return waiting_.empty() && !due_ && !again_ && !sweeping_ && Clock::now() >= may_begin();
}

Waiter::Clock::time_point Waiter::next() const {
    auto next = Clock::time_point::max();
    for (const Waiting& one : waiting_) next = std::min(next, one.last);
    if (sweeping_) return next;  // its end wakes
    for (const auto& sweep : {due_, again_}) {
        if (sweep) next = std::min(next, std::max(*sweep, may_begin()));
    }
    return waiting_.empty() && !due_ && !again_ ? may_begin() : next;
}

void Waiter::sleep() const {
    std::vector<pollfd> descriptors{{interrupt_.raw(), POLLIN, 0}};
    if (place_) descriptors.push_back({place_.get(), POLLIN, 0});
    if (sweeping_) descriptors.push_back({sweeping_->handle().raw(), POLLIN, 0});
    for (const Waiting& one : waiting_) {
        if (one.request.host) descriptors.push_back({one.request.host->raw(), POLLIN, 0});
    }
    std::ignore = ::poll(descriptors.data(), descriptors.size(), milliseconds_until(next()));
}

void Waiter::stop() {
    if (!sweeping_) return;
    std::ignore = make_process_control()->send(sweeping_->handle(), Signal::terminate);
    std::ignore = sweeping_->wait();
}

void Waiter::run() {
    for (;;) {
        if (place_) take_requests();
        take_ended_hosts();
        take_finished_sweep();
        sweep_if_due();
        if (is_over()) return;
        sleep();
        if (interrupt_.came()) break;
    }
    stop();
}

}  // namespace reaper::agent
