#include "scanner/service_managers.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "scanner/linux/units.hpp"
#include "scanner/parse/proc_cgroup.hpp"

namespace reaper::scanner {

namespace {

constexpr std::chrono::seconds kAnswerTimeout{1};

bool is_missing(const char* path) {
    return ::access(path, F_OK) != 0 && errno == ENOENT;
}

// True if no manager runs: process 1 is not systemd, which always has that name as pid 1, and there
// are no folders of a manager. A row that cannot be read may be that of systemd.
bool no_manager_runs(const Reading<ProcessRow>& init, bool for_user) {
    if (!init.ok() || init.value.comm == "systemd" || !is_missing("/run/systemd/system"))
        return false;
    return !for_user || is_missing("/run/user");
}

// Its own cgroup is <root>/init.scope. In a container that shows the paths of the outer machine,
// the root is not "/".
std::string root_of_manager(const Reading<ProcessRow>& init) {
    constexpr std::string_view kScope = "/init.scope";
    if (!init.ok() || !init.value.cgroup.ok() || !init.value.cgroup.value.ends_with(kScope))
        return {};
    return init.value.cgroup.value.substr(0, init.value.cgroup.value.size() - kScope.size());
}

// False: the manager of another user, or one that runs inside of a unit, cannot be asked.
bool can_ask(const ServiceUnit& unit, const std::string& cgroup, const std::string& root) {
    if (!unit.of_user_manager) return lies_in_slices(cgroup, root);
    const std::string own_manager = "/user@" + std::to_string(::geteuid()) + ".service";
    const std::size_t place = cgroup.rfind(own_manager + "/");
    return place != std::string::npos &&
           lies_in_slices(cgroup, cgroup.substr(0, place + own_manager.size()));
}

UnitQuestion question_about(const ProcessFacts& process) {
    const ServiceUnit& unit = process.unit.value;
    return {unit.name, unit.of_user_manager, process.row.cgroup.value};
}

class Questions {
   public:
    explicit Questions(const ProcessTable& table) {
        auto row = read_row(table, 1);
        init_ = row ? Reading<ProcessRow>::of(std::move(*row))
                    : Reading<ProcessRow>::failed(Access::denied);
    }

    void add(const ProcessFacts& process) {
        const ServiceUnit& unit = process.unit.value;
        const std::string& cgroup = process.row.cgroup.value;
        if (find(process) == nullptr && can_ask(unit, cgroup, root_of_manager(init_)))
            questions_.push_back(question_about(process));
    }
    void ask(std::chrono::steady_clock::time_point deadline) {
        if (!questions_.empty()) ask_units(questions_, deadline);
    }
    void answer(ProcessFacts& process) {
        ServiceUnit& unit = process.unit.value;
        unit.asked = true;
        if (const UnitQuestion* question = find(process)) {
            unit.main_pid = question->main_pid;
            unit.control_pid = question->control_pid;
        }
        if (!unit.main_pid && unit.control_pid == 0 && no_manager_runs(init_, unit.of_user_manager))
            unit.main_pid = 0;
    }

   private:
    [[nodiscard]] const UnitQuestion* find(const ProcessFacts& process) const {
        const UnitQuestion wanted = question_about(process);
        const auto found = std::ranges::find_if(questions_, [&](const UnitQuestion& question) {
            return question.unit == wanted.unit &&
                   question.of_user_manager == wanted.of_user_manager &&
                   question.cgroup == wanted.cgroup;
        });
        return found == questions_.end() ? nullptr : &*found;
    }

    Reading<ProcessRow> init_;
    std::vector<UnitQuestion> questions_;
};

}  // namespace

bool needs_manager_answer(const ProcessFacts& process) {
    const Reading<ServiceUnit>& unit = process.unit;
    return unit.ok() && unit.value.name.ends_with(".service") && !unit.value.asked;
}

bool ask_service_managers(const ProcessTable& table, std::span<ProcessFacts* const> processes) {
    std::vector<ProcessFacts*> awaiting;
    std::ranges::copy_if(processes, std::back_inserter(awaiting), [](const ProcessFacts* process) {
        return needs_manager_answer(*process);
    });
    if (awaiting.empty()) return true;
    const auto deadline = std::chrono::steady_clock::now() + kAnswerTimeout;
    Questions questions(table);
    for (const ProcessFacts* process : awaiting) questions.add(*process);
    questions.ask(deadline);
    for (ProcessFacts* process : awaiting) questions.answer(*process);
    return std::chrono::steady_clock::now() < deadline;
}

bool can_ask_service_managers() {
    return can_ask_units();
}

}  // namespace reaper::scanner
