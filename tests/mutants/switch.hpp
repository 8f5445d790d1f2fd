// Chooses at run time which of the mutants that generated.py wrote into a source is alive.
#pragma once

#include <cstdlib>
#include <utility>

namespace mutant {

// True for the mutant that the variable REAPER_MUTANT names.
inline bool on(int number) {
    static const int chosen = [] {
        const char* value = std::getenv("REAPER_MUTANT");
        return value == nullptr ? -1 : std::atoi(value);
    }();
    return chosen == number;
}

template <typename Value>
struct Held {
    Value&& value;
    int number;
};

// "a OP Name{7} OP b" is "a OP b", and "a FLIPPED b" while 7 is on.
#define REAPER_FLIP(Name, OP, FLIPPED)                                           \
    struct Name {                                                                \
        int number;                                                              \
    };                                                                           \
    template <typename Left>                                                     \
    Held<Left> operator OP(Left && left, Name name) {                            \
        return {std::forward<Left>(left), name.number};                          \
    }                                                                            \
    template <typename Left, typename Right>                                     \
    bool operator OP(Held<Left> left, Right&& right) {                           \
        return on(left.number) ? (left.value FLIPPED std::forward<Right>(right)) \
                               : (left.value OP std::forward<Right>(right));     \
    }

REAPER_FLIP(Equal, ==, !=)
REAPER_FLIP(Unequal, !=, ==)
REAPER_FLIP(AtMost, <=, <)
REAPER_FLIP(AtLeast, >=, >)
REAPER_FLIP(Less, <, <=)
REAPER_FLIP(Greater, >, >=)
#undef REAPER_FLIP

// "Not{7} ->* a" is "!a", and "a" while 7 is on.
struct Not {
    int number;
};
template <typename Value>
bool operator->*(Not negation, Value&& value) {
    return static_cast<bool>(value) == on(negation.number);
}

}  // namespace mutant
