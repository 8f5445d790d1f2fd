#include "scanner/model/result.hpp"

#include <cerrno>

namespace reaper {

tl::unexpected<Error> system_failure(std::string_view operation, std::string_view subject) {
    const int saved = errno;
    return tl::unexpected(Error{std::error_code(saved, std::generic_category()),
                                std::string(operation), std::string(subject)});
}

tl::unexpected<Error> failure(std::errc code, std::string_view operation,
                              std::string_view subject) {
    return tl::unexpected(
        Error{std::make_error_code(code), std::string(operation), std::string(subject)});
}

std::string describe(const Error& error) {
    std::string text = "cannot ";
    text.append(error.operation)
        .append(" ")
        .append(error.subject)
        .append(": ")
        .append(error.code.message());
    return text;
}

}  // namespace reaper
