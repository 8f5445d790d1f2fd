// Files without names stand for the pipes: none is ever full, so that nothing waits for both ends.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <tuple>

#include <fmt/format.h>

#include "agent/reaping/child.hpp"
#include "agent/reaping/command.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/system/system_calls.hpp"
#include "agent/system/text_file.hpp"
#include "scanner/fd.hpp"

namespace reaper::agent {

namespace {

constexpr off_t kMostRead = off_t{64} * 1024 * 1024;
constexpr off_t kPage = 4096;
constexpr std::chrono::milliseconds kEndTime{1000};  // for what was sent KILL

Result<Fd> file_for_input(std::string_view text) {
    Fd file = make_nameless_file();
    if (!file) return system_failure("make", "a file in memory");
    if (auto written = write_all(file.get(), text, "a file in memory"); !written)
        return tl::unexpected(written.error());
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

// What prints without end cannot fill the memory: the file has room for a page too much.
Result<Fd> file_for_output() {
    Fd file = make_nameless_file(kMostRead + kPage);
    if (!file) return system_failure("make", "a file in memory");
    return file;
}

// All of it or nothing: what is read of a crontab is written to it again. The offset is shared with
// what has written.
Result<std::string> text_of(const Fd& file, const std::string& subject) {
    const off_t length = ::lseek(file.get(), 0, SEEK_CUR);
    if (length < 0) return system_failure("read", subject);
    if (length > kMostRead) return failure(std::errc::file_too_large, "read", subject);
    std::string text(static_cast<std::size_t>(length), '\0');
    const ssize_t size = ::pread(file.get(), text.data(), text.size(), 0);
    if (size != static_cast<ssize_t>(text.size())) return system_failure("read", subject);
    return text;
}

// What sleeps in the kernel does not end by KILL: it is not waited for any longer.
void put_an_end_to(const Child& child) {
    std::ignore = make_process_control()->send(child.handle(), Signal::kill);
    if (child.handle().exits_within(kEndTime)) std::ignore = child.wait();
}

// Root's PATH can be that of its caller: for root only the folders of the system count.
std::string place_of(const std::string& program) {
    if (program.find('/') != std::string::npos || ::geteuid() != 0) return program;
    for (const char* folder :
         {"/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/", "/run/current-system/sw/bin/"}) {
        std::string path = folder + program;
        if (::access(path.c_str(), X_OK) == 0) return path;
    }
    return "/usr/bin/" + program;
}

}  // namespace

Result<CommandAnswer> ask(const CommandCall& call) {
    const auto in = file_for_input(call.input);
    const auto out = file_for_output();
    const auto err = file_for_output();
    for (const auto* file : {&in, &out, &err}) {
        if (!*file) return tl::unexpected(file->error());
    }
    std::vector<std::string> environment{"LC_ALL=C", "TZ=UTC", "SYSTEMD_COLORS=0"};
    std::ranges::copy(call.environment, std::back_inserter(environment));
    std::signal(SIGCHLD, SIG_DFL);  // what is ignored leaves no exit status
    std::vector<std::string> argv = call.argv;
    argv.front() = place_of(argv.front());
    const auto child = start({.argv = std::move(argv),
                              .environment = std::move(environment),
                              .term_on_parent_exit = true,
                              .standard = {in->get(), out->get(), err->get()}});
    if (!child) return tl::unexpected(child.error());
    if (!child->handle().exits_within(call.limit)) {
        put_an_end_to(*child);
        return failure(std::errc::timed_out, "run", typed(call.argv));
    }
    const auto status = child->wait();
    if (!status) return tl::unexpected(status.error());
    auto said = text_of(*out, typed(call.argv));
    auto complained = text_of(*err, typed(call.argv));
    if (!said) return tl::unexpected(said.error());
    if (!complained) return tl::unexpected(complained.error());
    return CommandAnswer{*status, *std::move(said), *std::move(complained)};
}

}  // namespace reaper::agent
