// Cuts what arrives into lines, and keeps no more than one line may have.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace reaper::agent {

// Of a line, without its newline.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

struct SplitLine {
    std::string text;
    bool is_too_long = false;  // then there is no text

    bool operator==(const SplitLine&) const = default;
};

class LineSplitter {
   public:
    explicit LineSplitter(std::size_t longest = kLongestLine) : longest_(longest) {}

    // Returns the lines that end in `bytes`. One that is too long is among them, once. A line whose
    // newline has not come is kept for the next call.
    [[nodiscard]] std::deque<SplitLine> add(std::string_view bytes);

   private:
    std::size_t longest_;
    std::string begun_;
    bool drops_ = false;  // the rest of a line that is too long
};

}  // namespace reaper::agent
