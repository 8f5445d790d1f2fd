// Files in memory stand for the pipes: none is ever full, so that nothing waits for both ends.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <tuple>

#include <fmt/format.h>

#include "agent/reaping/child.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/schedule/command.hpp"
#include "agent/system/text_file.hpp"
#include "scanner/fd.hpp"

namespace reaper::agent {

namespace {

constexpr off_t kMostRead = off_t{64} * 1024 * 1024;

Result<Fd> memory_file(std::string_view text) {
    Fd file(::memfd_create("orphan-reaper", MFD_CLOEXEC));
    if (!file) return system_failure("make", "a file in memory");
    if (auto written = write_all(file.get(), text, "a file in memory"); !written)
        return tl::unexpected(written.error());
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

// All of it or nothing: what is read of a crontab is written to it again.
Result<std::string> text_of(const Fd& file, const std::string& subject) {
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) return system_failure("read", subject);
    if (status.st_size > kMostRead) return failure(std::errc::file_too_large, "read", subject);
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    const ssize_t size = ::pread(file.get(), text.data(), text.size(), 0);
    if (size != static_cast<ssize_t>(text.size())) return system_failure("read", subject);
    return text;
}

}  // namespace

Result<CommandAnswer> ask(const CommandCall& call) {
    const auto in = memory_file(call.input);
    const auto out = memory_file("");
    const auto err = memory_file("");
    for (const auto* file : {&in, &out, &err}) {
        if (!*file) return tl::unexpected(file->error());
    }
    std::vector<std::string> environment{"LC_ALL=C", "TZ=UTC", "SYSTEMD_COLORS=0"};
    std::ranges::copy(call.environment, std::back_inserter(environment));
    std::signal(SIGCHLD, SIG_DFL);  // what is ignored leaves no exit status
    const auto child = start({.argv = call.argv,
                              .environment = std::move(environment),
                              .term_on_parent_exit = true,
                              .standard = {in->get(), out->get(), err->get()}});
    if (!child) return tl::unexpected(child.error());
    const bool ended = child->handle().exits_within(call.limit);
    if (!ended) std::ignore = make_process_control()->send(child->handle(), Signal::kill);
    const auto status = child->wait();
    if (!status) return tl::unexpected(status.error());
    if (!ended) return failure(std::errc::timed_out, "run", typed(call.argv));
    auto said = text_of(*out, typed(call.argv));
    auto complained = text_of(*err, typed(call.argv));
    if (!said) return tl::unexpected(said.error());
    if (!complained) return tl::unexpected(complained.error());
    return CommandAnswer{*status, *std::move(said), *std::move(complained)};
}

}  // namespace reaper::agent
