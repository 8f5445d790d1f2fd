// Reads what a user controls, which may never answer: the kernel waits for a FUSE daemon or an NFS
// server whatever signal comes. So a copy of this program reads. When the copy stops too long at
// one thing, it is killed, and the next copy leaves that thing out, until the killed one has ended.
// This process itself touches only /proc, and never waits for the copy.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/reading/packet.hpp"
#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"

namespace reaper::agent {

// How long one thing that a user controls may take to answer.
inline constexpr std::chrono::milliseconds kAnswerTime{1000};

// The copy's connection to the process that waits.
class ReaderLine {
   public:
    // `left_out`: read when the answer is sent; it outlives this.
    ReaderLine(int socket, const std::vector<std::string>& left_out)
        : socket_(socket), left_out_(left_out) {}

    // Sends the answer, once. The descriptors stay open until this returns.
    void answer(std::string_view bytes, std::span<const int> descriptors = {});
    // Sends a question, and returns what ReadTask::asked answers.
    [[nodiscard]] std::string ask(std::string_view question);

   private:
    int socket_;
    const std::vector<std::string>& left_out_;
};

struct ReadTask {
    std::function<void(ReaderLine& line)>
        read;                    // in the copy, which has the memory of this process, but only its
    std::vector<int> kept = {};  // descriptors that are named here
    std::function<std::string(std::string_view)> asked = {};  // in this process
};

struct Reply {
    std::string bytes;
    std::vector<Fd> descriptors;
    std::vector<std::string> unanswered;  // what was left out, as it did not answer
};

class BoundedReader {
   public:
    // The one reader of this program: what does not answer in one part of it is left out in the
    // others.
    [[nodiscard]] static BoundedReader& of_program();
    BoundedReader();
    ~BoundedReader();
    BoundedReader(const BoundedReader&) = delete;
    BoundedReader& operator=(const BoundedReader&) = delete;

    // Reads by copies from now on. Before this call, and in a copy, everything is read in place.
    void begin();
    // Waits for the last copy, so that it leaves no zombie: for a process that ends without
    // destructors, or becomes another program.
    void collect();
    [[nodiscard]] bool reads_in_place() const;
    // Lets what follows have its own half second after an interrupt that came before: the report of
    // what was done.
    void begin_last_task();

    // Reads by a copy, and by another one after each thing that does not answer. interrupted: INT
    // or TERM, which are blocked, came half a second ago. timed_out: it is not known what does not
    // answer. Any other failure: no copy could be made, or it broke off.
    [[nodiscard]] Result<Reply> run(const ReadTask& task);

   private:
    struct State;
    State* state_;
};

// "/mnt/x did not answer within 1 s"
[[nodiscard]] std::string unanswered_text(const std::string& what);
// Says why `path` is not read: it did not answer before.
[[nodiscard]] tl::unexpected<Error> unanswered(std::string_view path);

// Calls `read` in a copy; where there are none, in place. `T` travels by packet.hpp. The copy keeps
// the descriptors in `kept`.
template <class T>
[[nodiscard]] Result<T> read_bounded(const std::function<Result<T>()>& read,
                                     std::vector<int> kept = {},
                                     std::vector<std::string>* left_out = nullptr) {
    BoundedReader& reader = BoundedReader::of_program();
    if (reader.reads_in_place()) return read();
    auto reply =
        reader.run({[&](ReaderLine& line) { line.answer(pack(read())); }, std::move(kept)});
    if (!reply) return tl::unexpected(std::move(reply.error()));
    if (left_out != nullptr) *left_out = std::move(reply->unanswered);
    auto result = unpack<Result<T>>(reply->bytes);
    if (!result) return failure(std::errc::bad_message, "understand", "a copy of this program");
    return *std::move(result);
}

// Fails with timed_out when `path`, which the command line names, does not answer, so that nothing
// is read or written there. It need not exist.
[[nodiscard]] Result<void> expect_answer(const std::string& path);

// Opens something in a copy, and returns its descriptor here.
[[nodiscard]] Result<Fd> open_bounded(const std::function<Result<Fd>()>& open);

}  // namespace reaper::agent
