#include "scanner/parse/darwin/process_info.hpp"

#include "scanner/parse/darwin/record.hpp"

namespace reaper::scanner::darwin {

// A parent is always older than its child, so its id is smaller. The kernel has the id 0.
Result<UniqueIdentity> parse_unique_identity(std::string_view reply) {
    if (reply.size() != unique_info::kSize) return malformed("an identity of that length");
    const UniqueIdentity identity{get(reply, unique_info::kId), get(reply, unique_info::kParentId),
                                  get(reply, unique_info::kVersion),
                                  get(reply, unique_info::kFirstParentVersion)};
    if (identity.parent_id >= identity.id) return malformed("an identity older than its parent's");
    return identity;
}

Result<std::uint64_t> parse_coalition(std::string_view reply) {
    if (reply.size() != coalition_info::kSize) return malformed("a coalition of that length");
    return get(reply, coalition_info::kResource);
}

Result<std::int32_t> parse_thread_count(std::string_view reply) {
    if (reply.size() != task_info::kSize) return malformed("a task of that length");
    const std::int32_t threads = get(reply, task_info::kThreads);
    if (threads < 0) return malformed("a negative number of threads");
    return threads;
}

// Sums may wrap: they are only shown, or tested for growth.
Result<Usage> parse_usage(std::string_view reply) {
    if (reply.size() != usage_info::kSize) return malformed("resources of that length");
    return Usage{get(reply, usage_info::kFootprint),
                 get(reply, usage_info::kUserTime) + get(reply, usage_info::kSystemTime),
                 get(reply, usage_info::kBytesRead) + get(reply, usage_info::kBytesWritten)};
}

Result<OwnFolders> parse_folders(std::string_view reply) {
    if (reply.size() != folders_info::kSize) return malformed("folders of that length");
    OwnFolders folders{get(reply, folders_info::kWorkingFolder),
                       get(reply, folders_info::kLinks) == 0, get(reply, folders_info::kRoot)};
    if (!folders.working.starts_with('/')) return malformed("a working folder without a path");
    return folders;
}

}  // namespace reaper::scanner::darwin
