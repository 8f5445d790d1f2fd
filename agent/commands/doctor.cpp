#include "agent/commands/platform.hpp"
#include "agent/doctor/gather.hpp"
#include "agent/doctor/judge.hpp"
#include "agent/doctor/view.hpp"
#include "agent/observe/setup.hpp"
#include "agent/reaping/descriptors.hpp"
#include "agent/system/exit_status.hpp"

namespace reaper::agent {

namespace {

// By the built-in rules where the files are wrong: that is a finding, and no reason to stop. All
// other mistakes are of the command line.
tl::expected<Setup, Message> prepare_in_any_case(const ScopeOptions& options,
                                                 std::string& rules_trouble) {
    auto setup = prepare(options);
    if (setup || setup.error().status != static_cast<int>(ExitStatus::configuration)) return setup;
    const auto files = check_rule_files(options.config);
    rules_trouble = files ? "the rule files could not be read" : files.error();
    return prepare_without_rule_files(options);
}

}  // namespace

tl::expected<DoctorReport, Message> run_doctor(const ScopeOptions& options,
                                               const DoctorOptions& own, Format format,
                                               const RenderOptions& render) {
    raise_descriptor_limit();
    std::string rules_trouble;
    const auto setup = prepare_in_any_case(options, rules_trouble);
    if (!setup) return tl::unexpected(setup.error());
    const Observations seen = gather(*setup, std::move(rules_trouble));
    DoctorView view{seen.version, seen.whose.user, judge_machine(seen), {}, own.strict};
    const bool looked = seen.sight.trouble.empty() && seen.around_trouble.empty();
    view.exit_status = exit_status_of(view.findings, looked, own.strict);
    return DoctorReport{
        format == Format::json ? render_doctor_json(view) : render_doctor(view, render),
        view.exit_status};
}

}  // namespace reaper::agent
