// Compares the table of layout.hpp with Apple's headers, for both processors. Nothing in here runs.
#include <libproc.h>
#include <sys/proc.h>
#include <sys/proc_info.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysctl.h>

#include <cstddef>
#include <utility>

#include "scanner/parse/darwin/constants.hpp"
#include "scanner/parse/darwin/layout.hpp"

namespace reaper::scanner::darwin {

namespace {

template <class T>
constexpr bool is_at(Field<T> field, std::size_t offset, std::size_t size) {
    return field.offset == offset && sizeof(T) == size;
}

constexpr bool is_at(TextField field, std::size_t offset, std::size_t size) {
    return field.offset == offset && field.size == size;
}

// Field and member must have the same place and the same size.
#define REAPER_SAME(field, record, member)                                                        \
    static_assert(is_at(field, offsetof(record, member), sizeof(std::declval<record&>().member)), \
                  #record "." #member)

static_assert(kinfo::kSize == sizeof(kinfo_proc));
static_assert(kinfo::kStartSeconds.offset == offsetof(kinfo_proc, kp_proc.p_starttime));
static_assert(sizeof(std::int64_t) == sizeof(timeval::tv_sec));
REAPER_SAME(kinfo::kStartMicroseconds, kinfo_proc, kp_proc.p_starttime.tv_usec);
REAPER_SAME(kinfo::kFlags, kinfo_proc, kp_proc.p_flag);
REAPER_SAME(kinfo::kState, kinfo_proc, kp_proc.p_stat);
REAPER_SAME(kinfo::kPid, kinfo_proc, kp_proc.p_pid);
REAPER_SAME(kinfo::kParentBeforeTracing, kinfo_proc, kp_proc.p_oppid);
REAPER_SAME(kinfo::kName, kinfo_proc, kp_proc.p_comm);
REAPER_SAME(kinfo::kRealUid, kinfo_proc, kp_eproc.e_pcred.p_ruid);
REAPER_SAME(kinfo::kSavedUid, kinfo_proc, kp_eproc.e_pcred.p_svuid);
REAPER_SAME(kinfo::kEffectiveUid, kinfo_proc, kp_eproc.e_ucred.cr_uid);
REAPER_SAME(kinfo::kParent, kinfo_proc, kp_eproc.e_ppid);
REAPER_SAME(kinfo::kGroup, kinfo_proc, kp_eproc.e_pgid);
REAPER_SAME(kinfo::kTerminal, kinfo_proc, kp_eproc.e_tdev);

static_assert(task_info::kSize == sizeof(proc_taskinfo));
REAPER_SAME(task_info::kThreads, proc_taskinfo, pti_threadnum);

static_assert(usage_info::kSize == sizeof(rusage_info_v4));
REAPER_SAME(usage_info::kUserTime, rusage_info_v4, ri_user_time);
REAPER_SAME(usage_info::kSystemTime, rusage_info_v4, ri_system_time);
REAPER_SAME(usage_info::kFootprint, rusage_info_v4, ri_phys_footprint);
REAPER_SAME(usage_info::kBytesRead, rusage_info_v4, ri_diskio_bytesread);
REAPER_SAME(usage_info::kBytesWritten, rusage_info_v4, ri_diskio_byteswritten);

static_assert(folders_info::kSize == sizeof(proc_vnodepathinfo));
REAPER_SAME(folders_info::kLinks, proc_vnodepathinfo, pvi_cdir.vip_vi.vi_stat.vst_nlink);
REAPER_SAME(folders_info::kWorkingFolder, proc_vnodepathinfo, pvi_cdir.vip_path);
REAPER_SAME(folders_info::kRoot, proc_vnodepathinfo, pvi_rdir.vip_path);

static_assert(descriptor_row::kSize == sizeof(proc_fdinfo));
REAPER_SAME(descriptor_row::kNumber, proc_fdinfo, proc_fd);
REAPER_SAME(descriptor_row::kType, proc_fdinfo, proc_fdtype);
REAPER_SAME(open_file::kFlags, vnode_fdinfowithpath, pfi.fi_openflags);

static_assert(pipe_info::kSize == sizeof(pipe_fdinfo));
REAPER_SAME(pipe_info::kHandle, pipe_fdinfo, pipeinfo.pipe_handle);
REAPER_SAME(pipe_info::kPeer, pipe_fdinfo, pipeinfo.pipe_peerhandle);
REAPER_SAME(pipe_info::kStatus, pipe_fdinfo, pipeinfo.pipe_status);

static_assert(vnode_info::kSize == sizeof(vnode_fdinfowithpath));
REAPER_SAME(vnode_info::kDevice, vnode_fdinfowithpath, pvip.vip_vi.vi_stat.vst_dev);
REAPER_SAME(vnode_info::kMode, vnode_fdinfowithpath, pvip.vip_vi.vi_stat.vst_mode);
REAPER_SAME(vnode_info::kLinks, vnode_fdinfowithpath, pvip.vip_vi.vi_stat.vst_nlink);
REAPER_SAME(vnode_info::kInode, vnode_fdinfowithpath, pvip.vip_vi.vi_stat.vst_ino);
REAPER_SAME(vnode_info::kSpecialDevice, vnode_fdinfowithpath, pvip.vip_vi.vi_stat.vst_rdev);
REAPER_SAME(vnode_info::kPath, vnode_fdinfowithpath, pvip.vip_path);

static_assert(socket_info::kSize == sizeof(socket_fdinfo));
REAPER_SAME(socket_info::kHandle, socket_fdinfo, psi.soi_so);
REAPER_SAME(socket_info::kOptions, socket_fdinfo, psi.soi_options);
REAPER_SAME(socket_info::kState, socket_fdinfo, psi.soi_state);
REAPER_SAME(socket_info::kKind, socket_fdinfo, psi.soi_kind);
REAPER_SAME(socket_info::kLocalPort, socket_fdinfo, psi.soi_proto.pri_tcp.tcpsi_ini.insi_lport);
REAPER_SAME(socket_info::kAddressVersion, socket_fdinfo,
            psi.soi_proto.pri_tcp.tcpsi_ini.insi_vflag);
static_assert(socket_info::kLocalAddress ==
              offsetof(socket_fdinfo, psi.soi_proto.pri_tcp.tcpsi_ini.insi_laddr));
static_assert(sizeof(in4in6_addr) == 16 && offsetof(in4in6_addr, i46a_addr4) == 12);
REAPER_SAME(socket_info::kTcpState, socket_fdinfo, psi.soi_proto.pri_tcp.tcpsi_state);
REAPER_SAME(socket_info::kUnixPeer, socket_fdinfo, psi.soi_proto.pri_un.unsi_conn_so);
static_assert(socket_info::kUnixAddressLength ==
              offsetof(socket_fdinfo, psi.soi_proto.pri_un.unsi_addr.ua_sun.sun_len));
static_assert(socket_info::kUnixPath.offset ==
              offsetof(socket_fdinfo, psi.soi_proto.pri_un.unsi_addr.ua_sun.sun_path));
static_assert(socket_info::kUnixPath.offset + socket_info::kUnixPath.size ==
              offsetof(socket_fdinfo, psi.soi_proto.pri_un.unsi_caddr));

static_assert(kKernel == CTL_KERN && kProcesses == KERN_PROC);
static_assert(kAllProcesses == KERN_PROC_ALL && kOneProcess == KERN_PROC_PID);
static_assert(kProcessArguments == KERN_PROCARGS2);
static_assert(kDescriptorList == PROC_PIDLISTFDS && kTaskInfo == PROC_PIDTASKINFO);
static_assert(kFoldersInfo == PROC_PIDVNODEPATHINFO);
static_assert(kVnodeWithPath == PROC_PIDFDVNODEPATHINFO && kSocketInfo == PROC_PIDFDSOCKETINFO);
static_assert(kPipeInfo == PROC_PIDFDPIPEINFO);
static_assert(kStateNewborn == SIDL && kStateStopped == SSTOP && kStateZombie == SZOMB);
static_assert(kIsTraced == P_TRACED && kIsExiting == P_WEXIT);
static_assert(kVnodeType == PROX_FDTYPE_VNODE && kSocketType == PROX_FDTYPE_SOCKET);
static_assert(kPipeType == PROX_FDTYPE_PIPE);
static_assert(kTcpKind == SOCKINFO_TCP && kUnixKind == SOCKINFO_UN);
static_assert(kAccepts == SO_ACCEPTCONN && kTcpListens == TSI_S_LISTEN);
static_assert(kCannotSend == SOI_S_CANTSENDMORE && kCannotReceive == SOI_S_CANTRCVMORE);
static_assert(kDisconnected == SOI_S_ISDISCONNECTED && kVersion6 == INI_IPV6);

#undef REAPER_SAME

}  // namespace

}  // namespace reaper::scanner::darwin
