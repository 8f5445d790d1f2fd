#include "scanner/linux/late_library.hpp"

#include <dlfcn.h>

namespace reaper::scanner {

LateLibrary::LateLibrary(const char* soname) : handle_(::dlopen(soname, RTLD_NOW | RTLD_LOCAL)) {}

void* LateLibrary::find(const char* name) const {
    return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

}  // namespace reaper::scanner
