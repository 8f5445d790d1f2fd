#include "agent/hooks/yaml_check.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "agent/hooks/yaml_lines.hpp"
#include "agent/hooks/yaml_scalars.hpp"

namespace reaper::agent {

namespace {

// Goes through the lines once, from the first to the last, and stops at what it does not know.
class Reader {
   public:
    explicit Reader(std::vector<YamlLine> lines) : lines_(std::move(lines)) {}

    std::string refusal() {
        skip_blank();
        if (!is_over() && bare() == "---") {
            ++at_;
            skip_blank();
        }
        if (!is_over() && (lines_[at_].indent > 0 || key_size(bare()) == 0))
            refuse("is no plain key");
        if (!is_over() && why_.empty()) mapping(0);
        return why_.empty() ? "" : fmt::format("has a line {} that {}", wrong_line_, why_);
    }

   private:
    [[nodiscard]] bool is_over() const { return at_ >= lines_.size() || !why_.empty(); }
    void refuse(std::string why) {
        if (!why_.empty()) return;
        why_ = std::move(why);
        wrong_line_ = std::min(at_, lines_.size() - 1) + 1;
    }

    // The line from its first letter, or from behind the dash that was read, without its end.
    [[nodiscard]] std::string_view bare() const {
        std::string_view text = lines_[at_].text;
        if (text.ends_with('\n')) text.remove_suffix(1);
        return text.substr(std::min(std::max(begin_, lines_[at_].indent), text.size()));
    }

    void skip_blank() {
        while (at_ < lines_.size() && lines_[at_].is_blank) {
            if (begins_with_tab(at_)) return refuse("is indented by tabs");
            ++at_;
        }
    }
    [[nodiscard]] bool begins_with_tab(std::size_t at) const {
        return lines_[at].text.substr(lines_[at].indent).starts_with('\t');
    }
    void next_line() {
        begin_ = 0;
        ++at_;
    }

    [[nodiscard]] bool is_element() const { return bare() == "-" || bare().starts_with("- "); }

    // Whether an entry of this column follows.
    bool has_entry(std::size_t column, bool of_list) {
        skip_blank();
        if (is_over() || lines_[at_].indent < column) return false;
        if (lines_[at_].indent > column) {
            refuse("is indented in another way");
            return false;
        }
        return is_element() == of_list;
    }

    void mapping(std::size_t column) {
        std::set<std::string, std::less<>> keys;
        do {
            const std::string_view line = bare();
            const std::size_t size = key_size(line);
            if (size == 0) return refuse("is no plain key");
            std::string_view key = line.substr(0, size);
            if (key.front() == '"' || key.front() == '\'') key = key.substr(1, size - 2);
            if (!keys.emplace(key).second) return refuse(fmt::format("says '{}' twice", key));
            value(line.substr(size + 1), column, true);
        } while (has_entry(column, false));
        if (!is_over() && lines_[at_].indent == column) refuse("is no plain key");
    }

    void sequence(std::size_t column) {
        do {
            element(column);
        } while (has_entry(column, true));
    }

    void element(std::size_t column) {
        const std::string_view rest = bare().substr(1);
        const std::size_t blanks = std::min(rest.find_first_not_of(' '), rest.size());
        const std::string_view text = rest.substr(blanks);
        if (key_size(text) == 0) return value(rest, column, false);
        begin_ = column + 1 + blanks;
        mapping(begin_);
    }

    // What stands behind a key or a dash at that column. `is_key`: a list below it may be as far
    // left as the key is.
    void value(std::string_view text, std::size_t column, bool is_key) {
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        if (without_comment(text).empty()) return below(column, is_key);
        const char first = text.front();
        if (first == '|' || first == '>') return block_scalar(text, column);
        if (first == '"' || first == '\'') return quoted(text, column);
        if (first != '[' && first != '{') return plain(text, column);
        if (!is_flow(without_comment(text)))
            return refuse("has a list or object that is not plain");
        next_line();
    }

    void below(std::size_t column, bool is_key) {
        next_line();
        skip_blank();
        if (is_over()) return;
        const std::size_t indent = lines_[at_].indent;
        const bool is_listed = is_element() && is_key && indent == column;
        if (indent <= column && !is_listed) return;
        if (is_element()) return sequence(indent);
        mapping(indent);
    }

    // A comment ends it.
    void plain(std::string_view text, std::size_t column) {
        bool begins = true;
        while (true) {
            const std::string_view words = without_comment(text);
            if (!is_plain_scalar(words, begins)) return refuse("has a value that is not plain");
            const bool is_ended = words.size() < text.find_last_not_of(' ') + 1;
            next_line();
            if (is_ended || !continues(column)) return;
            text = bare();
            begins = false;
        }
    }

    // Goes to the next line that is not empty, if that is indented more.
    bool continues(std::size_t column) {
        std::size_t next = at_;
        while (next < lines_.size() && lines_[next].words().empty() && !begins_with_tab(next))
            ++next;
        if (next >= lines_.size() || lines_[next].is_blank || lines_[next].indent <= column)
            return false;
        at_ = next;
        return true;
    }

    void quoted(std::string_view text, std::size_t column) {
        const char quote = text.front();
        text.remove_prefix(1);
        while (true) {
            bool is_wrong = false;
            const std::size_t end = end_of_quoted(fmt::format("{}\n", text), 0, quote, is_wrong);
            if (is_wrong) return refuse("has a text in quotes that is not plain");
            if (end != std::string::npos) return behind_quote(text.substr(end));
            next_line();
            if (at_ >= lines_.size()) return refuse("has a quote that is not closed");
            if (!lines_[at_].words().empty() && lines_[at_].indent <= column)
                return refuse("is in a quote that is not closed");
            text = bare();
        }
    }

    void behind_quote(std::string_view rest) {
        if (!without_comment(rest).empty() || rest.starts_with('#'))
            return refuse("has more behind a closed quote");
        next_line();
    }

    // Of the lines after | or >.
    void block_scalar(std::string_view text, std::size_t column) {
        constexpr std::array<std::string_view, 6> kMarks = {"|", ">", "|-", ">-", "|+", ">+"};
        const std::string_view mark = text.substr(0, text.find_last_not_of(' ') + 1);
        if (std::ranges::find(kMarks, mark) == kMarks.end())
            return refuse("begins a text in a way that is not plain");
        next_line();
        std::size_t indent = 0;  // of the text; 0: it has not begun
        std::size_t widest = 0;  // blank line before it
        for (; at_ < lines_.size(); ++at_) {
            const YamlLine& line = lines_[at_];
            const bool is_empty = line.text.find_first_not_of(" \n") == std::string::npos;
            if (is_empty && indent == 0) widest = std::max(widest, line.indent);
            if (is_empty) continue;
            if (indent == 0 && line.indent > column) indent = line.indent;
            if (indent == 0 || line.indent < indent) break;
        }
        if (indent > 0 && widest > indent) refuse("is indented in another way");
        if (at_ >= lines_.size() && !lines_.back().text.ends_with('\n'))
            refuse("ends a text without ending the line");
    }

    std::vector<YamlLine> lines_;
    std::size_t at_ = 0;     // the line
    std::size_t begin_ = 0;  // where its rest begins
    std::string why_;
    std::size_t wrong_line_ = 0;
};

}  // namespace

std::string refuse_yaml(std::string_view text) {
    if (std::string why = refuse_letters(text); !why.empty()) return why;
    return Reader(yaml_lines(text)).refusal();
}

}  // namespace reaper::agent
