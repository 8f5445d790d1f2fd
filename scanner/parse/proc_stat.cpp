#include "scanner/parse/proc_stat.hpp"

#include "scanner/model/number.hpp"

namespace reaper::scanner {

namespace {

// Takes the numbers after the state: a blank before each, a newline after the last.
class Fields {
   public:
    explicit Fields(std::string_view text) : rest_(text) {}

    template <class Number>
    Fields& take(Number& value) {
        ok_ = ok_ && take_blank() && take_number(rest_, value);
        return *this;
    }

    Fields& skip(int count) {
        while (ok_ && count-- > 0) ok_ = skip_one();
        return *this;
    }

    // Kernels append fields; all of them are numbers. Without its newline the line was cut off, and
    // its last number may be incomplete.
    [[nodiscard]] bool ends_well() {
        while (ok_ && rest_ != "\n") ok_ = skip_one();
        return ok_;
    }

   private:
    bool take_blank() {
        if (!rest_.starts_with(' ')) return false;
        rest_.remove_prefix(1);
        return true;
    }

    bool skip_one() {
        if (!take_blank()) return false;
        if (rest_.starts_with('-')) rest_.remove_prefix(1);
        const std::size_t digits = rest_.find_first_not_of("0123456789");
        if (digits == 0 || digits == std::string_view::npos) return false;
        rest_.remove_prefix(digits);
        return true;
    }

    std::string_view rest_;
    bool ok_ = true;
};

bool is_letter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// Parses "7 (comm) S" and leaves `text` behind the state.
bool take_head(std::string_view& text, ProcStat& stat) {
    if (!take_number(text, stat.pid) || !text.starts_with(" (")) return false;
    const std::size_t close = text.rfind(')');
    if (close == std::string_view::npos || close + 2 >= text.size() || text[close + 1] != ' ')
        return false;
    stat.comm = text.substr(2, close - 2);
    stat.state = text[close + 2];
    text.remove_prefix(close + 3);
    return is_letter(stat.state);
}

// Group and session are -1 in a process that is being released, and 0 if they lie outside of the
// pid namespace (fs/proc/array.c, do_task_stat).
bool in_range(const ProcStat& stat) {
    return stat.pid > 0 && stat.ppid >= 0 && stat.pgrp >= -1 && stat.session >= -1;
}

}  // namespace

Result<ProcStat> parse_stat(std::string_view text) {
    ProcStat stat;
    bool good = take_head(text, stat);
    if (good) {
        Fields fields(text);
        fields.take(stat.ppid).take(stat.pgrp).take(stat.session).take(stat.tty);
        fields.skip(1).take(stat.flags);
        fields.skip(4).take(stat.user_ticks).take(stat.system_ticks);
        fields.skip(4).take(stat.threads);
        fields.skip(1).take(stat.start_ticks);
        good = fields.ends_well() && in_range(stat);
    }
    if (!good) return failure(std::errc::invalid_argument, "parse", "stat");
    return stat;
}

}  // namespace reaper::scanner
