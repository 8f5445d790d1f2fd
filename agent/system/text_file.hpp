// Reads and writes whole texts.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// `subject` names the file in the error. interrupted: INT or TERM, which are blocked, came, and
// what is no regular file takes nothing.
[[nodiscard]] Result<void> write_all(int fd, std::string_view text, std::string_view subject);

// Does the same without waiting: what is not taken at once is dropped. False: something was.
[[nodiscard]] bool offer(int fd, std::string_view text);

// Writes beside the file and renames, so that no process ever reads half of it. The new file gets
// the mode of the old one, and its owner where the system allows that; where there was none, `mode`
// less the umask. Without `mode` only its owner can read it, whatever the old mode was.
[[nodiscard]] Result<void> replace_file(const std::string& path, std::string_view text,
                                        std::optional<mode_t> mode);

// Appends the text whole or not at all; makes a missing file. Other processes that append alike do
// not come between.
[[nodiscard]] Result<void> append_to_file(const std::string& path, std::string_view text);

// The file that one whole text will be written to. A regular file is replaced as above. A link is
// followed; devices, pipes and the like are written to as they are.
class TextFile {
   public:
    // Opens or checks the file before anything else is done: fails when nothing could be written
    // there. is_a_directory: a folder, or a path that ends like one. `mode`, less the umask, is for
    // a file that does not exist yet. Waits for the reader of a pipe.
    [[nodiscard]] static Result<TextFile> open(const std::string& path, mode_t mode);

    [[nodiscard]] Result<void> write(std::string_view text);
    // As a whole, so that any process can do that.
    [[nodiscard]] bool is_replaced() const { return !place_; }

   private:
    TextFile(std::string path, mode_t mode, Fd place)
        : path_(std::move(path)), mode_(mode), place_(std::move(place)) {}

    [[nodiscard]] Result<void> write_through(std::string_view text) const;

    std::string path_;
    mode_t mode_;
    Fd place_;  // none: it will be renamed into its place
};

// Returns at most the last `most` bytes of a regular file; of anything else, nothing.
[[nodiscard]] std::string read_end_of_file(const std::string& path, std::size_t most);

// Reads a whole regular file. file_too_large: more than `most` bytes; not_supported: no regular
// file, which is then not opened.
[[nodiscard]] Result<std::string> read_file_up_to(const std::string& path, std::size_t most);

}  // namespace reaper::agent
