// Which processes of a tree get TERM only when what is below them has ended.
#include "agent/run/launchers.hpp"

#include "tests/support/catch.hpp"

namespace reaper::agent {

namespace {

using scanner::Pid;
using scanner::ProcessRow;
using Words = std::vector<std::string>;

const std::string kTsx = "/x/node_modules/tsx/dist/cli.mjs";

class Tree {
   public:
    void add(Pid pid, Pid parent, const std::string& exe, const Words& argv) {
        ProcessView view;
        view.stat.ppid = parent;
        processes_.emplace(pid, view);
        ProcessRow row;
        row.pid = pid;
        row.exe = scanner::Reading<std::string>::of(exe);
        row.command_line = scanner::Reading<scanner::CommandLine>::of({argv});
        rows_.push_back(row);
    }
    void add_run(Pid pid, Pid parent) {
        add(pid, parent, "/usr/bin/orphan-reaper", {"orphan-reaper", "run", "--", "x"});
        processes_.at(pid).run = true;
    }
    [[nodiscard]] const ProcessSet& processes() const { return processes_; }
    [[nodiscard]] Descendants launchers() const {
        return find_launchers(processes_, rows_, launcher_rules());
    }

   private:
    ProcessSet processes_;
    std::vector<ProcessRow> rows_;
};

}  // namespace

TEST_CASE("a launcher waits for all that is below it, and nothing else waits") {
    Tree tree;
    tree.add(10, 1, "/usr/bin/node", {"node", kTsx, "bridge.cts", "--agent=hermes"});
    tree.add(11, 10, "/usr/bin/node", {"node", "bridge.cts", "--agent=hermes"});
    tree.add(12, 11, "/x/esbuild", {"esbuild", "--service"});
    tree.add(13, 1, "/bin/sh", {"sh", "-c", "sleep 1"});
    tree.add(14, 13, "/bin/sleep", {"sleep", "1"});
    CHECK(tree.launchers() == Descendants{{10, {11, 12}}});
    CHECK(find_parents(tree.processes()) == std::vector<Pid>{10, 11, 13});
}

TEST_CASE("what runs a launcher in its own place waits, too, and its host does not") {
    Tree tree;
    tree.add(9, 1, "/usr/bin/python3", {"python3", "app.py"});
    tree.add(10, 9, "/usr/bin/node", {"npm exec tsx bridge.cts"});
    tree.add(11, 10, "/bin/sh", {"sh", "-c", "tsx bridge.cts"});
    tree.add(12, 11, "/usr/bin/node", {"node", "/x/.bin/tsx", "bridge.cts"});
    tree.add(13, 12, "/usr/bin/node", {"node", "bridge.cts"});
    CHECK(tree.launchers() == Descendants{{10, {11, 12, 13}}, {11, {12, 13}}, {12, {13}}});
}

TEST_CASE("a launcher does not wait for another run, which waits for it") {
    Tree tree;
    tree.add(10, 1, "/usr/bin/node", {"node", kTsx, "x.ts"});
    tree.add_run(11, 10);
    tree.add(12, 11, "/bin/sleep", {"sleep", "1"});
    CHECK(find_parents(tree.processes()) == std::vector<Pid>{11});
    CHECK(tree.launchers() == Descendants{{10, {}}});
}

TEST_CASE("parents that form a ring do not hold up the search") {
    Tree tree;
    tree.add(10, 11, "/usr/bin/node", {"node", kTsx, "x.ts"});
    tree.add(11, 10, "/usr/bin/node", {"node", kTsx, "x.ts"});
    CHECK(tree.launchers().size() == 2);
}

TEST_CASE("only node runs a launcher, as its script") {
    for (const auto& [exe, argv] :
         std::vector<std::pair<std::string, Words>>{{"/usr/bin/vim", {"vim", kTsx}},
                                                    {"/usr/bin/node", {"node", "/x/not-tsx"}},
                                                    {"/usr/bin/node", {"node", "x.js", kTsx}},
                                                    {"/usr/bin/node", {"node"}},
                                                    {"/usr/bin/node", {}}}) {
        Tree tree;
        tree.add(10, 1, exe, argv);
        CHECK(tree.launchers().empty());
    }
}

TEST_CASE("what cannot be looked at is known as it was started") {
    const auto is_launcher = [](const Words& argv) {
        ProcessSet processes;
        processes.emplace(10, ProcessView{});
        const auto rules = launcher_rules();
        return !find_launchers(processes, {started_row(10, argv, rules)}, rules).empty();
    };
    CHECK(is_launcher({"/usr/bin/node", kTsx, "x.ts"}));
    CHECK(is_launcher({"npx", "tsx", "x.ts"}));
    CHECK(is_launcher({"/x/.bin/tsx", "x.ts"}));
    CHECK_FALSE(is_launcher({"node", "bridge.cjs", "--agent=hermes"}));
    CHECK_FALSE(is_launcher({"/bin/sh", "-c", "tsx x.ts"}));
    CHECK_FALSE(is_launcher({}));
}

}  // namespace reaper::agent
