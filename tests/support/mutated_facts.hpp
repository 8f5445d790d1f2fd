// Facts files as an attacker or a slip of the hand would change them: mostly of the right form,
// seldom of the right meaning.
#pragma once

#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace reaper::test {

class FactsMutator {
    [[nodiscard]] std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }

    template <class Range>
    auto any(const Range& values) {
        return *(std::begin(values) + static_cast<std::ptrdiff_t>(below(std::size(values))));
    }

   public:
    using Json = nlohmann::json;

    explicit FactsMutator(std::uint64_t seed) : engine_(seed) {}

    // One to four places of the tree become others.
    void mutate(Json& tree) {
        for (std::uint64_t left = below(4) + 1; left > 0; --left) {
            std::vector<Json*> places;
            collect(tree, places);
            mutate_one(*any(places), places);
        }
    }

   private:
    static void collect(Json& node, std::vector<Json*>& places) {
        places.push_back(&node);
        if (!node.is_structured()) return;
        for (Json& child : node) collect(child, places);
    }

    void mutate_one(Json& place, const std::vector<Json*>& places) {
        if (below(3) == 0) return take_from_elsewhere(place, places);
        if (place.is_number()) return mutate_number(place);
        if (place.is_array() && !place.empty()) return mutate_list(place);
        if (place.is_object() && place.contains("access")) return mutate_reading(place);
        if (place.is_boolean()) place = !place.get<bool>();
        if (place.is_string()) place = std::string(any(kTexts));
    }

    // A value of the same kind from another place, so that the form stays right.
    void take_from_elsewhere(Json& place, const std::vector<Json*>& places) {
        for (int tries = 0; tries < 20; ++tries) {
            const Json copy = *any(places);
            const bool alike =
                copy.type() == place.type() && (!copy.is_object() || has_names_of(copy, place));
            if (!alike) continue;
            place = copy;
            return;
        }
    }

    static bool has_names_of(const Json& left, const Json& right) {
        if (left.size() != right.size()) return false;
        for (const auto& [name, value] : left.items()) {
            if (!right.contains(name)) return false;
        }
        return true;
    }

    void mutate_number(Json& place) {
        if (place.is_number_float()) {
            place = any(kReals);
        } else if (below(2) == 0) {
            place = place.get<std::uint64_t>() + (below(2) == 0 ? 1 : ~0ULL);
        } else {
            place = any(kNumbers);
        }
    }

    void mutate_list(Json& place) {
        const auto at = static_cast<std::ptrdiff_t>(below(place.size()));
        const Json copy = place[static_cast<std::size_t>(at)];
        switch (below(4)) {
            case 0: place.erase(place.begin() + at); break;
            case 1: place.insert(place.begin() + at, copy); break;
            case 2: place.push_back(copy); break;
            default: place = Json::array();
        }
    }

    void mutate_reading(Json& place) {
        place["access"] = std::string(any(kAccess));
        if (place["access"] != "ok" && below(2) == 0) place.erase("value");
    }

    static constexpr std::string_view kAccess[] = {"not_read", "ok", "denied", "gone", "malformed"};
    static constexpr std::string_view kTexts[] = {"",
                                                  "/",
                                                  "-",
                                                  "--",
                                                  "x",
                                                  "~/x",
                                                  "/usr/bin/node",
                                                  "Z",
                                                  "R",
                                                  "pipe",
                                                  "socket",
                                                  "terminal",
                                                  "alive",
                                                  "dead",
                                                  "unknown",
                                                  "ledger",
                                                  "gateway_pid",
                                                  "update_marker",
                                                  "browser_owner",
                                                  "--daemon",
                                                  "-m",
                                                  "bridge",
                                                  "npm exec"};
    static constexpr double kReals[] = {0, -1, 0.5, 1e18, 1e308, -1e308, 253402300799.9};
    static constexpr std::int64_t kNumbers[] = {0,
                                                1,
                                                -1,
                                                2,
                                                50,
                                                100,
                                                140,
                                                1000,
                                                std::numeric_limits<std::int32_t>::max(),
                                                std::numeric_limits<std::int32_t>::min(),
                                                std::numeric_limits<std::uint32_t>::max(),
                                                std::numeric_limits<std::int64_t>::max(),
                                                std::numeric_limits<std::int64_t>::min()};

    std::mt19937_64 engine_;
};

}  // namespace reaper::test
