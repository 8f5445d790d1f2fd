#include "policy/rules/rules.hpp"

#include <algorithm>

#include "policy/rules/origin_marks.hpp"
#include "policy/rules/run_mark.hpp"

namespace reaper::policy {

namespace {

void add_unique(std::vector<std::string>& words, const std::string& word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

void add_executables(const FamilyRule& rule, std::vector<std::string>& names) {
    for (const Program& program : rule.programs) {
        for (const std::string& name : program.interpreters) add_unique(names, name);
        for (const std::string& name : program.executables) {
            if (name != kAnyExecutable) add_unique(names, name);
        }
    }
}

}  // namespace

FamilyRule default_family(std::string name) {
    FamilyRule rule;
    rule.name = std::move(name);
    rule.proofs = {{"stdin.dead", "stdout.dead"}, {"owner.dead"}};
    for (const Verdict verdict : kVerdicts) {
        if (is_leak(verdict))
            rule.actions[verdict] = is_ended_by_default(verdict) ? Action::reap : Action::report;
    }
    rule.start_up = std::chrono::seconds(180);
    rule.grace = std::chrono::seconds(10);
    rule.grace_cap = std::chrono::minutes(10);
    return rule;
}

// What is proven is ended, whatever it runs: so it needs both ends dead, and no record suffices.
// What a job has left behind is not left to grow old.
void add_leftovers(Rules& rules, const std::vector<std::string>& names, const std::string& home) {
    FamilyRule rule = default_family("leftover");
    rule.origin = "--under";
    rule.under = names;
    rule.home = {{HomeSource::From::fixed, home}};
    rule.proofs = {{"stdin.dead", "stdout.dead"}};
    rule.listens = true;
    rule.start_up = std::chrono::seconds(5);
    rules.families.push_back(std::move(rule));
}

void list_apart(Rules& rules) {
    for (FamilyRule& rule : rules.families) {
        if (rule.enabled || !rule.listed) continue;
        rule.enabled = rule.apart = true;
    }
}

std::vector<std::string> executables_of(const Rules& rules) {
    std::vector<std::string> names;
    for (const FamilyRule& rule : rules.families) {
        if (rule.enabled) add_executables(rule, names);
    }
    return names;
}

std::vector<std::string> executables_apart(const Rules& rules) {
    std::vector<std::string> others;
    for (const FamilyRule& rule : rules.families) {
        if (rule.enabled && !rule.apart) add_executables(rule, others);
    }
    std::vector<std::string> names = executables_of(rules);
    std::erase_if(names, [&](const std::string& name) {
        return std::ranges::find(others, name) != others.end();
    });
    return names;
}

bool takes_leftovers(const Rules& rules) {
    return std::ranges::any_of(rules.families,
                               [](const FamilyRule& rule) { return !rule.under.empty(); });
}

bool takes_any_executable(const Rules& rules) {
    return std::ranges::any_of(rules.families, [](const FamilyRule& rule) {
        return rule.enabled && std::ranges::any_of(rule.programs, [](const Program& program) {
                   return std::ranges::find(program.executables, kAnyExecutable) !=
                          program.executables.end();
               });
    });
}

std::vector<std::string> value_keys_of(const Rules& rules) {
    std::vector<std::string> keys = {"HOME", "HERMES_HOME", "SYSTEMD_EXEC_PID", "HERMES_SPAWN",
                                     std::string(kRunMark)};
    for (const std::string_view key : kTemporaryFolderKeys) add_unique(keys, std::string(key));
    for (const OriginMark& mark : kOriginMarks) {
        if (mark.session) add_unique(keys, std::string(mark.variable));
    }
    for (const FamilyRule& rule : rules.families) {
        for (const HomeSource& source : rule.home) {
            const bool variable = source.from == HomeSource::From::environment ||
                                  source.from == HomeSource::From::environment_parent;
            if (variable) add_unique(keys, source.name);
        }
        for (const OwnerSource& source : rule.owners) {
            if (source.from == OwnerSource::From::environment) add_unique(keys, source.name);
        }
    }
    return keys;
}

std::vector<std::string> marks_of(const Rules& rules) {
    std::vector<std::string> marks;
    for (const OriginMark& mark : kOriginMarks) {
        if (!mark.session) add_unique(marks, std::string(mark.variable));
    }
    for (const FamilyRule& rule : rules.families) {
        if (!rule.daemon_roles.empty()) {
            for (const std::string_view key : kDebuggerKeys) add_unique(marks, std::string(key));
        }
        for (const std::string& mark : rule.several_with) add_unique(marks, mark);
        for (const Program& program : rule.programs) {
            for (const std::string& mark : program.marked_variables) add_unique(marks, mark);
        }
    }
    return marks;
}

std::vector<std::string> environment_keys_of(const Rules& rules) {
    std::vector<std::string> keys = value_keys_of(rules);
    for (const std::string& mark : marks_of(rules))
        add_unique(keys, mark.substr(0, mark.find('=')));
    return keys;
}

}  // namespace reaper::policy
