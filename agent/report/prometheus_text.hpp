// The text format that Prometheus and the textfile collector of node_exporter read. Names and units
// are as OpenMetrics wants them; each name begins with orphan_reaper_.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace reaper::agent {

class MetricText {
   public:
    using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

    // What follows until the next call is about this metric; each name comes once.
    void describe(std::string_view name, std::string_view type, std::string_view help);

    // Adds a value of it. Labels may be any bytes.
    template <class Number>
    void add(const Labels& labels, Number value) {
        add_line(labels, fmt::format("{}", value));
    }

    // Adds a metric with one value and no label.
    template <class Number>
    void add_gauge(std::string_view name, std::string_view help, Number value) {
        describe(name, "gauge", help);
        add({}, value);
    }

    // Says which build of this program wrote it.
    void add_build(std::string_view version, std::string_view commit);

    [[nodiscard]] const std::string& text() const { return text_; }

   private:
    void add_line(const Labels& labels, std::string_view value);

    std::string name_;
    std::string text_;
};

// "1769860800.123"
[[nodiscard]] std::string epoch_text(double seconds);

}  // namespace reaper::agent
