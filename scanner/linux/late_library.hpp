// A library that is loaded when something of it is first needed. libproc2 and libsystemd bring eight more along: 2 ms at every
// start (of 3.6), and most runs need neither.
#pragma once

namespace reaper::scanner {

// Stays loaded for good: a library that has started something cannot be taken away safely.
class LateLibrary {
   public:
    explicit LateLibrary(const char* soname);

    // Null: the library, or the function in it, is not there.
    template <class Function>
    [[nodiscard]] Function* function(const char* name) const {
        return reinterpret_cast<Function*>(find(name));
    }

   private:
    [[nodiscard]] void* find(const char* name) const;

    void* handle_;
};

}  // namespace reaper::scanner
