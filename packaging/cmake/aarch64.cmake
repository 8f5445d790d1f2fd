# For -DCMAKE_TOOLCHAIN_FILE=: from another machine to Linux on aarch64, with Debian's compiler.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# What the build itself runs; without the emulator the build stops there.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# Of fmt only the headers are used, which are for every processor.
file(GLOB fmt_DIR /usr/lib/*-linux-gnu/cmake/fmt)
