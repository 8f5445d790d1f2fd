#include "agent/run/host.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "policy/match/parentage.hpp"
#include "policy/text/escape.hpp"
#include "scanner/machine.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;
using scanner::ProcessRow;

constexpr const char* kNameIt = "name the host with --parent PID";

tl::unexpected<NoHost> refusal(std::string why) {
    return tl::unexpected(NoHost{std::move(why)});
}

tl::unexpected<NoHost> could_not_look(const Error& error) {
    return tl::unexpected(NoHost{describe(error), ExitStatus::incomplete});
}

// Returns why it cannot be a host; empty: it can. A caller may belong to another user: it may be
// sudo.
std::string objection_to(const ProcessRow& host, const ProcessRow& self, bool asked) {
    if (host.pid == self.pid) return fmt::format("pid {} is this program itself", host.pid);
    if (host.state == 'Z' && host.threads <= 1)
        return fmt::format("pid {} has ended already", host.pid);
    if (policy::is_init(host))
        return fmt::format("pid 1 is an init, which ends last of all: {}", kNameIt);
    if (asked && ::geteuid() != 0 && host.uid != ::geteuid())
        return fmt::format("pid {} belongs to another user", host.pid);
    // Ticks are 10 ms wide: a number that was handed out again just now goes unnoticed.
    if (host.start_ticks > self.start_ticks)
        return fmt::format("pid {} began after this program did: it cannot be the host", host.pid);
    if (!asked && policy::is_adopter(host, self))
        return fmt::format("the caller has ended already, or is pid {} ({}), which only adopts: {}",
                           host.pid, policy::escape(host.comm, 40), kNameIt);
    return {};
}

}  // namespace

tl::expected<RunHost, NoHost> find_host(const scanner::ProcessTable& table,
                                        std::optional<Pid> asked) {
    const auto place = scanner::read_place(table);
    if (!place) return could_not_look(place.error());
    const Pid pid = asked.value_or(::getppid());
    if (pid == 0)
        return refusal(fmt::format("the caller is outside of this pid namespace: {}", kNameIt));
    auto handle = scanner::PidHandle::open(pid);
    if (!handle && handle.error().code == std::errc::no_such_process)
        return refusal(fmt::format("there is no process with the pid {}", pid));
    if (!handle) return could_not_look(handle.error());
    const auto row = scanner::read_row(table, pid);
    const auto self = scanner::read_row(table, ::getpid());
    if (handle->exited()) return refusal(fmt::format("pid {} has ended already", pid));
    if (!row) return could_not_look(row.error());
    if (!self) return could_not_look(self.error());
    if (auto objection = objection_to(*row, *self, asked.has_value()); !objection.empty())
        return refusal(std::move(objection));
    // It may have been replaced before there was a handle of it.
    if (!asked && ::getppid() != pid) return refusal("the caller has ended already");
    return RunHost{std::move(*handle),
                   {place->boot_id, place->pid_namespace, pid, row->start_ticks, std::nullopt},
                   policy::escape(row->comm, 40)};
}

}  // namespace reaper::agent
