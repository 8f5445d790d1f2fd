#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "agent/detach/scope.hpp"
#include "agent/reaping/command.hpp"
#include "agent/schedule/manager.hpp"
#include "agent/system/system_calls.hpp"
#include "agent/system/text_file.hpp"
#include "agent/system/unix_socket.hpp"
#include "scanner/fd.hpp"

namespace reaper::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kAnswerTime{5000};
constexpr std::chrono::milliseconds kMoveTime{1000};
constexpr timespec kPause{0, 2'000'000};
constexpr std::size_t kMostOfFile = 64 * 1024;

// A manager outside of this pid namespace knows other processes by our numbers: the kernel shows
// it as process 0.
bool sees_this_process(const std::string& manager) {
    const Fd socket = connect_to(manager, SOCK_STREAM);
    const auto peer = socket ? peer_of(socket.get()) : std::nullopt;
    return peer && peer->pid > 0;
}

CommandCall start_scope(const std::string& name, const std::string& description) {
    const bool is_root = ::geteuid() == 0;
    CommandCall call{{"busctl",
                      is_root ? "--system" : "--user",
                      "--quiet",
                      "call",
                      "org.freedesktop.systemd1",
                      "/org/freedesktop/systemd1",
                      "org.freedesktop.systemd1.Manager",
                      "StartTransientUnit",
                      "ssa(sv)a(sa(sv))",
                      name,
                      "fail",
                      "3",
                      "Description",
                      "s",
                      description,
                      "PIDs",
                      "au",
                      "1",
                      fmt::format("{}", ::getpid()),
                      "CollectMode",
                      "s",
                      "inactive-or-failed",
                      "0"}};
    if (!is_root) call.environment = manager_environment();
    call.limit = kAnswerTime;
    return call;
}

bool is_inside(const std::string& name) {
    const auto cgroups = read_file_up_to("/proc/self/cgroup", kMostOfFile);
    return cgroups && cgroups->find("/" + name) != std::string::npos;
}

// The manager answers before it has moved anything.
bool wait_until_inside(const std::string& name) {
    const auto last = Clock::now() + kMoveTime;
    while (!is_inside(name)) {
        if (Clock::now() > last) return false;
        ::nanosleep(&kPause, nullptr);
    }
    return true;
}

}  // namespace

bool enter_own_scope(const std::string& description) {
    const std::string manager = ::geteuid() == 0
                                    ? std::string("/run/systemd/private")
                                    : fmt::format("{}/systemd/private", runtime_folder());
    if (!sees_this_process(manager)) return false;
    const std::string name = fmt::format("orphan-reaper-detached-{}-{:x}.scope", ::getpid(),
                                         Clock::now().time_since_epoch().count());
    const auto answer = ask(start_scope(name, description));
    return answer && answer->status == 0 && wait_until_inside(name);
}

}  // namespace reaper::agent
