// A cgroup (version 2) that belongs to one `run` alone: nobody leaves it by setsid or a second fork, and all of it can be killed at once.
#pragma once

#include <string>

#include "scanner/fd.hpp"
#include "scanner/process_table.hpp"
#include "scanner/result.hpp"

namespace reaper::agent {

class OwnCgroup {
   public:
    // Below the one that this process is in. Fails where there is no such hierarchy, this user may make none (only root, and whom
    // systemd delegated one to, may), or the kernel has no cgroup.kill (before 5.14).
    [[nodiscard]] static Result<OwnCgroup> make(const scanner::Procfs& procfs);

    [[nodiscard]] int folder() const { return folder_.get(); }
    [[nodiscard]] const std::string& path() const { return path_; }

    // With what is below it. Waits a second for those in it who end just now; where anybody goes on, it stays.
    void remove() const;

   private:
    OwnCgroup(std::string path, Fd folder) : path_(std::move(path)), folder_(std::move(folder)) {}

    std::string path_;
    Fd folder_;
};

}  // namespace reaper::agent
