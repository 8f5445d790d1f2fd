// For a process that will do nothing for a long time.
#pragma once

namespace reaper::agent {

// Unmaps the pages of this program and its libraries that are as they are in their files: the kernel brings back what is needed again,
// from its cache of files. Of 5 MB resident memory half a MB remains.
void give_back_code();

// Once, when it has slept for a second: starting a helper, or running one that ends at once, is not to take longer for it.
class GivingBack {
   public:
    // For poll(2), and what that returned.
    [[nodiscard]] int timeout() const { return done_ ? -1 : kSoon; }
    void slept(int ready) {
        if (ready != 0 || done_) return;
        give_back_code();
        done_ = true;
    }

   private:
    static constexpr int kSoon = 1000;
    bool done_ = false;
};

}  // namespace reaper::agent
