# The headers of the libraries that most files include, parsed once for all rooms. Those that few
# include (nlohmann/json.hpp) would cost the others more than they save.
file(WRITE ${PROJECT_BINARY_DIR}/headers.cpp "")
add_library(reaper_headers STATIC ${PROJECT_BINARY_DIR}/headers.cpp)
target_link_libraries(reaper_headers
  PUBLIC reaper_settings tl::expected
  PRIVATE reaper_warnings reaper_fmt nlohmann_json::nlohmann_json)
target_precompile_headers(reaper_headers PRIVATE
  <algorithm> <array> <chrono> <functional> <map> <memory> <optional> <set> <span> <string>
  <string_view> <tuple> <vector> <fmt/format.h> <tl/expected.hpp>)
