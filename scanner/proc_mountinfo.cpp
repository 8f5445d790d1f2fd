#include "scanner/proc_mountinfo.hpp"

#include <algorithm>

#include "scanner/number.hpp"

namespace reaper::scanner {

namespace {

// Takes everything up to the next separator, and the separator, off the front.
std::string_view take_until(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

// "rw,hidepid=invisible". Since Linux 5.8 the kernel prints words, before that the numbers 1 and 2.
bool has_hidepid(std::string_view options) {
    while (!options.empty()) {
        const std::string_view option = take_until(options, ',');
        if (option.starts_with("hidepid=") && option != "hidepid=0" && option != "hidepid=off") return true;
    }
    return false;
}

struct Mount {
    std::string_view mount_point;
    std::string_view type;
    std::string_view super_options;
};

// "36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/sda rw,errors=continue"
Mount parse_line(std::string_view line) {
    Mount mount;
    for (int i = 0; i < 4; ++i) take_until(line, ' ');
    mount.mount_point = take_until(line, ' ');
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) return mount;
    line.remove_prefix(dash + 3);
    mount.type = take_until(line, ' ');
    take_until(line, ' ');
    mount.super_options = line;
    return mount;
}

}  // namespace

bool is_mounted_with_hidepid(std::string_view mountinfo, std::string_view mount_point) {
    bool hidden = false;
    while (!mountinfo.empty()) {
        const Mount mount = parse_line(take_until(mountinfo, '\n'));
        if (mount.mount_point == mount_point) hidden = mount.type == "proc" && has_hidepid(mount.super_options);
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

}  // namespace reaper::scanner
