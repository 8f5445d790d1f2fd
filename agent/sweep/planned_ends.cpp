#include "agent/sweep/planned_ends.hpp"

#include <functional>
#include <string_view>

#include <fmt/format.h>

namespace reaper::agent {

std::string digest_of(const policy::Judgement& judgement, const scanner::ProcessRow& row) {
    std::string all;
    const auto add = [&all](std::string_view text) {
        all += fmt::format("{}:", text.size());  // so that no other texts make the same whole
        all += text;
    };
    add(judgement.family);
    add(judgement.role);
    add(judgement.home);
    all += fmt::format("{},{},{}", static_cast<int>(row.exe.access),
                       static_cast<int>(row.command_line.access), row.command_line.value.truncated);
    add(row.exe.value);
    for (const std::string& word : row.command_line.value.argv) add(word);
    return fmt::format("{:016x}", std::hash<std::string>()(all));
}

PlannedEnd planned_end(const policy::Judgement& judgement, const scanner::ProcessRow& row) {
    return {judgement.verdict, digest_of(judgement, row)};
}

}  // namespace reaper::agent
