#include "agent/run/programs.hpp"

#include <string>
#include <utility>

#include "agent/reading/bounded_reader.hpp"

namespace reaper::agent {

Programs read_programs(const scanner::ProcessTable& table, const std::vector<scanner::Pid>& pids) {
    using Rows = std::vector<scanner::ProcessRow>;
    if (pids.empty()) return {{}, true};
    const auto read = [&]() -> Result<Rows> {
        Rows rows;
        for (const scanner::Pid pid : pids) {
            if (auto row = scanner::read_program(table, pid)) rows.push_back(std::move(*row));
        }
        return rows;
    };
    std::vector<std::string> left_out;
    auto rows = read_bounded<Rows>(read, table.descriptors(), &left_out);
    const bool all_seen = rows && left_out.empty();
    return {std::move(rows).value_or(Rows()), all_seen};
}

}  // namespace reaper::agent
