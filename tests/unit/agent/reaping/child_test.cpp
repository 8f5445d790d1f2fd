// Real children. Runs inside a pid namespace of its own (tests/support/isolated).
#include "agent/reaping/child.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using reaper::Fd;
using reaper::agent::Launch;
using reaper::agent::shell_status;
using reaper::agent::start;

namespace {

Launch shell(const std::string& script) {
    return {{"sh", "-c", script}};
}

int run(const Launch& command) {
    const auto child = start(command);
    REQUIRE(child);
    const auto status = child->wait();
    REQUIRE(status);
    return *status;
}

// What it writes to stdout or, with `stream` 2, to stderr.
std::string said(const Launch& command, int stream = 1) {
    int ends[2] = {-1, -1};
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const Fd heard(ends[0]);
    const Fd before(::fcntl(stream, F_DUPFD_CLOEXEC, 10));
    ::dup2(ends[1], stream);
    ::close(ends[1]);
    const auto child = start(command);
    ::dup2(before.get(), stream);
    REQUIRE(child);
    std::string text;
    char buffer[4096];
    for (ssize_t size = 0; (size = ::read(heard.get(), buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(size));
    REQUIRE(child->wait());
    return text;
}

}  // namespace

TEST_CASE("Every exit status comes through") {
    for (const int status : {0, 1, 2, 77, 125, 255})
        CHECK(run(shell("exit " + std::to_string(status))) == status);
}

TEST_CASE("It can have standard descriptors of its own") {
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    REQUIRE(::pipe2(in, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(out, O_CLOEXEC) == 0);
    const Fd ends[] = {Fd(in[0]), Fd(in[1]), Fd(out[0]), Fd(out[1])};
    REQUIRE(::write(in[1], "word\n", 5) == 5);
    Launch command = shell("read a; echo $a; echo wrong >&2");
    command.standard = {in[0], out[1], out[1]};
    CHECK(run(command) == 0);
    char buffer[64] = {};
    CHECK(::read(out[0], buffer, sizeof buffer - 1) > 0);
    CHECK(std::string(buffer) == "word\nwrong\n");
}

TEST_CASE("A signal that ended it shows as a shell shows it") {
    CHECK(run(shell("kill -TERM $$")) == 143);
    CHECK(run(shell("kill -KILL $$")) == 137);
    CHECK(shell_status(SIGSEGV) == 139);
    CHECK(shell_status(3 << 8) == 3);
}

TEST_CASE("What is not there, or cannot be run, is told as env(1) tells it") {
    const Launch absent{{"/nowhere/at-all"}};
    CHECK(run(absent) == 127);
    CHECK(said(absent, 2) ==
          "orphan-reaper: cannot run '/nowhere/at-all': No such file or directory\n");
    CHECK(run({{"no-such-program-in-any-folder"}}) == 127);
    CHECK(run({{"/etc/passwd"}}) == 126);
    CHECK(run({{"/"}}) == 126);
}

TEST_CASE("No command is not started") {
    const auto child = start({});
    REQUIRE_FALSE(child);
    CHECK(child.error().code == std::errc::invalid_argument);
}

TEST_CASE("Arguments arrive as they are") {
    CHECK(said({{"printf", "<%s>", "a b", "", "--help", "$HOME", "\xff\n"}}) ==
          "<a b><><--help><$HOME><\xff\n>");
}

TEST_CASE("A variable is added, or takes the place of its namesake, and the others stay") {
    ::setenv("REAPER_TEST_KEPT", "kept", 1);
    ::setenv("REAPER_TEST", "before", 1);
    Launch command = shell("echo $REAPER_TEST $REAPER_TEST_KEPT; env | grep -c ^REAPER_TEST=");
    CHECK(said(command) == "before kept\n1\n");
    command.environment = {"REAPER_TEST=after=all"};
    CHECK(said(command) == "after=all kept\n1\n");
    CHECK(std::string(::getenv("REAPER_TEST")) == "before");
}

TEST_CASE(
    "It starts with the mask that it is given, and ignores what is ignored here and what it is "
    "told to") {
    Launch command = shell("grep -E '^Sig(Blk|Ign)' /proc/self/status");
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    const auto handler = std::signal(SIGPIPE, SIG_IGN);
    const auto size_handler = std::signal(SIGXFSZ, [](int) {});
    command.mask = before;
    command.ignored = {SIGUSR1};
    const std::string told = said(command);
    std::signal(SIGPIPE, handler);
    std::signal(SIGXFSZ, size_handler);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    CHECK(told.find("SigBlk:\t0000000000000000\n") != std::string::npos);
    const std::size_t ignored = told.find("SigIgn:");
    REQUIRE(ignored != std::string::npos);
    const auto set = std::stoull(told.substr(ignored + 8), nullptr, 16);
    const auto is_ignored = [set](int number) { return (set >> (number - 1) & 1) == 1; };
    CHECK(is_ignored(SIGPIPE));
    CHECK(is_ignored(SIGUSR1));
    CHECK_FALSE(is_ignored(SIGXFSZ));
}

TEST_CASE(
    "It holds no descriptor of the one that started it, and every one that was handed through") {
    const std::string list = "for fd in /proc/$$/fd/*; do echo ${fd##*/}; done";
    std::string without;
    FILE* plain = ::popen(list.c_str(), "r");
    REQUIRE(plain != nullptr);
    char line[64];
    while (std::fgets(line, sizeof line, plain) != nullptr) without += line;
    ::pclose(plain);
    CHECK(said(shell(list)) == without);

    const Fd own(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const Fd handed(::dup2(own.get(), 57));
    CHECK(said(shell("test -e /proc/$$/fd/57 && echo there")) == "there\n");
}

TEST_CASE("The one that started it leaves the session, before it runs, and it stays") {
    const std::string of_parent = "read -r all < /proc/$PPID/stat; set -- ${all##*) }; ";
    const std::string own = "parent=$4; read -r all < /proc/$$/stat; set -- ${all##*) }; ";
    Launch command =
        shell(of_parent + own + "test $parent = $PPID -a $4 = $SESSION -a $3 = $GROUP");
    command.environment = {"SESSION=" + std::to_string(::getsid(0)),
                           "GROUP=" + std::to_string(::getpgrp())};
    command.leave_session = true;
    const pid_t middle = ::fork();
    if (middle == 0) {
        const auto child = start(command);
        ::_exit(child ? child->wait().value_or(99) : 98);
    }
    int status = 0;
    REQUIRE(::waitpid(middle, &status, 0) == middle);
    CHECK(shell_status(status) == 0);
}

TEST_CASE("Of a program that cannot be held by a handle nothing is left") {
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const Fd next(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    // Room for the pipe only.
    const rlimit tight{static_cast<rlim_t>(next.get()) + 3, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
    const auto child = start(shell("exit 0"));
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    REQUIRE_FALSE(child);
    CHECK(child.error().code == std::errc::too_many_files_open);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

namespace {

// What a process writes there of itself, once it has.
std::string written_to(const std::string& path) {
    std::string text;
    while (text.empty()) {
        std::ifstream(path) >> text;
        ::usleep(1000);
    }
    return text;
}

}  // namespace

TEST_CASE("A detached copy is nothing that its maker's end or group would end") {
    const reaper::test::TemporaryFolder folder;
    const std::string path = folder.path() + "/told";
    REQUIRE(reaper::agent::detach([&] {
        sigset_t blocked;
        ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
        const bool held = sigismember(&blocked, SIGTERM) == 1;
        const bool leads = ::getsid(0) == ::getpid();
        const std::string text =
            std::to_string(::getsid(0)) + (held ? "+" : "-") + (leads ? "+" : "-") + "\n";
        std::ofstream(path + ".new") << text;
        ::rename((path + ".new").c_str(), path.c_str());
        return 0;
    }));
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
    const std::string told = written_to(path);
    CHECK_FALSE(told.starts_with(std::to_string(::getsid(0)) + "+"));
    CHECK(told.find("+-") != std::string::npos);
    sigset_t here;
    ::sigprocmask(SIG_BLOCK, nullptr, &here);
    CHECK(sigismember(&here, SIGTERM) == 0);
}
