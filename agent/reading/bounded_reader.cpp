#include "agent/reading/bounded_reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <tuple>

#include <fmt/format.h>

#include "scanner/access_guard.hpp"

namespace reaper::agent {

std::string unanswered_text(const std::string& what) {
    return fmt::format("{} did not answer within {} s", what,
                       std::chrono::duration_cast<std::chrono::seconds>(kAnswerTime).count());
}

tl::unexpected<Error> unanswered(std::string_view path) {
    return failure(std::errc::timed_out, "read", unanswered_text(std::string(path)));
}

Result<void> expect_answer(const std::string& path) {
    return read_bounded<void>([&]() -> Result<void> {
        struct stat status{};
        if (!scanner::may_read(::geteuid(), path)) return unanswered(path);
        std::ignore = ::stat(path.c_str(), &status);
        return {};
    });
}

Result<Fd> open_bounded(const std::function<Result<Fd>()>& open) {
    BoundedReader& reader = BoundedReader::of_program();
    if (reader.reads_in_place()) return open();
    auto reply = reader.run({[&](ReaderLine& line) {
        const auto opened = open();
        const std::vector<int> sent = opened ? std::vector<int>{opened->get()} : std::vector<int>();
        line.answer(pack(opened.map([](const Fd&) { return true; })), sent);
    }});
    if (!reply) return tl::unexpected(std::move(reply.error()));
    const auto opened = unpack<Result<bool>>(reply->bytes);
    if (opened && !*opened) return tl::unexpected(opened->error());
    if (!opened || reply->descriptors.empty())
        return failure(std::errc::too_many_files_open, "open", "a file");
    return std::move(reply->descriptors.front());
}

}  // namespace reaper::agent
