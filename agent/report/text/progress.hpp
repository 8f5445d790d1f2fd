// One line on a terminal that says how many processes are still ending, rewritten in place and
// erased at the end.
#pragma once

#include <string>
#include <string_view>

#include "agent/reaping/reaper.hpp"

namespace reaper::agent {

// Where the line is drawn: a terminal's descriptor, or -1 for nowhere.
class LiveLine : public Progress {
   public:
    explicit LiveLine(int terminal) : terminal_(terminal) {}
    ~LiveLine() override { erase(); }
    LiveLine(const LiveLine&) = delete;
    LiveLine& operator=(const LiveLine&) = delete;

    // Draws the line when its text has changed; erases it when none is running.
    void waiting(std::size_t running, std::size_t finished,
                 std::chrono::milliseconds at_most) override;
    // Leaves the cursor at the start of an empty line; draws nothing when nothing was drawn.
    void erase();

   private:
    void draw(std::string_view text);

    int terminal_;
    std::string shown_;
};

// "waiting for 3 helpers to end, 2 have ended, at most 30 s"
[[nodiscard]] std::string live_text(std::size_t running, std::size_t finished,
                                    std::chrono::milliseconds at_most);

// The descriptor of stderr when a person watches it, -1 otherwise.
[[nodiscard]] int terminal_to_draw_on(bool quiet);

}  // namespace reaper::agent
