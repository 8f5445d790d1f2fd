// A process table of one's own: directories and files like those of /proc, made from one
// expression, gone with it.
//
//     const ProcTree tree{{.pid = 1}, {.pid = 7, .exe = "/usr/bin/node", .argv = {"node",
//     "a.js"}}}; const auto walked = walk(tree.table(), scope);
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "scanner/process_table.hpp"

namespace reaper::test {

struct FakeProcess {
    scanner::Pid pid = 0;
    scanner::Pid ppid = 1;
    scanner::Pid pgrp = 1;
    scanner::Pid session = 1;
    int tty = 0;
    char state = 'S';
    unsigned flags = 0x400000;
    unsigned long long start_ticks = 1000;
    scanner::Uid uid = 0;  // all four; the directory belongs to it where the test runs as root
    std::string comm = "fake";
    std::optional<std::string> exe{};  // none: no link, like a kernel thread or a zombie
    std::vector<std::string> argv{};
    std::vector<std::string> environment{};
    std::string cgroup = "0::/\n";
    std::string cwd = "/";
    unsigned long long pid_namespace = 4026531836;
    std::map<std::string, std::string> files{};  // written last: replaces the above, or adds to it
};

inline std::string stat_text(const FakeProcess& process) {
    std::string text = std::to_string(process.pid) + " (" + process.comm + ") " + process.state;
    for (const long number : {process.ppid, process.pgrp, process.session, process.tty, -1}) {
        text += " " + std::to_string(number);
    }
    text += " " + std::to_string(process.flags) + " 0 0 0 0 5 6 0 0 20 0 1 0 " +
            std::to_string(process.start_ticks);
    for (int field = 23; field <= 52; ++field) text += " 0";
    return text + "\n";
}

inline std::string status_text(const FakeProcess& process) {
    const std::string pid = std::to_string(process.pid);
    const std::string uid = "\t" + std::to_string(process.uid);
    return "Name:\t" + process.comm + "\nUmask:\t0022\nState:\t" + process.state +
           " (fake)\nTgid:\t" + pid + "\nPid:\t" + pid + "\nPPid:\t" +
           std::to_string(process.ppid) + "\nTracerPid:\t0\nUid:" + uid + uid + uid + uid +
           "\nGid:\t0\t0\t0\t0\nNSpid:\t" + pid + "\nThreads:\t1\n";
}

inline std::string nul_separated(const std::vector<std::string>& entries) {
    std::string bytes;
    for (const std::string& entry : entries) bytes.append(entry).push_back('\0');
    return bytes;
}

class ProcTree {
   public:
    ProcTree(std::initializer_list<FakeProcess> processes) {
        std::string path = (std::filesystem::temp_directory_path() / "proc_tree.XXXXXX").string();
        if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make " + path);
        root_ = path;
        for (const FakeProcess& process : processes) add(process);
    }
    ProcTree(const ProcTree&) = delete;
    ProcTree& operator=(const ProcTree&) = delete;
    ~ProcTree() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }

    [[nodiscard]] const std::filesystem::path& root() const { return root_; }
    [[nodiscard]] scanner::ProcessTable table() const {
        return scanner::ProcessTable::open(root_.string()).value();
    }

    void add(const FakeProcess& process) const {
        const std::string pid = std::to_string(process.pid);
        write(pid + "/stat", stat_text(process));
        write(pid + "/status", status_text(process));
        write(pid + "/cmdline", nul_separated(process.argv));
        write(pid + "/environ", nul_separated(process.environment));
        write(pid + "/cgroup", process.cgroup);
        if (process.exe) link(pid + "/exe", *process.exe);
        link(pid + "/cwd", process.cwd);
        link(pid + "/ns/pid", "pid:[" + std::to_string(process.pid_namespace) + "]");
        for (const auto& [name, bytes] : process.files) write(pid + "/" + name, bytes);
        const auto owner = ::geteuid() == 0 ? process.uid : ::geteuid();
        if (::chown((root_ / pid).c_str(), owner, ::getegid()) != 0)
            throw std::runtime_error("cannot own " + pid);
    }

    void write(const std::string& path, const std::string& bytes) const {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path, std::ios::binary) << bytes;
    }

    void link(const std::string& path, const std::string& target) const {
        std::filesystem::create_directories((root_ / path).parent_path());
        std::filesystem::create_symlink(target, root_ / path);
    }

   private:
    std::filesystem::path root_;
};

}  // namespace reaper::test
