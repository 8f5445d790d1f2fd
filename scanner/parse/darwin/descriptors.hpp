// Parses what macOS tells of the open files of a process. All of them fail with invalid_argument
// where the reply has another length than the record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/model/process.hpp"
#include "scanner/model/result.hpp"

namespace reaper::scanner::darwin {

struct Descriptor {
    int number = 0;
    std::uint32_t type = 0;  // kVnodeType, kSocketType, kPipeType, or one that does not matter

    bool operator==(const Descriptor&) const = default;
};
[[nodiscard]] Result<std::vector<Descriptor>> parse_descriptors(std::string_view reply);

// One end of a pipe. The handles are names that stay equal for one boot.
struct PipeEnd {
    std::uint64_t handle = 0;
    std::uint64_t peer = 0;  // handle of the other end; 0: it is closed
    bool ended = false;      // the other end was closed

    bool operator==(const PipeEnd&) const = default;
};
[[nodiscard]] Result<PipeEnd> parse_pipe(std::string_view reply);

struct Vnode {
    std::uint32_t device = 0;
    std::uint64_t inode = 0;
    std::uint16_t mode = 0;  // type and permissions
    std::uint16_t links = 0;
    std::uint32_t special_device = 0;  // of a device: which one
    std::string path;
    bool had_flock = false;  // a flock was taken through this open file; it may be free again

    bool operator==(const Vnode&) const = default;
};
[[nodiscard]] Result<Vnode> parse_vnode(std::string_view reply);

enum class SocketKind { tcp, unix_domain, other };

struct Socket {
    SocketKind kind = SocketKind::other;
    std::uint64_t handle = 0;
    bool listens = false;
    bool cannot_send = false;
    bool cannot_receive = false;
    bool disconnected = false;
    std::uint64_t peer = 0;  // unix only: handle of the other end; 0: none, or none any more
    Listener listener;       // only if it listens

    bool operator==(const Socket&) const = default;
};
[[nodiscard]] Result<Socket> parse_socket(std::string_view reply);

}  // namespace reaper::scanner::darwin
