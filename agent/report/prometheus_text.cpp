#include "agent/report/prometheus_text.hpp"

#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

std::string label(std::string_view value) {
    std::string text;
    for (const char c : policy::escape(value)) {
        if (c == '\\' || c == '"') text += '\\';
        text += c;
    }
    return text;
}

}  // namespace

void MetricText::describe(std::string_view name, std::string_view type, std::string_view help) {
    name_ = fmt::format("orphan_reaper_{}", name);
    text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name_, help, type);
}

void MetricText::add_line(const Labels& labels, std::string_view value) {
    std::string words;
    for (const auto& [name, word] : labels)
        words += fmt::format("{}{}=\"{}\"", words.empty() ? "" : ",", name, label(word));
    text_ += labels.empty() ? fmt::format("{} {}\n", name_, value)
                            : fmt::format("{}{{{}}} {}\n", name_, words, value);
}

void MetricText::add_build(std::string_view version, std::string_view commit) {
    describe("build_info", "gauge", "Which build of orphan-reaper wrote this: always 1.");
    add({{"version", version}, {"commit", commit}}, 1);
}

std::string epoch_text(double seconds) {
    return fmt::format("{:.3f}", seconds);
}

}  // namespace reaper::agent
