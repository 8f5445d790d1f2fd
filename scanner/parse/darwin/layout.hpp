// Where the fields are in the records that macOS answers with: the same on arm64 and x86_64, and
// since macOS 11. The parsers read by this table, the fakes of the tests write by it, and
// layout_check.cpp compares it with Apple's headers. Those marked * are in no header: they follow
// the source of XNU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reaper::scanner::darwin {

// A number of type T at an offset of a record, in the order of bytes of both processors.
template <class T>
struct Field {
    std::size_t offset = 0;
};

// Bytes that end with the first NUL, or fill all of it.
struct TextField {
    std::size_t offset = 0;
    std::size_t size = 0;
};

}  // namespace reaper::scanner::darwin

// struct kinfo_proc: one row of the process table.
namespace reaper::scanner::darwin::kinfo {
inline constexpr std::size_t kSize = 648;
inline constexpr Field<std::int64_t> kStartSeconds{0};
inline constexpr Field<std::int32_t> kStartMicroseconds{8};
inline constexpr Field<std::uint32_t> kFlags{32};
inline constexpr Field<std::int8_t> kState{36};
inline constexpr Field<std::int32_t> kPid{40};
inline constexpr Field<std::int32_t> kParentBeforeTracing{44};
inline constexpr TextField kName{243, 17};
inline constexpr Field<std::uint32_t> kRealUid{392};
inline constexpr Field<std::uint32_t> kSavedUid{396};
inline constexpr Field<std::uint32_t> kEffectiveUid{420};
inline constexpr Field<std::int32_t> kParent{560};
inline constexpr Field<std::int32_t> kGroup{564};
inline constexpr Field<std::int32_t> kTerminal{572};
}  // namespace reaper::scanner::darwin::kinfo

// struct proc_uniqidentifierinfo *
namespace reaper::scanner::darwin::unique_info {
inline constexpr std::size_t kSize = 56;
inline constexpr Field<std::uint64_t> kId{16};
inline constexpr Field<std::uint64_t> kParentId{24};
inline constexpr Field<std::uint32_t> kVersion{32};
inline constexpr Field<std::uint32_t> kFirstParentVersion{36};  // 0 before macOS 15.4
}  // namespace reaper::scanner::darwin::unique_info

// struct proc_pidcoalitioninfo *
namespace reaper::scanner::darwin::coalition_info {
inline constexpr std::size_t kSize = 40;
inline constexpr Field<std::uint64_t> kResource{0};
}  // namespace reaper::scanner::darwin::coalition_info

// struct proc_taskinfo
namespace reaper::scanner::darwin::task_info {
inline constexpr std::size_t kSize = 96;
inline constexpr Field<std::int32_t> kThreads{84};
}  // namespace reaper::scanner::darwin::task_info

// struct rusage_info_v4
namespace reaper::scanner::darwin::usage_info {
inline constexpr std::size_t kSize = 296;
inline constexpr Field<std::uint64_t> kUserTime{16};
inline constexpr Field<std::uint64_t> kSystemTime{24};
inline constexpr Field<std::uint64_t> kFootprint{72};
inline constexpr Field<std::uint64_t> kBytesRead{144};
inline constexpr Field<std::uint64_t> kBytesWritten{152};
}  // namespace reaper::scanner::darwin::usage_info

// struct proc_vnodepathinfo: the working folder, then the root folder.
namespace reaper::scanner::darwin::folders_info {
inline constexpr std::size_t kSize = 2352;
inline constexpr Field<std::uint16_t> kLinks{6};
inline constexpr TextField kWorkingFolder{152, 1024};
inline constexpr TextField kRoot{1328, 1024};
}  // namespace reaper::scanner::darwin::folders_info

// struct proc_fdinfo
namespace reaper::scanner::darwin::descriptor_row {
inline constexpr std::size_t kSize = 8;
inline constexpr Field<std::int32_t> kNumber{0};
inline constexpr Field<std::uint32_t> kType{4};
}  // namespace reaper::scanner::darwin::descriptor_row

// struct proc_fileinfo, the first part of the three below
namespace reaper::scanner::darwin::open_file {
inline constexpr Field<std::uint32_t> kFlags{0};
}  // namespace reaper::scanner::darwin::open_file

// struct pipe_fdinfo
namespace reaper::scanner::darwin::pipe_info {
inline constexpr std::size_t kSize = 184;
inline constexpr Field<std::uint64_t> kHandle{160};
inline constexpr Field<std::uint64_t> kPeer{168};
inline constexpr Field<std::uint32_t> kStatus{176};
}  // namespace reaper::scanner::darwin::pipe_info

// struct vnode_fdinfowithpath
namespace reaper::scanner::darwin::vnode_info {
inline constexpr std::size_t kSize = 1200;
inline constexpr Field<std::uint32_t> kDevice{24};
inline constexpr Field<std::uint16_t> kMode{28};
inline constexpr Field<std::uint16_t> kLinks{30};
inline constexpr Field<std::uint64_t> kInode{32};
inline constexpr Field<std::uint32_t> kSpecialDevice{140};
inline constexpr TextField kPath{176, 1024};
}  // namespace reaper::scanner::darwin::vnode_info

// struct socket_fdinfo. What comes from kLocalPort on depends on the kind.
namespace reaper::scanner::darwin::socket_info {
inline constexpr std::size_t kSize = 792;
inline constexpr Field<std::uint64_t> kHandle{160};
inline constexpr Field<std::uint16_t> kOptions{188};
inline constexpr Field<std::uint16_t> kState{192};
inline constexpr Field<std::int32_t> kKind{256};
inline constexpr Field<std::int32_t> kLocalPort{268};  // in the order of bytes of the network
inline constexpr Field<std::uint8_t> kAddressVersion{288};
inline constexpr std::size_t kLocalAddress = 312;  // 16 bytes; version 4 has the last 4 of them
inline constexpr Field<std::int32_t> kTcpState{344};
inline constexpr Field<std::uint64_t> kUnixPeer{264};
inline constexpr std::size_t kUnixAddressLength = 280;  // one byte: of what follows with itself
inline constexpr TextField kUnixPath{282, 253};
}  // namespace reaper::scanner::darwin::socket_info
