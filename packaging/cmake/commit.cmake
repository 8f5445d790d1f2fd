# What --version names besides the version.
set(REAPER_COMMIT "" CACHE STRING "The commit that --version names; empty: the one that git knows")
set(commit "${REAPER_COMMIT}")
if(NOT commit AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND git describe --always --abbrev=12 --dirty --exclude=*
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE commit ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  # Configures again after each commit.
  if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
      ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
  endif()
endif()

if(REAPER_STATIC)
  set(linkage "linked statically, without libproc2 and libsystemd")
elseif(libsystemd_FOUND)
  set(linkage "loads libproc2 and libsystemd when it needs them")
else()
  set(linkage "loads libproc2 when it needs it, without libsystemd")
endif()
if(REAPER_SYSTEM STREQUAL other)
  set(linkage "sees no processes")
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/agent/cli/version.cpp
  TARGET_DIRECTORY reaper_agent_cli PROPERTIES COMPILE_DEFINITIONS
  "REAPER_COMMIT=\"${commit}\";REAPER_LINKAGE=\"${CMAKE_SYSTEM_PROCESSOR}, ${linkage}\"")
