// The place and the rights of this program, by what its own /proc says.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "agent/doctor/gather.hpp"
#include "scanner/fd.hpp"
#include "scanner/model/number.hpp"
#include "scanner/parse/task_limits.hpp"
#include "scanner/read_file.hpp"

namespace reaper::agent {

namespace {

// The inode of the first pid namespace of every boot (include/linux/proc_ns.h, PROC_PID_INIT_INO).
constexpr std::string_view kFirstPidNamespace = "pid:[4026531836]";
constexpr std::size_t kMostText = 65536;

Fd open_folder(const scanner::ProcessTable& table) {
    return Fd(::open(table.name().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Without the newline at its end; empty: it cannot be read.
std::string text_at(const Fd& folder, const char* path) {
    auto text = scanner::read_at(folder.get(), path, kMostText);
    if (!text) return {};
    if (text->bytes.ends_with('\n')) text->bytes.pop_back();
    return std::move(text->bytes);
}

std::uint64_t read_capabilities(const Fd& folder) {
    constexpr std::string_view kName = "\nCapEff:\t";
    const std::string status = text_at(folder, "self/status");
    const std::size_t begin = status.find(kName);
    std::uint64_t capabilities = 0;
    if (begin != std::string::npos)
        std::from_chars(status.data() + begin + kName.size(), status.data() + status.size(),
                        capabilities, 16);
    return capabilities;
}

// Those that say so: Docker and podman by a file, systemd and LXC by a variable of process 1's that
// their programs inherit.
std::string find_container() {
    if (::access("/.dockerenv", F_OK) == 0) return "docker";
    if (::access("/run/.containerenv", F_OK) == 0) return "podman";
    const Fd folder(::open("/run/systemd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::string told = folder ? text_at(folder, "container") : std::string();
    const char* variable = std::getenv("container");
    return told.empty() && variable != nullptr ? std::string(variable).substr(0, 40) : told;
}

// "         0          0 4294967295"
bool maps_every_user(const std::string& map) {
    std::string words;
    for (const char c : map) words += c == ' ' && words.ends_with(' ') ? "" : std::string(1, c);
    return words == " 0 0 4294967295" || words == "0 0 4294967295";
}

// Only of a process that this one may look into.
std::optional<bool> has_other_root(const Fd& folder) {
    struct stat own{};
    struct stat first{};
    if (::stat("/", &own) != 0 || ::fstatat(folder.get(), "1/root/", &first, 0) != 0)
        return std::nullopt;
    return own.st_dev != first.st_dev || own.st_ino != first.st_ino;
}

}  // namespace

Standing read_standing(const scanner::ProcessTable& table) {
    Standing standing;
    const Fd folder = open_folder(table);
    standing.capabilities = read_capabilities(folder);
    standing.ptrace_scope =
        scanner::to_number<int>(text_at(folder, "sys/kernel/yama/ptrace_scope"));
    standing.container = find_container();
    standing.first_pid_namespace =
        scanner::read_link_at(folder.get(), "self/ns/pid").value_or("") == kFirstPidNamespace;
    standing.first_user_namespace = maps_every_user(text_at(folder, "self/uid_map"));
    standing.other_root = has_other_root(folder);
    standing.in_service = std::getenv("SYSTEMD_EXEC_PID") != nullptr;
    return standing;
}

Threads read_threads(const scanner::ProcessTable& table) {
    const Fd folder = open_folder(table);
    const auto number = [&](const char* path) {
        return scanner::to_number<std::uint64_t>(text_at(folder, path));
    };
    Threads threads;
    threads.used = scanner::parse_thread_count(text_at(folder, "loadavg") + "\n");
    threads.pid_max = number("sys/kernel/pid_max");
    const auto most = number("sys/kernel/threads-max");
    if (most && threads.pid_max) threads.pid_max = std::min(*threads.pid_max, *most);
    return threads;
}

}  // namespace reaper::agent
