#include "scanner/machine.hpp"

#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "scanner/directory.hpp"
#include "scanner/linux/hidepid.hpp"
#include "scanner/linux/process_files.hpp"
#include "scanner/linux/procfs.hpp"
#include "scanner/model/number.hpp"
#include "scanner/parse/proc_stat.hpp"
#include "scanner/pid_handle.hpp"
#include "scanner/read_file.hpp"

namespace reaper::scanner {

namespace {

constexpr std::size_t kStatLimit = 4096;
constexpr int kAttempts = 3;
constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

tl::unexpected<Error> malformed(const char* path) {
    return failure(std::errc::invalid_argument, "make sense of", path);
}

// "0b1e6a3c-...": 36 characters and a newline.
Result<std::string> read_boot_id(const ProcessTable& table) {
    constexpr const char* kPath = "sys/kernel/random/boot_id";
    constexpr std::size_t kLength = 36;
    auto text = read_at(fd_of(table), kPath, kLength + 1);
    if (!text) return tl::unexpected(text.error());
    if (text->bytes.ends_with('\n')) text->bytes.pop_back();
    const bool odd = text->bytes.find_first_not_of("0123456789abcdef-") != std::string::npos;
    if (text->truncated || odd || text->bytes.size() != kLength) return malformed(kPath);
    return std::move(text->bytes);
}

// "pid:[4026531836]"
Result<std::uint64_t> read_pid_namespace(const ProcessTable& table) {
    constexpr const char* kPath = "self/ns/pid";
    const auto target = read_link_at(fd_of(table), kPath);
    if (!target) return tl::unexpected(target.error());
    std::string_view text = *target;
    constexpr std::string_view kPrefix = "pid:[";
    if (!text.starts_with(kPrefix) || !text.ends_with(']')) return malformed(kPath);
    const auto inode =
        to_number<std::uint64_t>(text.substr(kPrefix.size(), text.size() - kPrefix.size() - 1));
    if (!inode) return malformed(kPath);
    return *inode;
}

tl::unexpected<Error> foreign(const ProcessTable& table) {
    return failure(std::errc::invalid_argument,
                   "find this program (is it another pid namespace's?) in", table.name());
}

// Reads our own pid in this table. The table of another pid namespace shows another number for us,
// none, or by chance the same one followed by one for every namespace in between (fs/proc/array.c,
// task_state). Its pids must never be used to open handles, as here they mean other processes.
Result<Pid> read_self(const ProcessTable& table) {
    const auto target = read_link_at(fd_of(table), "self");
    if (!target) return tl::unexpected(target.error());
    if (to_number<Pid>(*target) != ::getpid()) return foreign(table);
    const auto status = open_process(table, ::getpid()).and_then([](const Fd& process) {
        return read_status(process.get());
    });
    if (!status) return tl::unexpected(status.error());
    if (status->namespace_pids.size() > 1) return foreign(table);
    return ::getpid();
}

Result<Pid> parent_in_stat(const ProcessTable& table, Pid pid) {
    return read_stat(table, pid).map([](const ProcStat& stat) { return stat.ppid; });
}

struct Climb {
    std::vector<Pid> ancestors;
    bool complete = false;  // it ends at pid 1, or outside of this pid namespace
};

// A parent that may not be read still belongs to the list, but ends it.
Climb climb(const ProcessTable& table, Pid parent) {
    Climb climbed;
    while (parent > 0 && std::ranges::find(climbed.ancestors, parent) == climbed.ancestors.end()) {
        climbed.ancestors.push_back(parent);
        const auto next = read_parent(table, parent);
        if (!next) return climbed;
        parent = *next;
    }
    climbed.complete = parent == 0;
    return climbed;
}

// Repeats the climb, as an ancestor that ends meanwhile leaves the rest of the chain to another
// parent.
Result<Climb> read_ancestors(const ProcessTable& table, Pid self) {
    Climb climbed;
    for (int i = 0; i < kAttempts && !climbed.complete; ++i) {
        const auto parent = parent_in_stat(table, self);
        if (!parent) return tl::unexpected(parent.error());
        climbed = climb(table, *parent);
    }
    return climbed;
}

void add_names(Machine& machine) {
    utsname names{};
    if (::uname(&names) != 0) return;  // cannot fail with a valid pointer
    machine.name = names.nodename;
    machine.kernel = names.release;
    machine.os = "linux";
}

Result<double> wall_clock() {
    timespec now{};
    if (::clock_gettime(CLOCK_REALTIME, &now) != 0) return system_failure("read", "the wall clock");
    return static_cast<double>(now.tv_sec) +
           static_cast<double>(now.tv_nsec) / double{kNanosecondsPerSecond};
}

Result<std::uint32_t> read_user_hz() {
    const long ticks = ::sysconf(_SC_CLK_TCK);
    if (ticks <= 0) return system_failure("read", "the tick rate");
    return static_cast<std::uint32_t>(ticks);
}

}  // namespace

Result<ProcStat> read_stat(const ProcessTable& table, Pid pid) {
    const std::string path = std::to_string(pid) + "/stat";
    auto stat = read_at(fd_of(table), path.c_str(), kStatLimit).and_then([](const FileText& text) {
        return parse_stat(text.bytes);
    });
    if (!stat && stat.error().code == std::errc::no_such_file_or_directory)
        return failure(std::errc::no_such_process, "read", path);
    return stat;
}

Result<Pid> read_parent(const ProcessTable& table, Pid pid) {
    if (pid == 1) return 0;  // true even if it may not be read
    auto parent = parent_in_stat(table, pid);
    if (parent) return parent;
    const auto handle = PidHandle::open(pid);
    if (!handle) return tl::unexpected(handle.error());
    const auto told = handle->parent();
    return told ? Result<Pid>(*told) : parent;
}

// Field 22 of stat counts CLOCK_BOOTTIME, including suspend and the offset of a time namespace
// (fs/proc/array.c, timens_add_boottime_ns), as this clock does for a reader in the same namespace.
std::uint64_t ticks_since_boot(std::uint32_t ticks_per_second) {
    timespec now{};
    if (::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;  // cannot fail since Linux 2.6.39
    return static_cast<std::uint64_t>(now.tv_sec) * ticks_per_second +
           static_cast<std::uint64_t>(now.tv_nsec) * ticks_per_second / kNanosecondsPerSecond;
}

Result<Place> read_place(const ProcessTable& table) {
    const auto self = read_self(table);
    if (!self) return tl::unexpected(self.error());
    auto boot_id = read_boot_id(table);
    if (!boot_id) return tl::unexpected(boot_id.error());
    const auto pid_namespace = read_pid_namespace(table);
    if (!pid_namespace) return tl::unexpected(pid_namespace.error());
    return Place{*self, std::move(*boot_id), *pid_namespace};
}

Result<Machine> read_machine(const ProcessTable& table) {
    Machine machine;
    const auto store = [](auto& place) {
        return [&place](auto value) { place = std::move(value); };
    };
    const auto done = read_place(table)
                          .map([&machine](Place place) {
                              machine.self = place.self;
                              machine.boot_id = std::move(place.boot_id);
                              machine.pid_namespace = place.pid_namespace;
                          })
                          .and_then([&] { return read_ancestors(table, machine.self); })
                          .map([&machine](Climb climbed) {
                              machine.own_ancestors = std::move(climbed.ancestors);
                              machine.knows_ancestors = climbed.complete;
                          })
                          .and_then(read_user_hz)
                          .map(store(machine.ticks_per_second))
                          .and_then(wall_clock)
                          .map(store(machine.now_epoch));
    if (!done) return tl::unexpected(done.error());
    machine.now_ticks = ticks_since_boot(machine.ticks_per_second);
    if (machine.now_ticks == 0) return failure(std::errc::io_error, "read", "the clock since boot");
    machine.uid = ::geteuid();
    machine.hides_processes = hides_processes(table);
    machine.has_handles = PidHandle::open(machine.self).has_value();
    add_names(machine);
    return machine;
}

}  // namespace reaper::scanner
