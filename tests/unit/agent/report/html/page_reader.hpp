// Reads a page as a browser would, only more strictly: every element is closed in its turn, every
// attribute is quoted, no id is there twice, and every reference leads somewhere.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace reaper::agent::test {

class PageReader {
   public:
    // Reads the whole page. `complaints` says what is wrong with it.
    explicit PageReader(std::string_view page) : rest_(page) {
        while (!rest_.empty()) read_next();
        for (const std::string& name : open_) complain("not closed: " + name);
        for (const std::string& target : targets_) {
            if (!ids_.contains(target)) complain("leads nowhere: " + target);
        }
    }

    std::vector<std::string> complaints;
    std::map<std::string, std::size_t> elements;  // how many of each name
    std::string shown;                            // the text between them, as it is written

   private:
    void complain(const std::string& what) { complaints.push_back(what); }

    std::string_view take(std::size_t count) {
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(taken.size());
        return taken;
    }

    void read_next() {
        const std::string_view words = take(rest_.find('<'));
        shown += words;
        if (words.find('>') != words.npos) complain("a > in text: " + std::string(words));
        if (rest_.empty()) return;
        take(1);
        if (rest_.starts_with("!DOCTYPE html>")) {
            take(rest_.find('>') + 1);
        } else if (rest_.starts_with('/')) {
            read_end();
        } else {
            read_begin();
        }
    }

    void read_end() {
        take(1);
        const std::string name(take(rest_.find('>')));
        take(1);
        if (open_.empty() || open_.back() != name) return complain("closed in vain: " + name);
        open_.pop_back();
    }

    void read_begin() {
        const std::string name(take(rest_.find_first_of(" />")));
        ++elements[name];
        while (rest_.starts_with(' ')) read_attribute();
        const bool whole = rest_.starts_with('/') || name == "meta";
        take(rest_.find('>') == 0 ? 1 : 2);
        if (!whole) open_.push_back(name);
        if (name == "style") take(rest_.find("</style>"));  // no markup is read there
    }

    void read_attribute() {
        take(1);
        const std::string name(take(rest_.find_first_of("= >/")));
        if (!rest_.starts_with("=\"")) return complain("not quoted: " + name);
        take(2);
        const std::string value(take(rest_.find('"')));
        take(1);
        if (value.find_first_of("<>") != value.npos) complain("markup in an attribute: " + value);
        if (name.starts_with("on")) complain("a script: " + name);
        if (name == "id" && !ids_.insert(value).second) complain("an id twice: " + value);
        if (name == "href") read_reference(value);
    }

    void read_reference(const std::string& value) {
        if (!value.starts_with('#')) return complain("leads away: " + value);
        targets_.insert(value.substr(1));
    }

    std::string_view rest_;
    std::vector<std::string> open_;
    std::set<std::string> ids_;
    std::set<std::string> targets_;
};

}  // namespace reaper::agent::test
