// Goes on in the place of this process when that is killed. It cannot adopt, as nobody is put between a process and its children, so it
// keeps handles of all who are below this process.
#pragma once

#include <functional>
#include <optional>

#include "agent/kin.hpp"
#include "scanner/fd.hpp"
#include "scanner/process_table.hpp"

namespace reaper::agent {

class Successor {
   public:
    using Work = std::function<void(Kin kin)>;

    // A child that does `work` once this process, which has no threads, was killed. It is none that waitpid(2) tells of without __WALL.
    [[nodiscard]] static std::optional<Successor> appoint(const scanner::Procfs& procfs, Kinship kinship,
                                                          const Work& work);
    // It is not needed any more. Returns when it has ended.
    void dismiss() const;

    [[nodiscard]] scanner::Pid pid() const { return pid_; }

   private:
    Successor(scanner::Pid pid, Fd link) : pid_(pid), link_(std::move(link)) {}

    scanner::Pid pid_;
    Fd link_;
};

}  // namespace reaper::agent
