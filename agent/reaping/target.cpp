#include "agent/reaping/target.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace reaper::agent {

namespace {

bool is_gone(const Error& error) {
    return error.code == std::errc::no_such_process;
}

}  // namespace

ReaperTarget::ReaperTarget(Target target, const ReaperParts& parts, const ReaperTimes& times)
    : target_(std::move(target)), parts_(&parts), times_(&times) {
    outcome_.pid = target_.handle.pid();
}

void ReaperTarget::verify() {
    if (planned() && may_be_signalled()) std::ignore = ask_control();
}

void ReaperTarget::terminate() {
    if (!planned()) return;
    term_at_ = Clock::now();
    if (!send(Signal::terminate)) return;
    phase_ = Phase::terminating;
    set_grace(term_at_ + target_.step.grace,
              term_at_ + std::max(target_.step.grace, target_.step.grace_cap));
    resume();
}

void ReaperTarget::set_grace(Clock::time_point deadline, Clock::time_point cap) {
    deadline_ = deadline;
    cap_ = cap;
}

void ReaperTarget::expire() {
    if (!planned() && !doubted()) return;
    if (planned()) term_at_ = cap_ = Clock::now();
    phase_ = Phase::terminating;
    deadline_ = Clock::now();
}

// tsx passes TERM on, and kills its child when that has not handled it within 60 ms: perhaps in the
// middle of a database's last checkpoint, for which the child has a grace here.
void ReaperTarget::await(std::function<Awaited()> others) {
    if (!planned()) return;
    others_ = std::move(others);
    phase_ = Phase::awaiting;
    deadline_ = Clock::time_point::max();
}

void ReaperTarget::withdraw(OutcomeResult result, std::string why) {
    if (planned()) finish(result, std::move(why));
}

void ReaperTarget::sample_at_term() {
    if (phase_ != Phase::terminating) return;
    if (auto sample = parts_->activity(target_.handle)) extension_.begin(*sample);
}

void ReaperTarget::advance(Clock::time_point now) {
    if (!running()) return;
    if (target_.handle.exited()) return finish_gone();
    if (phase_ == Phase::awaiting) return advance_awaiting(now);
    if (now < deadline_) return;
    if (phase_ == Phase::doubted) return finish(OutcomeResult::changed, outcome_.detail);
    if (phase_ == Phase::killing) return give_up();
    if (!may_extend_grace(now)) kill();
}

void ReaperTarget::advance_awaiting(Clock::time_point now) {
    const Awaited others = others_();
    if (others.running) return;
    if (others.stays != nullptr) {
        const Outcome& outcome = others.stays->outcome();
        return finish(outcome.result,
                      "pid " + std::to_string(outcome.pid) + " of its unit: " + outcome.detail);
    }
    if (deadline_ == Clock::time_point::max()) deadline_ = now + times_->exiting;
    if (now < deadline_) return;
    phase_ = Phase::planned;
    verify();
    terminate();
    sample_at_term();
}

void ReaperTarget::stop(const std::string& why) {
    if (planned()) return finish(OutcomeResult::refused, why);
    if (!running()) return;
    if (target_.handle.exited()) return finish_gone();
    finish(phase_ == Phase::killing ? OutcomeResult::survived : OutcomeResult::refused,
           why + " while ending");
}

Outcome ReaperTarget::final_outcome() const {
    Outcome outcome = outcome_;
    if (!outcome.wait_status && target_.handle.exited())
        outcome.wait_status = target_.handle.wait_status();
    return outcome;
}

ReaperTarget::Clock::time_point ReaperTarget::over_at() const {
    if (phase_ == Phase::awaiting)
        return Clock::time_point::min();  // those that it waits for have a moment of their own
    return phase_ == Phase::terminating ? deadline_ + times_->after_kill : deadline_;
}

// Any handle that this opens comes first: what is verified then is the process that it pins.
Result<std::optional<std::string>> ReaperTarget::look_again() {
    if (parts_->open) {
        auto opened = parts_->open(target_.handle.pid());
        if (!opened) return tl::unexpected(std::move(opened.error()));
        target_.handle = std::move(*opened);
    }
    auto objection = parts_->verifier.objection(target_);
    looked_at_ = Clock::now();
    return objection;
}

// A disk that is slow, or many decisions that are written first, make a look old.
bool ReaperTarget::is_still_proven() {
    return Clock::now() - looked_at_ <= times_->fresh || may_be_signalled();
}

