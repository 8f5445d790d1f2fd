// A file descriptor that is closed when its owner goes away.
#pragma once

#include <cassert>
#include <utility>

namespace reaper {

class Fd {
   public:
    Fd() = default;
    explicit Fd(int raw) : raw_(raw) {}
    Fd(const Fd&) = delete;
    Fd& operator=(const Fd&) = delete;
    Fd(Fd&& other) noexcept : raw_(std::exchange(other.raw_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) {
            reset();
            raw_ = std::exchange(other.raw_, -1);
        }
        return *this;
    }
    ~Fd() { reset(); }

    explicit operator bool() const { return raw_ >= 0; }
    [[nodiscard]] int get() const {
        assert(raw_ >= 0);
        return raw_;
    }
    [[nodiscard]] int release() { return std::exchange(raw_, -1); }
    void reset();

   private:
    int raw_ = -1;
};

}  // namespace reaper
