// bench_stopwatch [--uid UID] COMMAND [ARGUMENT...]
//
// Runs COMMAND once, with its stdio on /dev/null, and prints one JSON line: from start to exit in
// wall time and CPU time, peak memory, wait status. A program of its own because the kernel carries
// the peak memory of what calls exec over into the new program (exec_mmap() in fs/exec.c): started
// from Python, nothing could weigh less than Python.
#include <fcntl.h>
#include <grp.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

[[noreturn]] void fail(const char* operation, int code) {
    std::fprintf(stderr, "bench_stopwatch: %s: %s\n", operation, std::strerror(code));
    std::exit(2);
}

void become(const char* text) {
    const auto uid = static_cast<uid_t>(std::strtoul(text, nullptr, 10));
    if (setgroups(0, nullptr) != 0 || setresgid(uid, uid, uid) != 0 ||
        setresuid(uid, uid, uid) != 0) {
        fail("cannot change the user", errno);
    }
}

pid_t start(char** command) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int fd = 0; fd <= 2; ++fd)
        posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    pid_t pid = 0;
    const int code = posix_spawnp(&pid, command[0], &actions, nullptr, command, environ);
    if (code != 0) fail(command[0], code);
    return pid;
}

long microseconds(const timeval& time) {
    return time.tv_sec * 1'000'000 + time.tv_usec;
}

}  // namespace

int main(int argc, char** argv) {
    char** command = argv + 1;
    if (argc > 2 && std::strcmp(argv[1], "--uid") == 0) {
        become(argv[2]);
        command += 2;
    }
    if (*command == nullptr) fail("no command", EINVAL);
    const auto began = std::chrono::steady_clock::now();
    const pid_t pid = start(command);
    int status = 0;
    rusage usage{};
    if (wait4(pid, &status, 0, &usage) != pid) fail("wait4", errno);
    const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - began;
    const long cpu = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
    std::printf(
        "{\"wall_ms\": %.4f, \"cpu_ms\": %.3f, \"max_rss_kib\": %ld, \"exit_status\": %d}\n",
        wall.count(), static_cast<double>(cpu) / 1000.0, usage.ru_maxrss,
        WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}
