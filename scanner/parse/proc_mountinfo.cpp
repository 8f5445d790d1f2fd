#include "scanner/parse/proc_mountinfo.hpp"

#include <algorithm>

#include "scanner/model/number.hpp"

namespace reaper::scanner {

namespace {

// Takes everything up to the next separator, and the separator, off the front.
std::string_view take_until(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

// Looks for hidepid in "rw,hidepid=invisible". Since Linux 5.8 the kernel prints words, before that
// the numbers 1 and 2.
bool has_hidepid(std::string_view options) {
    while (!options.empty()) {
        const std::string_view option = take_until(options, ',');
        if (option.starts_with("hidepid=") && option != "hidepid=0" && option != "hidepid=off")
            return true;
    }
    return false;
}

struct Mount {
    std::string_view root;
    std::string_view mount_point;
    std::string_view type;
    std::string_view super_options;
};

// "36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/sda rw,errors=continue"
Mount parse_line(std::string_view line) {
    Mount mount;
    for (int i = 0; i < 3; ++i) take_until(line, ' ');
    mount.root = take_until(line, ' ');
    mount.mount_point = take_until(line, ' ');
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) return mount;
    line.remove_prefix(dash + 3);
    mount.type = take_until(line, ' ');
    take_until(line, ' ');
    mount.super_options = line;
    return mount;
}

bool is_remote(std::string_view type) {
    constexpr std::string_view kTypes[] = {"nfs",      "nfs4",   "cifs",   "smb3",   "9p",
                                           "virtiofs", "ceph",   "afs",    "coda",   "lustre",
                                           "gpfs",     "gfs2",   "ocfs2",  "beegfs", "autofs",
                                           "panfs",    "wekafs", "vboxsf", "vmhgfs", "prl_fs"};
    return type.starts_with("fuse") || std::ranges::find(kTypes, type) != std::end(kTypes);
}

// Leaves out what has a block device of this machine, or the layers of a container.
bool is_shared(std::string_view type) {
    return is_remote(type) && type != "fuseblk" && type != "fuse.fuse-overlayfs";
}

bool has_option(std::string_view options, std::string_view wanted) {
    while (!options.empty()) {
        if (take_until(options, ',') == wanted) return true;
    }
    return false;
}

// NFS always says where it keeps its locks (fs/nfs/super.c, nfs_show_mount_options).
bool shares_locks(const Mount& mount) {
    if (mount.type == "ceph") return true;
    return (mount.type == "nfs" || mount.type == "nfs4") &&
           has_option(mount.super_options, "local_lock=none") &&
           !has_option(mount.super_options, "nolock");
}

// Decodes "\040" for a blank; tabs, newlines and backslashes are escaped alike
// (fs/proc_namespace.c, mangle).
std::string unmangled(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const bool mangled = text.size() >= 4 && text[0] == '\\';
        plain +=
            mangled
                ? static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'))
                : text[0];
        text.remove_prefix(mangled ? 4 : 1);
    }
    return plain;
}

bool lies_on(std::string_view path, std::string_view mount_point) {
    return mount_point == "/" || path == mount_point ||
           (path.starts_with(mount_point) && path.substr(mount_point.size()).starts_with('/'));
}

}  // namespace

std::string find_remote_mount(std::string_view mountinfo, std::string_view path) {
    std::string found;
    bool remote = false;
    while (!mountinfo.empty()) {
        const Mount mount = parse_line(take_until(mountinfo, '\n'));
        std::string mount_point = unmangled(mount.mount_point);
        if (!lies_on(path, mount_point) || mount_point.size() < found.size()) continue;
        found = std::move(mount_point);
        remote = is_remote(mount.type);
    }
    return remote ? found : std::string();
}

std::vector<PidsHierarchy> find_pids_hierarchies(std::string_view mountinfo) {
    std::vector<PidsHierarchy> found;
    while (!mountinfo.empty()) {
        const Mount mount = parse_line(take_until(mountinfo, '\n'));
        const std::string place = unmangled(mount.mount_point);
        std::erase_if(found, [&](const PidsHierarchy& below) { return below.place == place; });
        const bool unified = mount.type == "cgroup2";
        if (unified || (mount.type == "cgroup" && has_option(mount.super_options, "pids")))
            found.push_back({place, unmangled(mount.root), unified});
    }
    return found;
}

bool is_mounted_with_hidepid(std::string_view mountinfo, std::string_view mount_point) {
    bool hidden = false;
    while (!mountinfo.empty()) {
        const Mount mount = parse_line(take_until(mountinfo, '\n'));
        if (mount.mount_point == mount_point)
            hidden = mount.type == "proc" && has_hidepid(mount.super_options);
    }
    return hidden;
}

std::optional<MountedDevice> find_mounted_device(std::string_view mountinfo, std::uint64_t mount) {
    while (!mountinfo.empty()) {
        std::string_view line = take_until(mountinfo, '\n');
        const auto id = to_number<std::uint64_t>(take_until(line, ' '));
        take_until(line, ' ');
        std::string_view device = take_until(line, ' ');
        const auto major = to_number<std::uint32_t>(take_until(device, ':'));
        const auto minor = to_number<std::uint32_t>(device);
        if (id == mount && major && minor) return MountedDevice{*major, *minor};
    }
    return std::nullopt;
}

std::optional<SharedMount> find_shared_mount(std::string_view mountinfo, std::uint64_t number) {
    while (!mountinfo.empty()) {
        const std::string_view line = take_until(mountinfo, '\n');
        std::string_view rest = line;
        if (to_number<std::uint64_t>(take_until(rest, ' ')) != number) continue;
        const Mount mount = parse_line(line);
        if (!is_shared(mount.type)) return std::nullopt;
        return SharedMount{std::string(mount.type), unmangled(mount.mount_point),
                           shares_locks(mount)};
    }
    return std::nullopt;
}

}  // namespace reaper::scanner
