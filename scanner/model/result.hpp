// Result<T>: a value, or an Error that says what failed, on what, and why.
//
// Libraries return errors and never log. Callers propagate them, turn them into evidence, or say
// with std::ignore that they do not matter. The kind of failure is kept as a std::error_code: ESRCH
// (gone) and EACCES (could not look) lead to different verdicts.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include <tl/expected.hpp>

namespace reaper {

struct Error {
    std::error_code code;
    std::string operation;  // what was tried: "read", "open a handle of"
    std::string subject;    // on what: a path, "pid 42", an option's value

    bool operator==(const Error&) const = default;
};

template <class T>
using Result = tl::expected<T, Error>;

// Makes an error of errno, which it reads first: call it right after the system call.
[[nodiscard]] tl::unexpected<Error> system_failure(std::string_view operation,
                                                   std::string_view subject);

// Makes an error that no system call reported: the subject is not what it should be.
[[nodiscard]] tl::unexpected<Error> failure(std::errc code, std::string_view operation,
                                            std::string_view subject);

// Returns "cannot read /proc/7/stat: Permission denied".
[[nodiscard]] std::string describe(const Error& error);

}  // namespace reaper
