#include "agent/report/text/facts.hpp"

#include <fmt/format.h>

#include "policy/text/escape.hpp"

namespace reaper::agent {

using policy::escape;

namespace {

std::string_view word(scanner::EndKind kind) {
    using scanner::EndKind;
    switch (kind) {
        case EndKind::closed: return "closed";
        case EndKind::pipe: return "a pipe";
        case EndKind::socket: return "a socket";
        case EndKind::fifo: return "a named FIFO";
        case EndKind::null_device: return "/dev/null";
        case EndKind::terminal: return "a terminal";
        case EndKind::file: return "a file";
        case EndKind::other: return "something else";
    }
    return "something else";
}

std::string_view word(scanner::PeerState peer) {
    using scanner::PeerState;
    switch (peer) {
        case PeerState::alive: return "another process holds the other end";
        case PeerState::dead: return "no process holds the other end";
        case PeerState::unknown: return "the other end is not known";
    }
    return "the other end is not known";
}

}  // namespace

std::string text_of(const std::string& value) {
    return value.empty() ? "(empty)" : escape(value);
}

std::string end_text(const scanner::StdioEnd& end) {
    std::string text = fmt::format("{}, {}", word(end.kind), word(end.peer));
    if (end.inode != 0) text += fmt::format(" (inode {})", end.inode);
    if (!end.holders.empty()) text += fmt::format("; held by pid {}", fmt::join(end.holders, ", "));
    return text;
}

std::string listener_text(const std::vector<scanner::Listener>& listeners) {
    std::string text;
    for (const scanner::Listener& listener : listeners) {
        if (!text.empty()) text += ", ";
        text += fmt::format("{} {}", escape(listener.transport, 20), escape(listener.address, 120));
        if (listener.port != 0) text += fmt::format(" port {}", listener.port);
    }
    return text.empty() ? "nothing" : text;
}

std::string unit_text(const scanner::ServiceUnit& unit) {
    std::string text =
        escape(unit.name, 120) + (unit.of_user_manager ? " of the user manager" : "");
    if (unit.control_pid != 0) text += fmt::format(", control pid {}", unit.control_pid);
    if (unit.main_pid == 0) return text + ", no main process";
    if (unit.main_pid) return text + fmt::format(", main pid {}", *unit.main_pid);
    return text + (unit.asked ? ", the manager named no main pid" : ", the manager was not asked");
}

std::string uids_text(const scanner::Uids& uids) {
    return fmt::format("real {}, effective {}, saved {}, filesystem {}", uids.real, uids.effective,
                       uids.saved, uids.filesystem);
}

std::string list_text(const std::vector<std::string>& items) {
    return items.empty() ? "none" : escape(fmt::format("{}", fmt::join(items, ", ")), 1000);
}

std::string environment_text(const std::map<std::string, std::string>& variables) {
    std::string text;
    for (const auto& [name, value] : variables) {
        text +=
            fmt::format("{}{}={}", text.empty() ? "" : " ", escape(name, 60), escape(value, 200));
    }
    return text.empty() ? "none of the variables that rules name" : text;
}

}  // namespace reaper::agent
