#include "scanner/model/reading.hpp"

#include "tests/support/catch.hpp"

using namespace reaper::scanner;

TEST_CASE("only ENOENT and ESRCH prove that something is gone") {
    const auto access = [](std::errc code) { return access_of(std::make_error_code(code)); };
    CHECK(access(std::errc::no_such_file_or_directory) == Access::gone);
    CHECK(access(std::errc::no_such_process) == Access::gone);
    for (const auto code :
         {std::errc::permission_denied, std::errc::operation_not_permitted, std::errc::io_error,
          std::errc::timed_out, std::errc::too_many_files_open, std::errc::not_enough_memory}) {
        CHECK(access(code) == Access::denied);
    }
}

TEST_CASE("a reading that was not asked for is not an empty one") {
    CHECK_FALSE(Reading<int>{}.ok());
    CHECK(Reading<int>::of(0).ok());
    CHECK_FALSE(Reading<int>::of(0) == Reading<int>{});
    CHECK_FALSE(Reading<int>::failed(Access::denied) == Reading<int>::failed(Access::gone));
    CHECK(to_string(Access::malformed) == "malformed");
}
