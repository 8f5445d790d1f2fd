#include "agent/report/diagnosis.hpp"

#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

using scanner::ChildSignal;
using scanner::Diagnosis;
using scanner::TaskLimit;

std::string only_remark(const Diagnosis& diagnosis) {
    const auto remarks = diagnosis_remarks(diagnosis);
    REQUIRE(remarks.size() == 1);
    return remarks.front();
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Of a machine that is well nothing is said") {
    CHECK(diagnosis_remarks({}).empty());
    Diagnosis diagnosis;
    diagnosis.init = {"tail", ChildSignal{}, 0, true};
    diagnosis.cgroup = {79, 100, "/sys/fs/cgroup/a"};
    diagnosis.user = {799, 1000, "pid 80"};
    CHECK(diagnosis_remarks(diagnosis).empty());
}

TEST_CASE("A limit is told of from four fifths on, with what raises it") {
    Diagnosis diagnosis;
    diagnosis.cgroup = {80, 100, "/sys/fs/cgroup/a\n"};
    CHECK(contains(only_remark(diagnosis), "/sys/fs/cgroup/a\\x0a has 80 of at most 100 "));
    CHECK(contains(only_remark(diagnosis), "TasksMax="));
    diagnosis.cgroup = {};
    diagnosis.uid = 1000;
    diagnosis.user = {1200, 1000, "pid 80"};
    CHECK(contains(only_remark(diagnosis), "uid 1000 has 1200 of at most 1000 "));
    CHECK(contains(only_remark(diagnosis), "LimitNPROC="));
    diagnosis.user = {0, 0, "pid 80"};
    CHECK(diagnosis_remarks(diagnosis).size() == 1);
}

TEST_CASE("Where the number or the limit is not known, nothing is near") {
    Diagnosis diagnosis;
    for (const TaskLimit& limit : {TaskLimit{5, {}, "a"}, TaskLimit{{}, 5, "a"}, TaskLimit{}}) {
        diagnosis.cgroup = diagnosis.user = limit;
        CHECK(diagnosis_remarks(diagnosis).empty());
    }
}

TEST_CASE("A process 1 that leaves the dead lying is named, with why and what helps") {
    Diagnosis diagnosis;
    diagnosis.init = {"tail", ChildSignal{}, 1, true};
    CHECK(contains(only_remark(diagnosis), "process 1 (tail) does not collect"));
    CHECK(contains(only_remark(diagnosis), ": 1 process that ended is still there"));
    CHECK(contains(only_remark(diagnosis), "no handler for SIGCHLD"));
    CHECK(contains(only_remark(diagnosis), "docker run --init"));
    diagnosis.init = {"", ChildSignal{.caught = true}, 1000, false};
    CHECK(contains(only_remark(diagnosis), "process 1 does not"));
    CHECK(contains(only_remark(diagnosis), "at least 1000 processes that ended are still"));
    CHECK_FALSE(contains(only_remark(diagnosis), "SIGCHLD"));
    diagnosis.init.child_signal.reset();
    CHECK_FALSE(contains(only_remark(diagnosis), "SIGCHLD"));
}

}  // namespace reaper::agent
