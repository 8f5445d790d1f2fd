#include "scanner/access_guard.hpp"

namespace reaper::scanner {

namespace {

AccessGuard* g_guard = nullptr;

}  // namespace

void guard_access(AccessGuard* guard) {
    g_guard = guard;
}

bool may_read(Uid user, std::string_view path) {
    return g_guard == nullptr || g_guard->may_read(user, path);
}

bool may_read_memory(Pid pid) {
    return g_guard == nullptr || g_guard->may_read_memory(pid);
}

}  // namespace reaper::scanner
