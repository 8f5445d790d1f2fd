#include "scanner/parse/proc_status.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "scanner/model/number.hpp"

namespace reaper::scanner {

namespace {

constexpr std::uint64_t kMostKilobytes = 1ULL << 50U;  // more than a machine can have

// Takes "\t" and a number off the front.
template <class Number>
bool take_tabbed(std::string_view& text, Number& value) {
    if (!text.starts_with('\t')) return false;
    text.remove_prefix(1);
    return take_number(text, value);
}

bool parse_pid(std::string_view text, Pid& pid) {
    return take_tabbed(text, pid) && text.empty() && pid >= 0;
}

bool parse_tgid(std::string_view text, ProcStatus& status) {
    return parse_pid(text, status.tgid);
}

bool parse_tracer(std::string_view text, ProcStatus& status) {
    return parse_pid(text, status.tracer);
}

bool parse_uids(std::string_view text, ProcStatus& status) {
    Uids& uids = status.uids;
    return take_tabbed(text, uids.real) && take_tabbed(text, uids.effective) &&
           take_tabbed(text, uids.saved) && take_tabbed(text, uids.filesystem) && text.empty();
}

bool parse_namespace_pids(std::string_view text, ProcStatus& status) {
    status.namespace_pids.reserve(
        static_cast<std::size_t>(std::count(text.begin(), text.end(), '\t')));
    while (!text.empty()) {
        Pid pid = 0;
        if (!take_tabbed(text, pid) || pid < 0) return false;
        status.namespace_pids.push_back(pid);
    }
    return !status.namespace_pids.empty();
}

// "VmSwap:\t     128 kB". It decides nothing, so what makes no sense is not refused.
bool parse_swap(std::string_view text, ProcStatus& status) {
    if (!text.starts_with('\t')) return true;
    text.remove_prefix(std::min(text.find_first_not_of(' ', 1), text.size()));
    std::uint64_t kilobytes = 0;
    if (take_number(text, kilobytes) && text == " kB" && kilobytes <= kMostKilobytes)
        status.swap_bytes = kilobytes * 1024;
    return true;
}

struct Field {
    std::string_view name;
    bool (*parse)(std::string_view, ProcStatus&);
    bool needed = true;
};

constexpr std::array kFields = {
    Field{"Tgid:", parse_tgid}, Field{"Uid:", parse_uids}, Field{"TracerPid:", parse_tracer},
    Field{"NSpid:", parse_namespace_pids}, Field{"VmSwap:", parse_swap, false}};

using Seen = std::array<bool, kFields.size()>;

bool parse_line(std::string_view line, ProcStatus& status, Seen& seen) {
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        if (!line.starts_with(kFields[i].name)) continue;
        if (seen[i]) return false;
        seen[i] = true;
        return kFields[i].parse(line.substr(kFields[i].name.size()), status);
    }
    return true;  // a field that is not needed
}

std::optional<std::uint64_t> signals_in(std::string_view text, std::string_view field) {
    const std::size_t at = text.find(field);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text.substr(at + field.size());
    std::uint64_t signals = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), signals, 16);
    return error == std::errc() ? std::optional(signals) : std::nullopt;
}

bool has_all_needed(const Seen& seen) {
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        if (kFields[i].needed && !seen[i]) return false;
    }
    return true;
}

}  // namespace

// The name of the process cannot add lines: the kernel escapes its newlines (fs/proc/array.c,
// proc_task_name).
Result<ProcStatus> parse_status(std::string_view text) {
    ProcStatus status;
    Seen seen{};
    bool good = true;
    while (good && !text.empty()) {
        const std::size_t end = text.find('\n');
        good = end != std::string_view::npos && parse_line(text.substr(0, end), status, seen);
        if (good) text.remove_prefix(end + 1);
    }
    if (!good || !has_all_needed(seen)) {
        return failure(std::errc::invalid_argument, "parse", "status");
    }
    return status;
}

// Each of these fields is a set of signals, as a hexadecimal number.
std::optional<ChildSignal> parse_child_signal(std::string_view text) {
    constexpr std::uint64_t kChild = 1U << 16U;
    const auto ignored = signals_in(text, "\nSigIgn:\t");
    const auto blocked = signals_in(text, "\nSigBlk:\t");
    const auto caught = signals_in(text, "\nSigCgt:\t");
    if (!ignored || !blocked || !caught) return std::nullopt;
    return ChildSignal{(*ignored & kChild) != 0, (*blocked & kChild) != 0, (*caught & kChild) != 0};
}

// KILL is sent to the process as a whole, and from there to each of its threads.
bool is_kill_pending(std::string_view text) {
    constexpr std::uint64_t kKill = 1U << 8U;
    for (const std::string_view field : {"\nSigPnd:\t", "\nShdPnd:\t"}) {
        if ((signals_in(text, field).value_or(0) & kKill) != 0) return true;
    }
    return false;
}

}  // namespace reaper::scanner
