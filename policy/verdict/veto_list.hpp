// Collects the vetoes of one member. Only for vetoes.cpp and claim_vetoes.cpp.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "policy/match/member.hpp"
#include "policy/rules/verdict.hpp"

namespace reaper::policy {

// Collects vetoes and keeps the strongest verdict.
class VetoList {
   public:
    explicit VetoList(Member& member) : member_(member) {}

    void add(Verdict verdict, std::string code, std::string detail) {
        member_.add(Weight::veto, "veto." + std::move(code), std::move(detail));
        verdict_ = verdict_ ? stronger(*verdict_, verdict) : verdict;
    }
    // Adds a veto that says nothing about what the process is.
    void forbid(std::string code, std::string detail) {
        member_.add(Weight::veto, "veto." + std::move(code), std::move(detail));
    }
    [[nodiscard]] std::optional<Verdict> verdict() const { return verdict_; }

   private:
    Member& member_;
    std::optional<Verdict> verdict_;
};

}  // namespace reaper::policy
