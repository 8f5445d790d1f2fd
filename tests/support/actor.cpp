#include "tests/support/actor.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <string>
#include <tuple>

#include "tests/support/reuse_pid.hpp"

namespace reaper::test {

namespace {

struct Pipe {
    Fd reader;
    Fd writer;
};

void require(bool fine, const char* what) {
    if (!fine) throw std::runtime_error(std::string("actor: ") + what);
}

Pipe make_pipe() {
    int ends[2] = {-1, -1};
    require(pipe2(ends, O_CLOEXEC) == 0, "pipe2");
    return {Fd(ends[0]), Fd(ends[1])};
}

// The child's end of the line, for its signal handler.
int child_line = -1;

void record(int) {
    std::ignore = write(child_line, "S", 1);
}

void listen_on_loopback() {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // sockaddr is what bind(2) takes for every family.
    if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) _exit(3);
    if (listen(listener, 1) != 0) _exit(3);
}

// It must not keep its own stdin alive, nor anything that belongs to the test.
void close_all_but(int one, int other) {
    const auto low = static_cast<unsigned>(std::min(one, other));
    const auto high = static_cast<unsigned>(std::max(one, other));
    std::ignore = low > 3 ? close_range(3, low - 1, 0) : 0;
    std::ignore = high > low + 1 ? close_range(low + 1, high - 1, 0) : 0;
    std::ignore = close_range(high + 1, ~0U, 0);
}

[[noreturn]] void obey(int spare_stdin) {
    char word = 'r';
    while (write(child_line, &word, 1) == 1) {
        while (read(child_line, &word, 1) < 0) continue;
        if (word == 'a') dup2(spare_stdin, STDIN_FILENO);
        if (word == 'l') listen_on_loopback();
        if (word == 'c' && chroot("/proc") != 0) _exit(3);
        if (word == 'x') execl("/bin/sleep", "sleep", "60", nullptr);
        if (word == 'q') _exit(0);
    }
    _exit(4);
}

void take_signals(OnTerm on_term) {
    const auto handler = on_term == OnTerm::ignore ? SIG_IGN
                         : on_term == OnTerm::die  ? SIG_DFL
                                                   : record;
    std::signal(SIGTERM, handler);
    if (on_term == OnTerm::record) std::signal(SIGCONT, record);
    for (const int caught : {SIGINT, SIGABRT, SIGALRM}) std::signal(caught, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

Actor::Actor(Part part) {
    int line[2] = {-1, -1};
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) == 0, "socketpair");
    line_ = Fd(line[0]);
    Fd childs_line(line[1]);
    Pipe in = make_pipe();
    Pipe out = make_pipe();
    Pipe spare = make_pipe();
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    pid_ = part.pid == 0 ? fork() : fork_with_pid(part.pid);
    if (pid_ == 0) {
        alarm(60);
        child_line = childs_line.get();
        dup2(in.reader.get(), STDIN_FILENO);
        dup2(out.writer.get(), STDOUT_FILENO);
        close_all_but(childs_line.get(), spare.reader.get());
        take_signals(part.on_term);
        obey(spare.reader.get());
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    require(pid_ > 0, "fork");
    stdin_writer_ = part.leaked ? std::move(spare.writer) : std::move(in.writer);
    if (!part.leaked) stdout_reader_ = std::move(out.reader);
    childs_line.reset();
    char ready = 0;
    require(read(line_.get(), &ready, 1) == 1 && ready == 'r', "did not start");
}

Actor::~Actor() {
    // Not yet reaped, so the pid is still its own.
    if (reaped_ || pid_ <= 1 || !line_) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

bool Actor::alive() const {
    siginfo_t info{};
    return !reaped_ &&
           waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
}

bool Actor::was_signalled() const {
    char word = 0;
    return !alive() || recv(line_.get(), &word, 1, MSG_DONTWAIT) == 1;
}

// Returns once it has done so: the echo came, or the line was closed by an exec or exit.
void Actor::tell(char word) {
    std::ignore = send(line_.get(), &word, 1, MSG_NOSIGNAL);
    char echo = 0;
    while (read(line_.get(), &echo, 1) < 0 && errno == EINTR) continue;
}

void Actor::become_another_program() {
    tell('x');
}

void Actor::attach_stdin() {
    tell('a');
}

void Actor::start_to_listen() {
    tell('l');
}

void Actor::enter_another_root() {
    tell('c');
}

void Actor::exit() {
    tell('q');
    wait_for_exit();
}

void Actor::exit_and_be_reaped() {
    exit();
    waitpid(pid_, nullptr, 0);
    reaped_ = true;
}

void Actor::wait_for_exit() const {
    siginfo_t ignored{};
    while (waitid(P_PID, static_cast<id_t>(pid_), &ignored, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR)
        continue;
}

}  // namespace reaper::test
