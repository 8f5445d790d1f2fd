# reaper_room(ROOM USES rooms... SOURCES files... [LOOKING files...]) : the library of one room,
# which is a folder. USES is the table of .github/CONTRIBUTING.md: the rooms whose headers a file of
# this one may include. tests/rooms_test.py reads it here and compares it with every #include. Every
# room of agent/ may use policy/ and scanner/ besides. LOOKING: files that look at processes, or end
# them; left out where REAPER_SYSTEM is other.
function(reaper_room room)
  cmake_parse_arguments(arg "" "" "USES;SOURCES;LOOKING" ${ARGN})
  string(REPLACE "/" "_" name "reaper_${room}")
  set(sources ${arg_SOURCES})
  if(NOT REAPER_SYSTEM STREQUAL other)
    list(APPEND sources ${arg_LOOKING})
  endif()
  list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/${room}/" REGEX "^[^/]")
  string(REPLACE "/" "_" used "${arg_USES}")
  list(TRANSFORM used PREPEND reaper_)
  if(room MATCHES "^agent/")
    list(APPEND used reaper_policy reaper_scanner)
  elseif(room MATCHES "^policy/")
    list(APPEND used reaper_model)
  endif()
  if(NOT sources)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${used})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_compile_definitions(${name} PRIVATE REAPER_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${name}
    PUBLIC reaper_settings tl::expected ${used}
    PRIVATE reaper_warnings reaper_fmt nlohmann_json::nlohmann_json)
  if(REAPER_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM reaper_headers)
  endif()
  if(REAPER_FUZZ)  # without this libFuzzer does not see which branches an input takes
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()
