#include "agent/mcp/line_splitter.hpp"

#include <utility>

namespace reaper::agent {

std::deque<SplitLine> LineSplitter::add(std::string_view bytes) {
    std::deque<SplitLine> lines;
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view piece = bytes.substr(0, end);
        drops_ = drops_ || begun_.size() + piece.size() > longest_;
        if (drops_)
            std::string().swap(begun_);
        else
            begun_ += piece;
        if (end == std::string_view::npos) break;
        lines.push_back({std::exchange(begun_, {}), std::exchange(drops_, false)});
        bytes.remove_prefix(end + 1);
    }
    return lines;
}

}  // namespace reaper::agent
