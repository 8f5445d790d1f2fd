#include "agent/agent_main.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "agent/cli/cli.hpp"
#include "agent/commands/commands.hpp"
#include "agent/commands/platform.hpp"
#include "agent/reading/bounded_reader.hpp"
#include "agent/report/output.hpp"
#include "agent/system/text_file.hpp"
#include "policy/text/escape.hpp"

namespace reaper::agent {

namespace {

// No file that is opened later may become stdout or stderr: a closed one is replaced by something
// that refuses to be written.
void occupy_standard_descriptors() {
    int fd = -1;
    do {
        fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) ::close(fd);
}

int say(const Message& message) {
    const int stream = message.status == 0 ? STDOUT_FILENO : STDERR_FILENO;
    const auto told = write_all(stream, message.text, "the answer");
    if (told || stream == STDERR_FILENO) return message.status;
    std::fprintf(stderr, "orphan-reaper: %s\n", describe(told.error()).c_str());
    return static_cast<int>(ExitStatus::incomplete);
}

int fail(const Error& error, std::string_view more = {}) {
    if (error.code == std::errc::interrupted)
        return say({"orphan-reaper: interrupted\n", static_cast<int>(ExitStatus::interrupted)});
    return say({fmt::format("orphan-reaper: {}\n{}", policy::escape(describe(error), 2000), more),
                static_cast<int>(ExitStatus::incomplete)});
}

// Says after a failure that the command of `preflight -- COMMAND` was not started.
std::string_view held_back(const Options& options) {
    const bool waits = options.command == Command::preflight && !options.when_ready.empty();
    return waits ? "the command was not started\n" : "";
}

Result<Report> run(const Options& options, const Setup& setup) {
    return options.from_facts.empty() ? run_on_this_machine(options, setup)
                                      : run_replay(options, options, setup);
}

int print(const Result<std::string>& text, Output& output) {
    if (!text) return fail(text.error());
    const auto written = output.write(*text);
    return written ? static_cast<int>(ExitStatus::clean) : fail(written.error());
}

int print_history(const Options& options) {
    auto output = Output::open(options);
    return output ? print(run_history(options, options.format, render_options(options)), *output)
                  : fail(output.error());
}

int print_doctor(const Options& options) {
    auto output = Output::open(options);
    if (!output) return fail(output.error());
    const auto report = run_doctor(options, options, options.format, render_options(options));
    if (!report) return say(report.error());
    const auto written = output->write(report->text);
    return written ? static_cast<int>(report->exit_status) : fail(written.error());
}

int print_schedule(const Options& options) {
    auto output = Output::open(options);
    if (!output) return fail(output.error());
    const auto answer = run_schedule(options);
    if (!answer) return say(answer.error());
    const auto written = output->write(answer->text);
    return written ? answer->status : fail(written.error());
}

int print_merge(const Options& options) {
    auto output = Output::open(options);
    if (!output) return fail(output.error());
    const auto merged = run_merge(options, options.format, render_options(options));
    const auto written = output->write(merged.text);
    return written ? static_cast<int>(merged.exit_status) : fail(written.error());
}

// The plan and the question go to the terminal; stdout is for what was done.
bool ask_on_terminal(const std::string& plan) {
    std::ignore = write_all(STDERR_FILENO, plan + "change this? [y/N] ", "the question");
    std::string answer;
    char letter = 0;
    while (answer.size() < 8 && ::read(STDIN_FILENO, &letter, 1) == 1 && letter != '\n')
        answer += letter;
    return answer == "y" || answer == "Y" || answer == "yes";
}

int print_hooks(const Options& options) {
    auto output = Output::open(options);
    if (!output) return fail(output.error());
    const bool can_ask = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
    const auto answer = run_hooks(options, can_ask ? AskPerson(ask_on_terminal) : AskPerson());
    if (!answer) return say(answer.error());
    const auto written = output->write(answer->text);
    return written ? answer->status : fail(written.error());
}

int execute(const Options& options);

// In the copy that sweeps, which ends without destructors.
int sweep_detached(const Options& options) {
    const int status = execute(options);
    BoundedReader::of_program().collect();
    let_journal_read();
    return status;
}

int execute(const Options& options) {
    const auto begin = std::chrono::steady_clock::now();
    if (options.command == Command::history) return print_history(options);
    if (options.command == Command::doctor) return print_doctor(options);
    if (options.command == Command::schedule) return print_schedule(options);
    if (options.command == Command::merge) return print_merge(options);
    if (options.command == Command::hooks) return print_hooks(options);
    if (options.command == Command::run) {
        const auto status = run_helper(options, options, options.verbose);
        return status ? *status : say(status.error());
    }
    if (options.command == Command::mcp) {
        const auto status = run_mcp(options);
        return status ? *status : say(status.error());
    }
    if (options.detach) {
        const auto status = run_detached(options, sweep_detached);
        return status ? *status : say(status.error());
    }
    auto setup = prepare(options);
    if (!setup) {
        note_unstarted(options, setup.error().status);
        return say(setup.error());
    }
    if (options.command == Command::watch) {
        const auto status = run_watch(options, std::move(*setup));
        return status ? *status : say(status.error());
    }
    auto output = Output::open(options);
    if (!output) return fail(output.error(), held_back(options));
    if (options.command == Command::rules)
        return print(run_rules(options, *setup, render_options(options)), *output);
    const auto show = [&](Report report) {
        const std::chrono::duration<double, std::milli> elapsed =
            std::chrono::steady_clock::now() - begin;
        report.elapsed_ms = elapsed.count();
        conclude(report);
        note_and_total(options, report);
        const auto written = output->write(report);
        return written ? static_cast<int>(report.exit_status)
                       : fail(written.error(), held_back(options));
    };
    if (options.command == Command::preflight) {
        const auto status = run_preflight(options, options, *setup, show);
        return status ? *status : fail(status.error(), held_back(options));
    }
    auto report = run(options, *setup);
    return report ? show(*std::move(report)) : fail(report.error());
}

// Not by ignoring it, as a program that is started here would inherit that: exec(3) takes back a
// handler, and leaves what the caller had ignored.
void survive(int signal) {
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
}

int answer(std::span<const char* const> words) {
    try {
        const auto parsed = parse(words);
        if (const auto* message = std::get_if<Message>(&parsed)) return say(*message);
        return execute(std::get<Options>(parsed));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "orphan-reaper: %s\n", error.what());
        return static_cast<int>(ExitStatus::incomplete);
    }
}

}  // namespace

int agent_main(int argc, char** argv) {
    // A reader of the report that goes away is an error of writing, not the end of a sweep half
    // done.
    survive(SIGPIPE);
    // So is a file that grows beyond `ulimit -f`.
    survive(SIGXFSZ);
    occupy_standard_descriptors();
    BoundedReader::of_program().begin();
    const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
    const int status = answer(words.subspan(argc > 0 ? 1 : 0));
    let_journal_read();
    return status;
}

}  // namespace reaper::agent
