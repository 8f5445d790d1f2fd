// Numbers of macOS: what is asked for, and what answers say. As in layout.hpp, those marked * are
// in no header of Apple's.
#pragma once

#include <cstdint>

namespace reaper::scanner::darwin {

// sysctl
inline constexpr int kKernel = 1;             // CTL_KERN
inline constexpr int kProcesses = 14;         // KERN_PROC
inline constexpr int kAllProcesses = 0;       // KERN_PROC_ALL
inline constexpr int kOneProcess = 1;         // KERN_PROC_PID
inline constexpr int kProcessArguments = 49;  // KERN_PROCARGS2

// Flavors of proc_pidinfo
inline constexpr int kDescriptorList = 1;  // PROC_PIDLISTFDS
inline constexpr int kTaskInfo = 4;        // PROC_PIDTASKINFO
inline constexpr int kFoldersInfo = 9;     // PROC_PIDVNODEPATHINFO
inline constexpr int kUniqueInfo = 17;     // PROC_PIDUNIQIDENTIFIERINFO *
inline constexpr int kCoalitionInfo = 20;  // PROC_PIDCOALITIONINFO *

// Flavors of proc_pidfdinfo
inline constexpr int kVnodeWithPath = 2;  // PROC_PIDFDVNODEPATHINFO
inline constexpr int kSocketInfo = 3;     // PROC_PIDFDSOCKETINFO
inline constexpr int kPipeInfo = 6;       // PROC_PIDFDPIPEINFO

// p_stat and p_flag of a process
inline constexpr int kStateNewborn = 1, kStateStopped = 4, kStateZombie = 5;
inline constexpr std::uint32_t kIsTraced = 0x800, kIsExiting = 0x2000;

// Types of descriptors
inline constexpr std::uint32_t kVnodeType = 1, kSocketType = 2, kPipeType = 6;

inline constexpr std::uint32_t kHadFlock = 0x4000;  // FWASLOCKED *, in the flags of an open file
inline constexpr std::uint32_t kPipeEnded = 0x80;   // PIPE_EOF *

// Sockets: kinds, so_options, so_state, the state of TCP
inline constexpr std::int32_t kTcpKind = 2, kUnixKind = 3;  // SOCKINFO_TCP, SOCKINFO_UN
inline constexpr std::uint16_t kAccepts = 2;                // SO_ACCEPTCONN
inline constexpr std::uint16_t kCannotSend = 0x10, kCannotReceive = 0x20;  // SOI_S_CANT*MORE
inline constexpr std::uint16_t kDisconnected = 0x2000;                     // SOI_S_ISDISCONNECTED
inline constexpr std::int32_t kTcpListens = 1;                             // TSI_S_LISTEN
inline constexpr std::uint8_t kVersion6 = 2;                               // INI_IPV6

}  // namespace reaper::scanner::darwin
