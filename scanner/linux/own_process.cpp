#include "scanner/own_process.hpp"

#include "scanner/directory.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kCgroupsLimit = 65536;

Result<std::string> read_own(const ProcessTable& table, const char* name, std::size_t limit) {
    return read_at(fd_of(table), name, limit).map([](FileText text) {
        return std::move(text.bytes);
    });
}

}  // namespace

std::vector<int> list_own_descriptors(const ProcessTable& table) {
    return list_numbers_at(fd_of(table), "self/fd").value_or(std::vector<int>());
}

Result<std::string> read_own_cgroups(const ProcessTable& table) {
    return read_own(table, "self/cgroup", kCgroupsLimit);
}

Result<std::string> read_own_mounts(const ProcessTable& table, std::size_t limit) {
    return read_own(table, "self/mountinfo", limit);
}

}  // namespace reaper::scanner
