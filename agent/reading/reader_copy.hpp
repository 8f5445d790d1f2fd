// What both sides of a reading copy share: what it must not touch, what it stopped at, and the
// frames between them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/reading/bounded_reader.hpp"
#include "scanner/access_guard.hpp"
#include "scanner/fd.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

// Something that did not answer, and is to be left out.
struct NoAnswer {
    enum class What { path, below, memory, user, everything };
    What what = What::path;
    scanner::Uid user = 0;  // the user whose processes it matters for
    scanner::Pid pid = 0;   // memory
    std::string path = {};  // below: of this mount
};

// In memory that both sides share: what the copy is about to touch. One store into it costs no
// system call.
struct ReaderNote {
    static constexpr std::size_t kLongest = 4000;  // of a path; what is longer is cut off

    std::atomic<std::uint32_t> changes = 0;  // odd: is being written
    scanner::Uid user = 0;
    scanner::Pid pid = 0;  // not 0: its memory
    std::uint32_t length = 0;
    std::array<char, kLongest> path{};
};

// Frames in both directions: this, the messages that carry descriptors, and then `length` bytes.
struct FrameHead {
    enum class Kind : std::uint32_t { unanswered, answer, question, reply };
    Kind kind = Kind::answer;
    std::uint32_t descriptors = 0;
    std::uint64_t length = 0;
};
inline constexpr std::size_t kDescriptorsPerMessage = 200;  // of at most 253 (net/core/scm.c)

// In the copy.
class ReaderGuard : public scanner::AccessGuard {
   public:
    // Both outlive it.
    ReaderGuard(const scanner::ProcessTable& table, const std::vector<NoAnswer>& silent,
                ReaderNote& note)
        : table_(table), no_answers_(silent), note_(note) {}

    [[nodiscard]] bool may_read(scanner::Uid user, std::string_view path) override;
    [[nodiscard]] bool may_read_memory(scanner::Pid pid) override;
    [[nodiscard]] const std::vector<std::string>& left_out() const { return left_out_; }

   private:
    bool leave_out(std::string what);
    void note(scanner::Uid user, scanner::Pid pid, std::string_view path);

    const scanner::ProcessTable& table_;
    const std::vector<NoAnswer>& no_answers_;
    ReaderNote& note_;
    std::vector<std::string> left_out_;
};

// Does all that the copy does, and returns its exit status. `parent`: the process that forked it.
[[nodiscard]] int read_in_copy(const ReadTask& task, int socket, ReaderGuard& guard,
                               scanner::Pid parent);

// Sends one frame. False: the other side is gone.
[[nodiscard]] bool send_frame(int socket, FrameHead::Kind kind, std::string_view bytes,
                              std::span<const int> descriptors = {});

// Collects what has arrived of frames.
class FrameInbox {
   public:
    struct Frame {
        FrameHead::Kind kind = FrameHead::Kind::answer;
        std::string bytes;
        std::vector<Fd> descriptors;  // fewer than were sent: this process may have no more
    };

    // Takes what has arrived, and waits for it where the socket blocks. False: nothing more will
    // come.
    [[nodiscard]] bool receive(int socket);
    // Returns the next complete frame; none: not there yet.
    [[nodiscard]] std::optional<Frame> next();

   private:
    std::string bytes_;
    std::vector<Fd> descriptors_;
};

}  // namespace reaper::agent
