// A library that is loaded when it is first used. libproc2 and libsystemd need eight more: 2 of the
// 3.6 ms of every start, while most runs use neither.
#pragma once

namespace reaper::scanner {

// Stays loaded: a library that may have started something cannot be unloaded safely.
class LateLibrary {
   public:
    explicit LateLibrary(const char* soname);

    // Null: the library, or the function in it, does not exist.
    template <class Function>
    [[nodiscard]] Function* function(const char* name) const {
        return reinterpret_cast<Function*>(find(name));
    }

   private:
    [[nodiscard]] void* find(const char* name) const;

    void* handle_;
};

}  // namespace reaper::scanner