void ReaperTarget::release() {
    if (parts_->open) target_.handle = scanner::PidHandle::unopened(target_.handle.pid());
}

bool ReaperTarget::may_be_signalled() {
    const auto objection = look_again();
    if (target_.handle.exited() || (!objection && is_gone(objection.error()))) {
        finish_gone();
        return false;
    }
    if (objection && !objection->has_value()) return true;
    object(objection ? **objection : describe(objection.error()));
    return false;
}

// A process that exits loses its program before its pid, and looks like another meanwhile.
void ReaperTarget::object(std::string why) {
    outcome_.result = OutcomeResult::changed;
    outcome_.detail = std::move(why);
    phase_ = Phase::doubted;
    deadline_ = Clock::now() + times_->exiting;
}

// Asks before anything is written down: the history must not have signals that are never sent.
std::optional<Delivery> ReaperTarget::ask_control() {
    const auto answer = parts_->control.admit(target_.handle);
    if (answer) return *answer;
    finish_undelivered(answer.error());
    return std::nullopt;
}

bool ReaperTarget::send(Signal signal) {
    const auto answer = ask_control();
    if (!answer) return false;
    if (*answer == Delivery::withheld) {
        finish(OutcomeResult::would_reap);
        return false;
    }
    if (const auto written = parts_->log.about_to_signal(target_, signal); !written) {
        finish(OutcomeResult::refused, describe(written.error()));
        return false;
    }
    if (!is_still_proven()) return false;
    // The kernel takes signals for a zombie without complaint: only the handle tells that it has
    // exited.
    if (target_.handle.exited()) {
        finish_gone();
        return false;
    }
    const auto delivery = parts_->control.send(target_.handle, signal);
    if (!delivery) {
        finish_undelivered(delivery.error());
        return false;
    }
    outcome_.signals.push_back(signal);
    return true;
}

// A stopped process does not see TERM until it continues. Whether CONT arrives decides nothing:
// KILL ends a stopped process too.
void ReaperTarget::resume() {
    if (!parts_->log.about_to_signal(target_, Signal::resume)) return;
    const auto delivery = parts_->control.send(target_.handle, Signal::resume);
    if (delivery) outcome_.signals.push_back(Signal::resume);
}

// The grace is over. True when a busy database extends it, or another sample is needed to know.
bool ReaperTarget::may_extend_grace(Clock::time_point now) {
    extended_ = false;
    if (now >= cap_) return false;
    const auto sample = parts_->activity(target_.handle);
    if (!sample) return false;
    const auto more = extension_.more(*sample, times_->slice, times_->retry_delay);
    if (more) deadline_ = std::min(now + *more, cap_);
    extended_ = more.has_value();
    return extended_;
}

void ReaperTarget::kill() {
    if (!may_be_signalled() || !send(Signal::kill)) return;
    phase_ = Phase::killing;
    deadline_ = Clock::now() + times_->after_kill;
}

void ReaperTarget::give_up() {
    const auto sample = parts_->activity(target_.handle);
    if (!sample || sample->state != 'D')
        return finish(OutcomeResult::survived, "still there after KILL");
    finish(OutcomeResult::unkillable,
           "sleeps in the kernel (" + sample->wait_channel + ") and cannot see KILL");
}

void ReaperTarget::finish_gone() {
    outcome_.wait_status = target_.handle.wait_status();
    if (outcome_.signals.empty()) return finish(OutcomeResult::already_gone);
    finish(outcome_.signals.back() == Signal::kill ? OutcomeResult::ended_on_kill
                                                   : OutcomeResult::ended_on_term);
}

void ReaperTarget::finish_undelivered(const Error& error) {
    if (is_gone(error)) return finish_gone();
    const bool by_guard = error.code == std::errc::operation_canceled;
    finish(by_guard ? OutcomeResult::refused : OutcomeResult::denied, describe(error));
}

void ReaperTarget::finish(OutcomeResult result, std::string detail) {
    phase_ = Phase::finished;
    outcome_.result = result;
    outcome_.detail = std::move(detail);
    if (!outcome_.signals.empty()) {
        const bool half_way = result == OutcomeResult::changed ||
                              result == OutcomeResult::refused || result == OutcomeResult::denied;
        if (half_way) outcome_.detail.append("; TERM had been sent");
        outcome_.took =
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - term_at_);
    }
    parts_->log.ended(target_, outcome_);
}

}  // namespace reaper::agent
