#include "tests/support/darwin/records.hpp"

#include <arpa/inet.h>

#include <array>

#include "scanner/parse/darwin/constants.hpp"

namespace reaper::test::darwin {

using namespace scanner::darwin;

namespace {

constexpr std::uint64_t kMicroseconds = 1'000'000;

std::string record_of(std::size_t size) {
    return std::string(size, '\0');
}

int state_of(const KernelRow& row) {
    constexpr int kRuns = 2;  // SRUN
    if (row.newborn) return kStateNewborn;
    if (row.state == 'Z') return kStateZombie;
    return row.state == 'T' ? kStateStopped : kRuns;
}

void put_listener(std::string& record, const Socket& socket) {
    const scanner::Listener& listener = socket.listener;
    if (socket.kind == SocketKind::unix_domain) {
        record[socket_info::kUnixAddressLength] = static_cast<char>(listener.address.size() + 2);
        return put(record, socket_info::kUnixPath, listener.address);
    }
    const bool version6 = listener.transport == "tcp6";
    put(record, socket_info::kTcpState, kTcpListens);
    put(record, socket_info::kLocalPort, htons(listener.port));
    put(record, socket_info::kAddressVersion, version6 ? kVersion6 : 1);
    std::array<char, 16> address{};
    ::inet_pton(version6 ? AF_INET6 : AF_INET, listener.address.c_str(), address.data());
    const std::size_t size = version6 ? 16 : 4;
    record.replace(socket_info::kLocalAddress + 16 - size, size, address.data(), size);
}

}  // namespace

std::string row_bytes(const KernelRow& row) {
    std::string bytes = record_of(kinfo::kSize);
    put(bytes, kinfo::kStartSeconds, static_cast<std::int64_t>(row.start / kMicroseconds));
    put(bytes, kinfo::kStartMicroseconds, static_cast<std::int32_t>(row.start % kMicroseconds));
    put(bytes, kinfo::kFlags, (row.exiting ? kIsExiting : 0) | (row.traced ? kIsTraced : 0));
    put(bytes, kinfo::kState, static_cast<std::int8_t>(state_of(row)));
    put(bytes, kinfo::kPid, row.pid);
    put(bytes, kinfo::kParentBeforeTracing, row.parent_before_tracing);
    put(bytes, kinfo::kName, row.name);
    put(bytes, kinfo::kRealUid, row.uids.real);
    put(bytes, kinfo::kSavedUid, row.uids.saved);
    put(bytes, kinfo::kEffectiveUid, row.uids.effective);
    put(bytes, kinfo::kParent, row.parent);
    put(bytes, kinfo::kGroup, row.group);
    put(bytes, kinfo::kTerminal, row.terminal == 0 ? -1 : row.terminal);
    return bytes;
}

std::string unique_bytes(const UniqueIdentity& identity) {
    std::string bytes = record_of(unique_info::kSize);
    put(bytes, unique_info::kId, identity.id);
    put(bytes, unique_info::kParentId, identity.parent_id);
    put(bytes, unique_info::kVersion, identity.version);
    put(bytes, unique_info::kFirstParentVersion, identity.first_parent_version);
    return bytes;
}

std::string coalition_bytes(std::uint64_t resource) {
    std::string bytes = record_of(coalition_info::kSize);
    put(bytes, coalition_info::kResource, resource);
    return bytes;
}

std::string task_bytes(std::int32_t threads) {
    std::string bytes = record_of(task_info::kSize);
    put(bytes, task_info::kThreads, threads);
    return bytes;
}

std::string usage_bytes(const Usage& usage) {
    std::string bytes = record_of(usage_info::kSize);
    put(bytes, usage_info::kFootprint, usage.footprint);
    put(bytes, usage_info::kUserTime, usage.cpu_time / 2);
    put(bytes, usage_info::kSystemTime, usage.cpu_time - usage.cpu_time / 2);
    put(bytes, usage_info::kBytesRead, usage.io_bytes / 2);
    put(bytes, usage_info::kBytesWritten, usage.io_bytes - usage.io_bytes / 2);
    return bytes;
}

std::string folders_bytes(const OwnFolders& folders) {
    std::string bytes = record_of(folders_info::kSize);
    put(bytes, folders_info::kLinks, folders.working_deleted ? 0 : 2);
    put(bytes, folders_info::kWorkingFolder, folders.working);
    put(bytes, folders_info::kRoot, folders.root);
    return bytes;
}

std::string descriptor_bytes(const std::vector<Descriptor>& all) {
    std::string bytes;
    for (const Descriptor& one : all) {
        std::string row = record_of(descriptor_row::kSize);
        put(row, descriptor_row::kNumber, one.number);
        put(row, descriptor_row::kType, one.type);
        bytes += row;
    }
    return bytes;
}

std::string pipe_bytes(const PipeEnd& end) {
    std::string bytes = record_of(pipe_info::kSize);
    put(bytes, pipe_info::kHandle, end.handle);
    put(bytes, pipe_info::kPeer, end.peer);
    put(bytes, pipe_info::kStatus, end.ended ? kPipeEnded : 0);
    return bytes;
}

std::string vnode_bytes(const Vnode& vnode) {
    std::string bytes = record_of(vnode_info::kSize);
    put(bytes, open_file::kFlags, vnode.had_flock ? kHadFlock : 0);
    put(bytes, vnode_info::kDevice, vnode.device);
    put(bytes, vnode_info::kInode, vnode.inode);
    put(bytes, vnode_info::kMode, vnode.mode);
    put(bytes, vnode_info::kLinks, vnode.links);
    put(bytes, vnode_info::kSpecialDevice, vnode.special_device);
    put(bytes, vnode_info::kPath, vnode.path);
    return bytes;
}

std::string socket_bytes(const Socket& socket) {
    std::string bytes = record_of(socket_info::kSize);
    const bool is_unix = socket.kind == SocketKind::unix_domain;
    put(bytes, socket_info::kHandle, socket.handle);
    put(bytes, socket_info::kKind,
        is_unix ? kUnixKind : (socket.kind == SocketKind::tcp ? kTcpKind : 0));
    put(bytes, socket_info::kState,
        static_cast<std::uint16_t>((socket.cannot_send ? kCannotSend : 0) |
                                   (socket.cannot_receive ? kCannotReceive : 0) |
                                   (socket.disconnected ? kDisconnected : 0)));
    put(bytes, socket_info::kOptions, is_unix && socket.listens ? kAccepts : 0);
    if (is_unix) put(bytes, socket_info::kUnixPeer, socket.peer);
    if (socket.listens) put_listener(bytes, socket);
    return bytes;
}

std::string arguments_bytes(const Started& started) {
    std::string bytes(sizeof(std::int32_t), '\0');
    put(bytes, Field<std::int32_t>{0}, static_cast<std::int32_t>(started.argv.size()));
    const auto add = [&bytes](const std::string& text) { bytes.append(text).push_back('\0'); };
    add(started.path);
    while ((bytes.size() - sizeof(std::int32_t)) % 8 != 0) bytes.push_back('\0');
    for (const std::string& argument : started.argv) add(argument);
    if (!started.environment) return bytes;
    for (const std::string& variable : *started.environment) add(variable);
    for (const char* own : {"", "ptr_munge=", "main_stack=", "th_port="}) add(own);
    return bytes;
}

}  // namespace reaper::test::darwin
