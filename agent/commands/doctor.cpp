#include <chrono>
#include <string_view>

#include "agent/cli/version.hpp"
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

std::string render(const DoctorView& view, Format format, const RenderOptions& options,
                   const Run& run) {
    if (format == Format::json) return render_doctor_json(view);
    if (format == Format::prometheus) return render_doctor_prometheus(view, run);
    return render_doctor(view, options);
}

}  // namespace

tl::expected<DoctorReport, Message> run_doctor(const ScopeOptions& options,
                                               const DoctorOptions& own, Format format,
                                               const RenderOptions& options_of_text) {
    const auto begin = std::chrono::system_clock::now();
    raise_descriptor_limit();
    std::string rules_trouble;
    const auto setup = prepare_in_any_case(options, rules_trouble);
    if (!setup) return tl::unexpected(setup.error());
    const Observations seen = gather(*setup, std::move(rules_trouble));
    DoctorView view{seen.version, seen.whose.user, judge_machine(seen), {}, own.strict};
    const bool looked = seen.sight.trouble.empty() && seen.around_trouble.empty();
    view.exit_status = exit_status_of(view.findings, looked, own.strict);
    view.commit = commit();
    const std::chrono::duration<double, std::milli> took = std::chrono::system_clock::now() - begin;
    const std::chrono::duration<double> at = begin.time_since_epoch();
    const Run run{"doctor", at.count(), took.count(), view.exit_status, {}};
    return DoctorReport{render(view, format, options_of_text, run), view.exit_status};
}

}  // namespace reaper::agent
