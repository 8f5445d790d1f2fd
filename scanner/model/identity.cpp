#include "scanner/model/identity.hpp"

namespace reaper::scanner {

namespace {

// Compares two values that may be unknown. Only two known values that differ prove anything.
template <class T>
Sameness compare_known(const T& left, const T& right, const T& unknown) {
    if (left == unknown || right == unknown) return Sameness::unknown;
    return left == right ? Sameness::same : Sameness::different;
}

Sameness compare_moment(const Identity& left, const Identity& right) {
    if (left.pidfs_inode && right.pidfs_inode) {
        return *left.pidfs_inode == *right.pidfs_inode ? Sameness::same : Sameness::different;
    }
    if (left.start_ticks != right.start_ticks) return Sameness::different;
    // Ticks are 10 ms wide, so equal ticks are weak evidence. They count only if neither side or
    // both sides have an inode.
    const bool equally_known = left.pidfs_inode.has_value() == right.pidfs_inode.has_value();
    return equally_known ? Sameness::same : Sameness::unknown;
}

}  // namespace

Sameness compare(const Identity& left, const Identity& right) {
    if (left.pid != right.pid) return Sameness::different;
    const Sameness parts[] = {
        compare_known(left.boot_id, right.boot_id, std::string()),
        compare_known(left.pid_namespace, right.pid_namespace, std::uint64_t{0}),
        compare_moment(left, right)};
    Sameness result = Sameness::same;
    for (const Sameness part : parts) {
        if (part == Sameness::different) return Sameness::different;
        if (part == Sameness::unknown) result = Sameness::unknown;
    }
    return result;
}

std::string to_string(const Identity& identity) {
    std::string text = identity.boot_id;
    text.append(":").append(std::to_string(identity.pid_namespace));
    text.append(":").append(std::to_string(identity.pid)).append(":");
    if (identity.pidfs_inode) return text.append(std::to_string(*identity.pidfs_inode));
    return text.append("t").append(std::to_string(identity.start_ticks));
}

}  // namespace reaper::scanner
