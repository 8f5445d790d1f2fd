// A file system that does not answer holds whoever asks it, signals or not. This ends the program all the same.
#pragma once

#include <chrono>
#include <thread>

#include "agent/interrupt.hpp"
#include "scanner/fd.hpp"

namespace reaper::agent {

// While it lives, the program ends with status 6 (out of time) or 130 when it goes on for `patience` after the interrupt came. Not for a
// time in which another program runs in its place.
class LastResort {
   public:
    LastResort(const Interrupt& interrupt, std::chrono::milliseconds patience);
    ~LastResort();
    LastResort(const LastResort&) = delete;
    LastResort& operator=(const LastResort&) = delete;

   private:
    Fd stop_;
    std::thread thread_;
};

}  // namespace reaper::agent
