#include "scanner/parse/proc_mountinfo.hpp"

#include <string>

#include "tests/support/catch.hpp"

using reaper::scanner::find_mounted_device;
using reaper::scanner::find_pids_hierarchies;
using reaper::scanner::find_remote_mount;
using reaper::scanner::find_shared_mount;
using reaper::scanner::is_mounted_with_hidepid;
using reaper::scanner::MountedDevice;
using reaper::scanner::PidsHierarchy;

namespace {

const std::string kRoot = "20 1 8:1 / / rw,relatime - ext4 /dev/vda rw\n";

std::string proc_line(const std::string& options) {
    return "22 20 0:21 / /proc rw,nosuid shared:5 master:1 - proc proc " + options + "\n";
}

}  // namespace

TEST_CASE("hidepid as words and as numbers") {
    for (const char* options : {"rw,hidepid=invisible", "rw,gid=4,hidepid=2", "hidepid=1",
                                "rw,hidepid=ptraceable", "rw,hidepid=noaccess,subset=pid"}) {
        INFO(options);
        CHECK(is_mounted_with_hidepid(kRoot + proc_line(options), "/proc"));
    }
    for (const char* options :
         {"rw", "rw,hidepid=off", "rw,hidepid=0", "rw,xhidepid=2", "rw,subset=pid"}) {
        INFO(options);
        CHECK_FALSE(is_mounted_with_hidepid(kRoot + proc_line(options), "/proc"));
    }
}

TEST_CASE("only the mount that is seen counts") {
    const std::string hidden = proc_line("rw,hidepid=2");
    CHECK_FALSE(is_mounted_with_hidepid(hidden + proc_line("rw"), "/proc"));
    CHECK(is_mounted_with_hidepid(proc_line("rw") + hidden, "/proc"));
    CHECK_FALSE(is_mounted_with_hidepid(hidden, "/other/proc"));
    CHECK_FALSE(
        is_mounted_with_hidepid("22 20 0:21 / /proc rw - tmpfs hidepid=2 rw,hidepid=2\n", "/proc"));
}

TEST_CASE("a mountinfo that makes no sense hides nothing and breaks nothing") {
    for (const char* text :
         {"", "\n\n", "22 20", "22 20 0:21 / /proc rw", "22 20 0:21 / /proc - ", "- - - - - -"}) {
        INFO(text);
        CHECK_FALSE(is_mounted_with_hidepid(text, "/proc"));
    }
}

TEST_CASE("the device behind a mount") {
    const std::string mounts =
        kRoot + proc_line("rw") + "220 20 259:1234 /a\\040b /mnt rw - btrfs /dev/vdb rw\n";
    CHECK(find_mounted_device(mounts, 20) == MountedDevice{8, 1});
    CHECK(find_mounted_device(mounts, 22) == MountedDevice{0, 21});
    CHECK(find_mounted_device(mounts, 220) == MountedDevice{259, 1234});
    for (const char* broken : {"", "20", "20 1", "20 1 8", "20 1 8: / ", "20 1 8:x / ",
                               "20 1 99999999999:1 / ", "x 1 8:1 / "}) {
        INFO(broken);
        CHECK_FALSE(find_mounted_device(broken, 20));
    }
    CHECK_FALSE(find_mounted_device(mounts, 1));
    CHECK_FALSE(find_mounted_device(mounts, 2));
}

TEST_CASE(
    "a mount whose contents come from another process is found by the path, the last and longest "
    "one") {
    constexpr std::string_view kMounts =
        "21 1 8:1 / / rw - ext4 /dev/sda rw\n"
        "22 21 0:40 / /home rw - nfs4 server:/home rw\n"
        "23 22 0:41 / /home/a/my\\040files rw - fuse.sshfs a@b: rw\n"
        "24 21 0:42 / /data rw - fuse x rw\n"
        "25 21 8:2 / /data rw - ext4 /dev/sdb rw\n";
    CHECK(find_remote_mount(kMounts, "/home/a/x") == "/home");
    CHECK(find_remote_mount(kMounts, "/home/a/my files/x") == "/home/a/my files");
    CHECK(find_remote_mount(kMounts, "/homes").empty());
    CHECK(find_remote_mount(kMounts, "/data/x").empty());
    CHECK(find_remote_mount(kMounts, "pid 7").empty());
}

TEST_CASE("a mount that other machines may have, too, and whether it shares locks with them") {
    constexpr std::string_view kMounts =
        "21 1 8:1 / / rw - ext4 /dev/sda rw\n"
        "22 21 0:40 / /home rw,relatime shared:5 - nfs4 server:/home rw,vers=4.2,local_lock=none\n"
        "23 21 0:41 / /old rw - nfs server:/old rw,vers=3,nolock,local_lock=all\n"
        "24 21 0:42 / /mixed rw - nfs server:/m rw,vers=3,local_lock=flock\n"
        "25 21 0:43 / /a\\040b rw - fuse.sshfs a@b: rw\n"
        "26 21 0:44 / /win rw - cifs //s/x rw,local_lock=none\n"
        "27 21 0:45 / /disk rw - fuseblk /dev/sdc rw\n"
        "28 21 0:46 / /layers rw - fuse.fuse-overlayfs x rw\n"
        "29 21 0:47 / /ceph rw - ceph 10.0.0.1:/ rw\n";
    using reaper::scanner::SharedMount;
    CHECK(find_shared_mount(kMounts, 22) == SharedMount{"nfs4", "/home", true});
    CHECK(find_shared_mount(kMounts, 23) == SharedMount{"nfs", "/old", false});
    CHECK(find_shared_mount(kMounts, 24) == SharedMount{"nfs", "/mixed", false});
    CHECK(find_shared_mount(kMounts, 25) == SharedMount{"fuse.sshfs", "/a b", false});
    CHECK(find_shared_mount(kMounts, 26) == SharedMount{"cifs", "/win", false});
    CHECK(find_shared_mount(kMounts, 29) == SharedMount{"ceph", "/ceph", true});
    for (const std::uint64_t local : {21U, 27U, 28U, 99U, 0U})
        CHECK_FALSE(find_shared_mount(kMounts, local));
    CHECK_FALSE(find_shared_mount("22 21 0:40 / /home rw", 22));
}

TEST_CASE("where the number of processes is limited") {
    const std::string text =
        "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
        "37 31 0:34 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n"
        "39 31 0:36 /a\\040b /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,cpu,pids\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:4 - cgroup2 cgroup2 rw\n";
    const PidsHierarchy old{"/sys/fs/cgroup/pids", "/a b", false};
    const PidsHierarchy unified{"/sys/fs/cgroup/unified", "/", true};
    CHECK(find_pids_hierarchies(text) == std::vector<PidsHierarchy>{old, unified});
    const std::string covered =
        text + "50 41 0:50 / /sys/fs/cgroup/unified rw - fuse.lxcfs lxcfs rw\n";
    CHECK(find_pids_hierarchies(covered) == std::vector<PidsHierarchy>{old});
    CHECK(find_pids_hierarchies("").empty());
    CHECK(find_pids_hierarchies("\n\ncgroup2\n").empty());
}
