// A cgroup (version 2) that belongs to one `run` alone: no process leaves it by setsid or a second
// fork, and all of it can be killed at once.
#pragma once

#include <string>
#include <vector>

#include "scanner/fd.hpp"
#include "scanner/model/result.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

class OwnCgroup {
   public:
    // Makes one below that of this process. Fails where there is no such hierarchy, this user may
    // make none (only root and users with a delegated one may), or the kernel has no
    // cgroup.kill (before 5.14).
    [[nodiscard]] static Result<OwnCgroup> make(const scanner::ProcessTable& table);

    [[nodiscard]] int folder() const { return folder_.get(); }
    [[nodiscard]] const std::string& path() const { return path_; }

    // Removes it and what is below it. Waits a second for processes in it that end just now; stays
    // where one goes on.
    void remove() const;

   private:
    OwnCgroup(std::string path, Fd folder) : path_(std::move(path)), folder_(std::move(folder)) {}

    std::string path_;
    Fd folder_;
};

// Removes the cgroups that a `run` left behind when both of its processes were killed, and returns
// their paths: empty ones that are named after an owner that is dead. Those of another pid
// namespace stay, as this one cannot tell.
std::vector<std::string> remove_leftover_cgroups(const scanner::ProcessTable& table);

}  // namespace reaper::agent
