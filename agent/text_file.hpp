// Whole texts in and out of files.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scanner/fd.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

// `subject` names the file in the error.
[[nodiscard]] Result<void> write_all(int fd, std::string_view text, std::string_view subject);

// The same, but nobody is waited for: what is not taken at once is dropped. False: something was.
[[nodiscard]] bool offer(int fd, std::string_view text);

// Written beside its place and renamed into it, so that nobody ever reads half of it. The file looks like the one that was there; a
// new one gets `mode`, less the umask. Without `mode` only its owner can read it, whoever could read the old one.
[[nodiscard]] Result<void> replace_file(const std::string& path, std::string_view text, std::optional<mode_t> mode);

// At its end, whole or not at all; a file that is not there is made. Nobody who appends alike comes between.
[[nodiscard]] Result<void> append_to_file(const std::string& path, std::string_view text);

// Where one whole text will go. A regular file is replaced as above. A link is followed; devices, pipes and the like are written to
// as they are.
class TextFile {
   public:
    // Before anything is done: fails when nothing could be written there. is_a_directory: a folder, or a path that ends like one.
    // `mode`, less the umask, is for a file that is not there yet. Waits for the reader of a pipe.
    [[nodiscard]] static Result<TextFile> open(const std::string& path, mode_t mode);

    [[nodiscard]] Result<void> write(std::string_view text);

   private:
    TextFile(std::string path, mode_t mode, Fd place) : path_(std::move(path)), mode_(mode), place_(std::move(place)) {}

    [[nodiscard]] Result<void> write_through(std::string_view text) const;

    std::string path_;
    mode_t mode_;
    Fd place_;  // none: it will be renamed into its place
};

// At most the last `most` bytes of a regular file; of anything else nothing.
[[nodiscard]] std::string read_end_of_file(const std::string& path, std::size_t most);

// file_too_large: more than `most` bytes; not_supported: no regular file, which is then not opened.
[[nodiscard]] Result<std::string> read_file_up_to(const std::string& path, std::size_t most);

}  // namespace reaper::agent
