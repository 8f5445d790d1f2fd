// Facts with anything at all in every field: by the same list of fields that the file is written
// by.
#pragma once

#include <random>
#include <type_traits>

#include "scanner/json/fields.hpp"

namespace reaper::test {

class RandomFacts {
   public:
    explicit RandomFacts(unsigned seed) : engine_(seed) {}

    [[nodiscard]] scanner::Record make() {
        scanner::Record record;
        fill(record);
        return record;
    }

   private:
    std::uint64_t below(std::uint64_t sides) { return engine_() % sides; }

    void fill(char& letter) { letter = static_cast<char>(below(256)); }
    void fill(bool& value) { value = below(2) == 0; }

    void fill(double& number) {
        number = below(4) == 0
                     ? 0
                     : static_cast<double>(engine_()) / static_cast<double>(1 + below(1'000'000));
    }

    template <std::integral T>
    void fill(T& number) {
        const T extremes[] = {0, 1, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
        const auto chosen = below(8);
        number = chosen < 4 ? extremes[chosen] : static_cast<T>(engine_());
    }

    template <class T>
        requires std::is_enum_v<T>
    void fill(T& value) {
        value = static_cast<T>(below(scanner::json::NamesOf<T>::kList.size()));
    }

    void fill(std::string& text) {
        static constexpr std::string_view kPieces[] = {
            "bridge.cjs", "\xc3\xbc",         "\xff", "\xed\xa0\x80",
            "\"\\\n",     "\xf0\x9f\x98\x80", "",     "\xc3"};
        const std::uint64_t pieces = below(4);
        for (std::uint64_t at = 0; at < pieces; ++at) text += kPieces[below(std::size(kPieces))];
        if (below(8) == 0) text += '\0';
    }

    void fill(std::map<std::string, std::string>& values) {
        for (std::uint64_t left = below(3); left > 0; --left) {
            std::string name;
            fill(name);
            fill(values[name]);
        }
    }

    template <class T>
    void fill(std::vector<T>& values) {
        values.resize(below(4));
        for (T& value : values) fill(value);
    }

    template <class T>
    void fill(std::optional<T>& value) {
        if (below(2) == 0) fill(value.emplace());
    }

    template <class T>
    void fill(scanner::Reading<T>& reading) {
        fill(reading.access);
        if (reading.ok() || below(4) == 0) fill(reading.value);
    }

    template <scanner::json::IsRecord T>
    void fill(T& record) {
        std::apply([&](const auto&... field) { (fill(record.*field.member), ...); },
                   scanner::json::FieldsOf<T>::kList);
    }

    std::mt19937_64 engine_;
};

}  // namespace reaper::test
