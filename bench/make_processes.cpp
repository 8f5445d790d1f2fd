// bench_make_processes COUNT UID[,UID...]
//
// Makes COUNT sleeping processes with the command lines of an ordinary machine, each user in turn,
// prints "ready" and sleeps. Every child is this program again (small and static), and dies with
// it.
#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr char kSleeper[] = "REAPER_BENCH_SLEEPER=1";

// Lengths are what matters: most command lines are short, some fill a line or two, a few take
// kilobytes.
std::vector<std::vector<std::string>> command_lines() {
    std::vector<std::string> java{"/usr/lib/jvm/java-17-openjdk-amd64/bin/java", "-Xmx4g", "-cp"};
    std::string class_path;
    for (int i = 0; i < 16; ++i)
        class_path += "/opt/service/lib/component-" + std::to_string(i) + "-1.17.3.jar:";
    java.insert(java.end(),
                {class_path, "com.example.service.Main", "--config", "/etc/service/service.yaml"});
    return {
        {"/usr/sbin/sshd", "-D"},
        {"-bash"},
        {"nginx: worker process"},
        {"/usr/lib/systemd/systemd", "--user"},
        {"/usr/lib/postgresql/15/bin/postgres", "-D", "/var/lib/postgresql/15/main", "-c",
         "config_file=/etc/postgresql/15/main/postgresql.conf"},
        {"postgres: 15/main: application application 127.0.0.1(51234) idle"},
        {"/usr/bin/dbus-daemon", "--session", "--address=systemd:", "--nofork", "--nopidfile",
         "--systemd-activation"},
        {"/opt/browser/browser", "--type=renderer",
         "--enable-crash-reporter=5d9b3a6e-0c0b-4a3e-9a59-0a4f3a5b0c11", "--lang=en-US",
         "--num-raster-threads=2", "--enable-main-frame-before-activation",
         "--renderer-client-id=57", "--launch-time-ticks=81224415027",
         "--shared-files=v8_context_snapshot_data:100", "--field-trial-handle=0,i,91",
         "--disable-features=EyeDropper,TranslateUI,MediaRouter",
         "--variations-seed-version=20260101-050058.8210"},
        {"tail", "-f", "/home/u/.hermes/memos-plugin/logs/daemon-start.log"},
        java,
    };
}

[[noreturn]] void fail(const char* operation, int code) {
    std::fprintf(stderr, "bench_make_processes: %s: %s\n", operation, std::strerror(code));
    std::exit(1);
}

[[noreturn]] void sleep_with_parent() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == 1) std::_Exit(0);  // the parent died before the line above
    while (true) pause();
}

[[noreturn]] void become_sleeper(uid_t uid, const std::vector<std::string>& words) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    char marker[sizeof kSleeper];
    std::memcpy(marker, kSleeper, sizeof kSleeper);
    char* environment[] = {marker, nullptr};
    if (setgroups(0, nullptr) == 0 && setresgid(uid, uid, uid) == 0 &&
        setresuid(uid, uid, uid) == 0) {
        execve("/proc/self/exe", argv.data(), environment);
    }
    std::perror("bench_make_processes: cannot become a sleeper");
    std::_Exit(1);
}

std::vector<uid_t> parse_uids(const char* text) {
    std::vector<uid_t> uids;
    for (char* end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
        uids.push_back(static_cast<uid_t>(std::strtoul(text, &end, 10)));
        if (end == text) fail("uids are numbers with commas between", EINVAL);
    }
    return uids;
}

void redirect_stdio(int from, int to) {
    for (int fd = from; fd <= to; ++fd) {
        if (dup2(open("/dev/null", O_RDWR | O_CLOEXEC), fd) < 0) fail("/dev/null", errno);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (std::getenv("REAPER_BENCH_SLEEPER") != nullptr) sleep_with_parent();
    if (argc != 3) fail("usage: bench_make_processes COUNT UID[,UID...]", EINVAL);
    const unsigned long count = std::strtoul(argv[1], nullptr, 10);
    const std::vector<uid_t> uids = parse_uids(argv[2]);
    if (uids.empty()) fail("no uid", EINVAL);
    const auto lines = command_lines();
    redirect_stdio(0, 0);
    for (unsigned long i = 0; i < count; ++i) {
        const pid_t pid = fork();
        if (pid < 0) fail("fork (see ulimit -u, pids.max of the cgroup, kernel.pid_max)", errno);
        if (pid > 0) continue;
        redirect_stdio(1, 1);
        become_sleeper(uids[i % uids.size()], lines[i % lines.size()]);
    }
    std::puts("ready");
    std::fflush(stdout);
    while (true) pause();
}
