#include "policy/interpreter_options.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace reaper::policy {

namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kPythonWithValue[] = {"-W", "-X", "--check-hash-based-pycs"};
constexpr std::string_view kPythonWithoutValue[] = {"-u", "-B", "-E", "-I", "-O", "-P", "-R", "-S",
                                                    "-b", "-d", "-i", "-q", "-s", "-v", "-x"};
constexpr std::string_view kPythonWithoutScript[] = {"-c", "-m"};

constexpr std::string_view kNodeWithValue[] = {"-r",
                                               "--require",
                                               "--import",
                                               "--loader",
                                               "--experimental-loader",
                                               "-C",
                                               "--conditions",
                                               "--env-file",
                                               "--title",
                                               "--icu-data-dir",
                                               "--openssl-config",
                                               "--stack-trace-limit",
                                               "--unhandled-rejections",
                                               "--disable-warning",
                                               "--diagnostic-dir",
                                               "--inspect-port",
                                               "--debug-port",
                                               "--dns-result-order",
                                               "--redirect-warnings",
                                               "--trace-event-file-pattern",
                                               "--watch-path",
                                               "--cpu-prof-name",
                                               "--cpu-prof-dir",
                                               "--heap-prof-dir",
                                               "--heap-prof-name",
                                               "--report-dir",
                                               "--report-directory",
                                               "--report-filename",
                                               "--tsconfig"};
constexpr std::string_view kNodeWithoutValue[] = {"--expose-gc",
                                                  "--expose_gc",
                                                  "--no-*",
                                                  "--inspect",
                                                  "--inspect-brk",
                                                  "--inspect-wait",
                                                  "--enable-source-maps",
                                                  "--preserve-symlinks",
                                                  "--preserve-symlinks-main",
                                                  "--experimental-strip-types",
                                                  "--experimental-fetch",
                                                  "--experimental-wasm-modules",
                                                  "--experimental-vm-modules",
                                                  "--experimental-sqlite",
                                                  "--experimental-require-module",
                                                  "--experimental-detect-module",
                                                  "--experimental-transform-types",
                                                  "--trace-warnings",
                                                  "--trace-deprecation",
                                                  "--trace-uncaught",
                                                  "--trace-exit",
                                                  "--trace-sigint",
                                                  "--track-heap-objects",
                                                  "--jitless",
                                                  "--optimize-for-size",
                                                  "--insecure-http-parser",
                                                  "--throw-deprecation",
                                                  "--pending-deprecation",
                                                  "--abort-on-uncaught-exception",
                                                  "--use-openssl-ca",
                                                  "--use-bundled-ca",
                                                  "--use-system-ca",
                                                  "--harmony",
                                                  "--prof",
                                                  "--smol",
                                                  "-y",
                                                  "--yes",
                                                  "-q",
                                                  "--quiet"};
constexpr std::string_view kNodeWithoutScript[] = {
    "-e",     "--eval", "-p", "--print", "-pe", "-c",       "--check", "-i", "--interactive",
    "--test", "--run",  "-h", "--help",  "-v",  "--version"};

InterpreterOptions listed(Words with_value, Words without_value, Words without_script) {
    return {{with_value.begin(), with_value.end()},
            {without_value.begin(), without_value.end()},
            {without_script.begin(), without_script.end()}};
}

bool has(const Program& program, std::string_view interpreter) {
    const auto& names = program.interpreters;
    return std::find(names.begin(), names.end(), interpreter) != names.end();
}

}  // namespace

const InterpreterOptions& options_of(const Program& program) {
    static const InterpreterOptions none;
    static const InterpreterOptions python = listed(kPythonWithValue, kPythonWithoutValue, kPythonWithoutScript);
    static const InterpreterOptions node = listed(kNodeWithValue, kNodeWithoutValue, kNodeWithoutScript);
    if (program.options != none) return program.options;
    if (has(program, "python")) return python;
    return has(program, "node") || has(program, "nodejs") || has(program, "bun") ? node : none;
}

}  // namespace reaper::policy
