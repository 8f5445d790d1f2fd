# reaper_isolated_test(name [AS_INIT] LABEL label [TIMEOUT seconds] LIBRARIES libs... SOURCES
# files...) A Catch2 program that signals or orphans processes: runs as one test, inside a pid
# namespace of its own; AS_INIT: as its pid 1.
function(reaper_isolated_test name)
  cmake_parse_arguments(arg "AS_INIT" "LABEL;TIMEOUT" "LIBRARIES;SOURCES" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_compile_definitions(${name} PRIVATE
    REAPER_CATCH_MAJOR=${Catch2_VERSION_MAJOR} REAPER_SLOWDOWN=${REAPER_SLOWDOWN})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} reaper_warnings Catch2::Catch2WithMain)
  set(as_init)
  if(arg_AS_INIT)
    set(as_init --as-init)
  endif()
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/support/isolated ${as_init}
    $<TARGET_FILE:${name}>)
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT}
    SKIP_RETURN_CODE 125 COST ${arg_TIMEOUT})
endfunction()
