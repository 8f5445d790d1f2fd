# Two interface targets that every target of ours links PRIVATE: how to compile, and what to be
# warned of.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

# -O3 makes the build longer and the program larger, and nothing that it does faster.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

add_library(reaper_settings INTERFACE)
target_compile_features(reaper_settings INTERFACE cxx_std_20)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
target_include_directories(reaper_settings INTERFACE ${PROJECT_SOURCE_DIR})

if(REAPER_SANITIZE)
  # vptr opens a pipe to see whether an address is readable: where descriptors have run out it
  # accuses the innocent.
  target_compile_options(reaper_settings INTERFACE
    -fsanitize=${REAPER_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(reaper_settings INTERFACE -fsanitize=${REAPER_SANITIZE})
elseif(CMAKE_BUILD_TYPE MATCHES "Release|RelWithDebInfo")
  target_compile_definitions(reaper_settings INTERFACE _GLIBCXX_ASSERTIONS)
  # Some compilers predefine _FORTIFY_SOURCE; -U keeps that from being a redefinition.
  target_compile_options(reaper_settings INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
    -fstack-protector-strong)
  include(CheckCXXCompilerFlag)
  foreach(flag -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "REAPER_HAS${flag}" has)
    check_cxx_compiler_flag(${flag} ${has})
    if(${has})
      target_compile_options(reaper_settings INTERFACE ${flag})
    endif()
  endforeach()
  if(LINUX)
    target_link_options(reaper_settings INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack
      $<IF:$<BOOL:${REAPER_STATIC}>,-static-pie,-pie>)
  endif()
  if(REAPER_BUNDLE OR REAPER_STATIC)
    # Small, and without what nothing calls: it waits for the kernel, not for itself.
    string(REPLACE "-O2" "-Os" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
    target_compile_options(reaper_settings INTERFACE -ffunction-sections -fdata-sections)
    target_link_options(reaper_settings INTERFACE -Wl,--gc-sections
      $<$<NOT:$<BOOL:${REAPER_STATIC}>>:-static-libstdc++;-static-libgcc>)
  endif()
endif()

add_library(reaper_warnings INTERFACE)
target_compile_options(reaper_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wcast-align
  -Wcast-qual
  -Wnon-virtual-dtor -Woverloaded-virtual -Wnull-dereference -Wdouble-promotion -Wformat=2 -Wundef
  -Wextra-semi
  -Wimplicit-fallthrough
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op -Wuseless-cast>
  $<$<BOOL:${REAPER_DEV}>:-Werror>)
