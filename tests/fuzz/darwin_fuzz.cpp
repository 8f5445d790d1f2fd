#include <algorithm>
#include <string>

#include "scanner/parse/darwin/arguments.hpp"
#include "scanner/parse/darwin/descriptors.hpp"
#include "scanner/parse/darwin/layout.hpp"
#include "scanner/parse/darwin/process_info.hpp"
#include "scanner/parse/darwin/process_rows.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace reaper;
using namespace reaper::scanner::darwin;

namespace {

template <class T>
bool holds(const Result<T>& parsed) {
    fuzz::require(parsed || parsed.error().code == std::errc::invalid_argument);
    return parsed.has_value();
}

void parse_table(std::string_view bytes) {
    const auto rows = parse_process_rows(bytes);
    fuzz::require(holds(rows) == rows.has_value());
    if (!rows) return;
    fuzz::require(rows->size() * kinfo::kSize == bytes.size());
    for (const KernelRow& row : *rows) {
        fuzz::require(row.pid >= 0 && row.parent >= 0 && row.group >= 0);
        fuzz::require(row.name.size() <= kinfo::kName.size);
    }
}

// Nothing is made up: what was parsed is no longer than what there is.
void parse_started(std::string_view bytes) {
    fuzz::require(!holds(parse_arguments(bytes, bytes.size())));
    const auto arguments = parse_arguments(bytes, bytes.size() + 1);
    if (!holds(arguments)) return;
    std::size_t used = arguments->path.size() + 1;
    for (const std::string& word : arguments->argv) used += word.size() + 1;
    fuzz::require(!arguments->path.empty() && used <= bytes.size());
    fuzz::require(arguments->environment.value_or("").size() <= bytes.size() - used);
}

// Records have one length each, which random bytes do not meet.
std::string sized(std::string_view bytes, std::size_t size) {
    std::string record(bytes.substr(0, size));
    record.resize(size);
    return record;
}

void parse_records(std::string_view bytes) {
    const auto unique = parse_unique_identity(sized(bytes, unique_info::kSize));
    if (holds(unique)) fuzz::require(unique->parent_id < unique->id);
    fuzz::require(holds(parse_coalition(sized(bytes, coalition_info::kSize))));
    fuzz::require(holds(parse_usage(sized(bytes, usage_info::kSize))));
    const auto threads = parse_thread_count(sized(bytes, task_info::kSize));
    if (holds(threads)) fuzz::require(*threads >= 0);
    const auto folders = parse_folders(sized(bytes, folders_info::kSize));
    if (holds(folders)) fuzz::require(folders->working.starts_with('/'));
}

void parse_open_files(std::string_view bytes) {
    holds(parse_descriptors(bytes));
    fuzz::require(holds(parse_pipe(sized(bytes, pipe_info::kSize))));
    const auto vnode = parse_vnode(sized(bytes, vnode_info::kSize));
    fuzz::require(holds(vnode) && vnode->path.size() <= vnode_info::kPath.size);
    const auto socket = parse_socket(sized(bytes, socket_info::kSize));
    fuzz::require(holds(socket) && socket->listener.address.size() <= 253);
    fuzz::require(socket->listens == !socket->listener.transport.empty());
}

}  // namespace

// Each parser gets all of the bytes: as they are, and as one record of the right length.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = fuzz::text_of(data, size);
    parse_table(bytes);
    parse_table(sized(bytes, kinfo::kSize));
    parse_started(bytes);
    parse_records(bytes);
    parse_open_files(bytes);
    return 0;
}
