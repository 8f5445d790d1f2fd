// Facts in words, one line each, and safe to print whatever a stranger has put into them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "scanner/model/facts.hpp"

namespace reaper::agent {

// All of them escape what they are given, and return no empty text: "(empty)", "none", "nothing".
[[nodiscard]] std::string text_of(const std::string& value);
[[nodiscard]] std::string end_text(const scanner::StdioEnd& end);
[[nodiscard]] std::string listener_text(const std::vector<scanner::Listener>& listeners);
[[nodiscard]] std::string unit_text(const scanner::ServiceUnit& unit);
[[nodiscard]] std::string uids_text(const scanner::Uids& uids);
[[nodiscard]] std::string list_text(const std::vector<std::string>& items);

// Values of the variables that rules name: homes, owners and, redacted, marks.
[[nodiscard]] std::string environment_text(const std::map<std::string, std::string>& variables);

}  // namespace reaper::agent
