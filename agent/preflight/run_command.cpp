#include "agent/preflight/run_command.hpp"

#include <poll.h>

#include <array>
#include <tuple>

#include "agent/reaping/child.hpp"
#include "agent/reaping/process_control.hpp"
#include "agent/system/interrupt.hpp"

namespace reaper::agent {

Result<int> run_in_foreground(std::vector<std::string> argv, const sigset_t& mask) {
    std::signal(SIGCHLD,
                SIG_DFL);  // the parent may have left it ignored; then wait(2) would tell nothing
    const Interrupt interrupt;
    const auto child = start({.argv = std::move(argv), .mask = mask});
    if (!child) return tl::unexpected(child.error());
    std::signal(SIGQUIT, SIG_IGN);  // a key as well: it is for the child to say what that does
    const auto control = make_process_control();
    while (!child->handle().exited()) {
        std::array<pollfd, 2> waiting{pollfd{child->handle().raw(), POLLIN, 0},
                                      pollfd{interrupt.raw(), POLLIN, 0}};
        std::ignore = ::poll(waiting.data(), waiting.size(), -1);
        const int asked = waiting[1].revents != 0 ? interrupt.take_request() : 0;
        if (asked == 0) continue;
        std::ignore = pass_on(child->handle(), asked);
        std::ignore = control->send(child->handle(), Signal::resume);
    }
    return child->wait();
}

}  // namespace reaper::agent
