// The note of a copy in memory that both sides share. The copy keeps its descriptor open, so that
// later runs can read what it stopped at, should it outlive this run.
#pragma once

#include <cstdint>
#include <string>

#include "agent/reading/reader_copy.hpp"
#include "scanner/fd.hpp"
#include "scanner/model/identity.hpp"

namespace reaper::agent {

// The name of the memory. The number changes with the layout of ReaderNote.
inline constexpr const char* kNoteName = "orphan-reaper-note-1";

class SharedNote {
   public:
    // Makes one. Where memory cannot have a name, only this run can read it.
    SharedNote();
    // Maps that of another process for reading. None exists if `memory` has another size, or if it
    // could still change that.
    explicit SharedNote(const Fd& memory);
    ~SharedNote();
    SharedNote(const SharedNote&) = delete;
    SharedNote& operator=(const SharedNote&) = delete;

    [[nodiscard]] bool exists() const { return note_ != nullptr; }
    [[nodiscard]] ReaderNote& get() const { return *note_; }
    // Invalid: it has none.
    [[nodiscard]] const Fd& descriptor() const { return memory_; }

   private:
    Fd memory_;
    ReaderNote* note_ = nullptr;
};

// What a note said at one moment.
struct Stop {
    std::uint32_t changes = 0;
    scanner::Uid user = 0;
    scanner::Pid pid = 0;
    std::string path;

    [[nodiscard]] bool is_told() const { return pid > 0 || !path.empty(); }
    [[nodiscard]] bool is_of_user() const { return pid > 0 || path.starts_with('/'); }
};

// Returns what it says now. If it is being written, `changes` is one of no other moment.
[[nodiscard]] Stop read_note(const ReaderNote& note);

}  // namespace reaper::agent
