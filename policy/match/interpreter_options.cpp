#include "policy/match/interpreter_options.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "scanner/parse/interpreter.hpp"

namespace reaper::policy {

namespace {

// From 2.7 to 3.14 (--help-all), and from PyPy.
constexpr std::string_view kPythonWithValue = "-W -X -Q --check-hash-based-pycs --jit";
constexpr std::string_view kPythonAlone =
    "-3 -b -B -d -E -i -I -J -O -P -q -R -s -S -t -u -U -v -x";
constexpr std::string_view kPythonWithoutScript =
    "-c -m -h -? -V --help --help-all --help-env --help-xoptions --info --version";

// From 18 to 26, as in internalBinding('options'). Options with a value are listed if any version
// has them: if a version lacks one, it is not known what that takes.
// --experimental-specifier-resolution and --experimental-default-config-file are left out, as
// versions differ; so is --stack-trace-limit, which never takes the next word.
constexpr std::string_view kNodeWithValue =
    "-r -C --allow-fs-read --allow-fs-write --bench-isolation --bench-name-pattern "
    "--bench-reporter "
    "--bench-reporter-destination --bench-samples --bench-warmup --build-snapshot-config "
    "--conditions --cpu-prof-dir "
    "--cpu-prof-interval --cpu-prof-name --debug-port --diagnostic-dir --disable-proto "
    "--disable-warning "
    "--dns-result-order --env-file --env-file-if-exists --experimental-config-file "
    "--experimental-default-type "
    "--experimental-loader --experimental-package-map --experimental-policy "
    "--experimental-test-isolation "
    "--experimental-test-tag-filter --heap-prof-dir --heap-prof-interval --heap-prof-name "
    "--heapsnapshot-near-heap-limit --heapsnapshot-signal --icu-data-dir --import --input-type "
    "--inspect-port "
    "--inspect-publish-uid --loader --localstorage-file --max-http-header-size "
    "--max-old-space-size-percentage "
    "--network-family-autoselection-attempt-timeout --openssl-config --policy-integrity "
    "--redirect-warnings "
    "--report-dir --report-directory --report-filename --report-signal --require --secure-heap "
    "--secure-heap-min "
    "--security-revert --security-reverts --snapshot-blob --test-concurrency "
    "--test-coverage-branches --test-coverage-exclude --test-coverage-functions "
    "--test-coverage-include "
    "--test-coverage-lines --test-global-setup --test-isolation --test-name-pattern "
    "--test-random-seed "
    "--test-reporter --test-reporter-destination --test-rerun-failures --test-shard "
    "--test-skip-pattern "
    "--test-timeout --title --tls-cipher-list --tls-keylog --trace-event-categories "
    "--trace-event-file-pattern "
    "--trace-require-module --unhandled-rejections --use-largepages --v8-pool-size "
    "--watch-kill-signal --watch-path";
constexpr std::string_view kNodeAlone =
    "--addons --allow-addons --allow-child-process --allow-ffi --allow-fs-vfs --allow-inspector "
    "--allow-net "
    "--allow-openssl-store --allow-wasi --allow-worker --async-context-frame --cpu-prof --debug "
    "--debug-arraybuffer-allocations --debug-brk --deprecation --entry-url "
    "--experimental-abortcontroller "
    "--experimental-addon-modules --experimental-async-context-frame --experimental-bench "
    "--experimental-detect-module --experimental-dtls --experimental-eventsource "
    "--experimental-fetch "
    "--experimental-ffi --experimental-global-customevent --experimental-global-navigator "
    "--experimental-global-webcrypto --experimental-import-meta-resolve --experimental-import-text "
    "--experimental-inspector-network-resource --experimental-json-modules --experimental-modules "
    "--experimental-network-imports --experimental-network-inspection --experimental-permission "
    "--experimental-print-required-tla --experimental-quic --experimental-repl-await "
    "--experimental-report "
    "--experimental-require-module --experimental-shadow-realm --experimental-sqlite "
    "--experimental-storage-inspection --experimental-stream-iter --experimental-strip-types "
    "--experimental-test-coverage --experimental-test-module-mocks --experimental-test-snapshots "
    "--experimental-top-level-await --experimental-transform-types --experimental-vfs "
    "--experimental-vm-modules "
    "--experimental-wasi-unstable-preview1 --experimental-web-worker --experimental-websocket "
    "--experimental-webstorage --experimental-worker --experimental-worker-inspection "
    "--extra-info-on-fatal-exception "
    "--frozen-intrinsics --global-search-paths --heap-prof --http-parser --insecure-http-parser "
    "--inspect "
    "--inspect-brk --inspect-brk-node --inspect-wait --napi-modules --network-family-autoselection "
    "--node-memory-debug --node-snapshot --openssl-legacy-provider --openssl-shared-config "
    "--pending-deprecation "
    "--permission --permission-audit --preserve-symlinks --preserve-symlinks-main --report-compact "
    "--report-exclude-env --report-exclude-network --report-on-fatalerror --report-on-signal "
    "--report-uncaught-exception --require-module --strip-types --test-coverage-include-all "
    "--test-force-exit "
    "--test-only --test-randomize --test-udp-no-try-send --test-update-snapshots "
    "--throw-deprecation --tls-max-v1.2 "
    "--tls-max-v1.3 --tls-min-v1.0 --tls-min-v1.1 --tls-min-v1.2 --tls-min-v1.3 "
    "--update-assert-snapshot --warnings "
    "--watch --watch-preserve-output --webstorage --worker-snapshot --zero-fill-buffers";
// node passes every option that it does not know to V8, and never the word after it (--v8-options
// of 18 to 26).
constexpr std::string_view kV8Kinds =
    "--abort-* --allocation-* --always-* --baseline-* --builtins-* --bytecode-* --cache-* "
    "--clear-* --code-* "
    "--compact-* --compaction-* --concurrent-* --cppgc-* --cppheap-* --deopt-* --detailed-* "
    "--direct-* --disable-* "
    "--disallow-* --dump-* --efficiency-* --embedded-* --enable-* --experimental-wasm-* --expose-* "
    "--external-* "
    "--fast-* --fixed-* --flush-* --force-* --function-* --fuzzer-* --fuzzing-* --gc-* --gdbjit-* "
    "--harmony-* "
    "--high-* --ignition-* --incremental-* --ineffective-* --initial-* --inline-* --interrupt-* "
    "--invocation-* --js-* "
    "--lazy-* --liftoff-* --log-* --logfile-* --maglev-* --managed-* --max-* --memory-* --min-* "
    "--minimum-* --minor-* "
    "--mock-* --move-* --optimize-* --osr-* --page-* --parallel-* --perf-* --predictable-* "
    "--prepare-* --print-* "
    "--prof-* --profile-* --proto-* --random-* --rcs-* --regexp-* --reset-* --sandbox-* "
    "--scavenge-* --scavenger-* "
    "--script-* --shared-* --single-* --slow-* --sparkplug-* --stack-* --startup-* --stress-* "
    "--switch-* --target-* "
    "--testing-* --trace-* --track-* --trim-* --turbo-* --turbofan-* --turbolev-* --turboshaft-* "
    "--use-* --verify-* "
    "--wasm-* --write-*";
constexpr std::string_view kV8Alone =
    "--additive-safe-int-feedback --adjust-os-scheduling-parameters "
    "--allow-allocation-in-fast-api-call "
    "--allow-natives-for-differential-fuzzing --allow-natives-syntax "
    "--allow-overwriting-for-next-flag "
    "--allow-unsafe-function-constructor --analyze-environment-liveness --arm-arch "
    "--asm-wasm-lazy-compilation "
    "--assert-types --async-stack-traces --battery-saver-mode --better-code-range-allocation "
    "--black-allocated-pages "
    "--builtin-subclassing --cet-compatible --check-handle-count "
    "--clone-object-sidestep-transitions --compact "
    "--compilation-cache --compile-hints-magic --conservative-stack-scanning --const-tracking-let "
    "--correctness-fuzzer-suppressions --cpu-profiler-sampling-interval "
    "--crash-on-aborted-evacuation "
    "--csa-trap-on-node --debug-code --decommit-pooled-pages --deduplicate-heap-number-requests "
    "--default-to-experimental-regexp-engine --detect-ineffective-gcs-near-heap-limit "
    "--dict-property-const-tracking "
    "--double-string-cache-size --embedder-instance-types --empty-context-extension-dep "
    "--ephemeron-fixpoint-iterations --etw-trace-debug --exit-on-contradictory-flags "
    "--experimental "
    "--experimental-async-stack-tagging-api --experimental-embedder-instance-types "
    "--experimental-flush-embedded-blob-icache --experimental-fuzzing "
    "--experimental-regexp-engine-capture-group-opt "
    "--experimental-regexp-engine-capture-group-opt-max-memory-usage "
    "--experimental-report-exceptions-from-callbacks "
    "--experimental-stack-trace-frames --experimental-value-unavailable "
    "--experimental-web-snapshots "
    "--extensible-ro-snapshot --feedback-normalization --for-of-optimization "
    "--freeze-flags-after-init --future "
    "--fuzzing --gdbjit --global-gc-scheduling --global-ic-updated-flag "
    "--handle-weak-ref-weakly-in-minor-gc "
    "--hard-abort --harmony --hash-seed --heap-growing-percent --heap-profiler-show-hidden-objects "
    "--heap-profiler-trace-objects --heap-profiler-use-embedder-graph --heap-snapshot-on-gc "
    "--heap-snapshot-on-oom "
    "--heap-snapshot-path --heap-snapshot-string-limit --histogram-interval --hole-fuzzing "
    "--huge-max-old-generation-size --icu-british-remove-full-weekday-comma "
    "--icu-datetime-compat-lang "
    "--icu-default-italian-number-grouping-always --icu-timezone-data "
    "--idle-gc-on-context-disposal "
    "--inspector-live-edit --intel-jcc-erratum-mitigation --internalize-on-the-fly "
    "--interpreted-frames-native-stack "
    "--is-standalone-d8-shell --isolate-script-cache-ageing --jit-fuzzing --jitless "
    "--json-stringify-fast-path "
    "--large-page-pool --late-heap-limit-check --lazy --liftoff --lite-mode --ll-prof "
    "--local-off-stack-check --log "
    "--logfile --maglev --manual-evacuation-candidates-selection --map-counters --mcpu "
    "--mega-dom-ic "
    "--merge-background-deserialized-script-with-compilation-cache --multi-mapped-mock-allocator "
    "--native-code-counters --new-old-generation-heap-size --omit-default-ctors --opt --parse-only "
    "--parser-ablation-amount --partial-constant-pool --perfetto-code-logger "
    "--polymorphic-inlining "
    "--precise-object-pinning --preconfigured-old-space-size --predictable "
    "--preparser-ablation-amount --prof "
    "--randomize-all-allocations --rcs --reclaim-unmodified-wrappers --redirect-code-traces "
    "--redirect-code-traces-to "
    "--rehash-snapshot --reopt-after-lazy-deopts --reorder-builtins "
    "--reserve-inline-budget-scale-factor "
    "--resize-large-object --retain-maps-for-n-gc --reuse-scope-infos --runtime-call-stats "
    "--safepoint-bump-qos-class "
    "--sampling-heap-profiler-suppress-randomness --semi-space-growth-factor --separate-gc-phases "
    "--serialization-statistics --short-builtin-calls --shortcut-strings-with-stack "
    "--sim-arm64-optional-features "
    "--simulator-debugger --smi-string-cache-size --soft-abort --sparkplug "
    "--specialize-code-for-one-byte-seq-strings "
    "--static-roots-src --sticky-mark-bits --strict-termination-checks --string-slices --super-ic "
    "--suppress-asm-messages --test-only-unsafe --test-small-max-function-context-stub-size "
    "--text-is-readable "
    "--ticks-before-optimization --trace --transition-strings-during-gc-with-stack --trap-on-abort "
    "--turbofan "
    "--turbolev --turboshaft --typed-array-length-loading --unbox-double-arrays --unmap-holes "
    "--update-allocation-limits-after-loading --v8-os-page-size --validate-asm "
    "--vtune-prof-annotate-wasm "
    "--warn-about-builtin-profile-data --win64-unwinding-info --zero-unused-memory "
    "--zone-stats-tolerance";
constexpr std::string_view kNodeWithoutScript =
    "-e --eval -p --print -pe -c --check -i --interactive --test --run --bench --build-snapshot "
    "--build-sea "
    "--experimental-sea-config --prof-process --completion-bash --v8-options -h --help -v "
    "--version";
constexpr std::string_view kNodeInChild = "--watch --watch-path";

// From 1.4 (--help, run --help). --inspect and --config take a value only in the same word.
constexpr std::string_view kBunWithValue =
    "-r --preload --require --import -d --define -l --loader -F --filter --cwd --env-file --port "
    "--title --conditions "
    "--console-depth --cpu-prof-dir --cpu-prof-interval --cpu-prof-name --cron-period --cron-title "
    "--disable-warning "
    "--dns-result-order --drop --elide-lines --extension-order --feature --fetch-preconnect "
    "--heap-prof-dir "
    "--heap-prof-interval --heap-prof-name --install --jsx-factory --jsx-fragment "
    "--jsx-import-source --jsx-runtime "
    "--main-fields --max-http-header-size --redirect-warnings --shell --tsconfig-override "
    "--unhandled-rejections "
    "--user-agent --watch-kill-signal";
constexpr std::string_view kBunAlone =
    "-b --bun -i --smol --hot --watch --silent --check --cpu-prof --cpu-prof-md --heap-prof "
    "--heap-prof-md "
    "--if-present "
    "--inspect --inspect-brk --inspect-wait --prefer-latest --prefer-offline --preserve-symlinks "
    "--preserve-symlinks-main --expose-gc --experimental-http2-fetch --experimental-http3-fetch "
    "--experimental-stream-iter --ignore-dce-annotations --insecure-http-parser --jsx-side-effects "
    "--pending-deprecation --redis-preconnect --sql-preconnect --throw-deprecation --tls-max-v1.2 "
    "--tls-max-v1.3 "
    "--tls-min-v1.0 --tls-min-v1.1 --tls-min-v1.2 --tls-min-v1.3 --trace-deprecation "
    "--trace-warnings "
    "--use-bundled-ca --use-openssl-ca --use-system-ca --zero-fill-buffers --no-*";
constexpr std::string_view kBunWithoutScript =
    "-e --eval -p --print --interactive --parallel --sequential --workspaces --revision -h --help "
    "-v --version";

// tsx passes options that it does not know to node.
constexpr std::string_view kTsxWithValue = "--tsconfig --include --exclude --ignore";
constexpr std::string_view kTsxAlone = "--no-cache --clear-screen -y --yes -q --quiet";

constexpr std::string_view kNpxWithValue =
    "-p --package -w --workspace --prefix --registry --cache --userconfig --loglevel";
constexpr std::string_view kNpxAlone =
    "-y --yes -q --quiet -s --silent -d --no --no-* --ignore-existing --offline --prefer-offline "
    "--prefer-online --";
constexpr std::string_view kNpxWithoutScript = "-c --call -h --help -v --version";

std::vector<std::string> words_of(std::initializer_list<std::string_view> texts) {
    std::vector<std::string> words;
    for (std::string_view text : texts) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find(' '), text.size());
            words.emplace_back(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
    return words;
}

const InterpreterOptions& none() {
    static const InterpreterOptions options;
    return options;
}

const InterpreterOptions& node() {
    static const InterpreterOptions options = {words_of({kNodeWithValue}),
                                               words_of({kNodeAlone, kV8Kinds, kV8Alone, "--no-*"}),
                                               words_of({kNodeWithoutScript}),
                                               words_of({kNodeInChild}),
                                               {}};
    return options;
}

const InterpreterOptions& bun() {
    static const InterpreterOptions options = {words_of({kBunWithValue}),
                                               words_of({kBunAlone}),
                                               words_of({kBunWithoutScript}),
                                               {},
                                               {"run"}};
    return options;
}

const InterpreterOptions& tsx() {
    static const InterpreterOptions options = {
        words_of({kNodeWithValue, kTsxWithValue}),
        words_of({kNodeAlone, kV8Kinds, kV8Alone, "--no-*", kTsxAlone}),
        words_of({kNodeWithoutScript}),
        {},
        {"watch"}};
    return options;
}

const InterpreterOptions& npx() {
    static const InterpreterOptions options = {
        words_of({kNpxWithValue}), words_of({kNpxAlone}), words_of({kNpxWithoutScript}), {}, {}};
    return options;
}

bool has(const Program& program, std::string_view interpreter) {
    const auto& names = program.interpreters;
    return std::find(names.begin(), names.end(), interpreter) != names.end();
}

bool runs_javascript(const Program& program) {
    return has(program, "node") || has(program, "nodejs") || has(program, "bun");
}

std::string_view file_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

const InterpreterOptions& python_options() {
    static const InterpreterOptions options = {words_of({kPythonWithValue}),
                                               words_of({kPythonAlone}),
                                               words_of({kPythonWithoutScript}),
                                               {},
                                               {}};
    return options;
}

const InterpreterOptions& options_of(const Program& program, std::string_view exe) {
    if (program.options != none()) return program.options;
    if (has(program, "python")) return python_options();
    if (!runs_javascript(program)) return none();
    return has(program, "bun") && scanner::is_interpreter(exe, "bun") ? bun() : node();
}

const InterpreterOptions& launcher_options_of(const Program& program, std::string_view launcher) {
    if (program.options != none()) return program.options;
    return file_name(launcher).starts_with("npx") ? npx() : tsx();
}

std::vector<const InterpreterOptions*> all_options_of(const Program& program) {
    if (program.options != none()) return {&program.options};
    if (has(program, "python")) return {&python_options()};
    if (!runs_javascript(program)) return {};
    return {&node(), &bun(), &tsx(), &npx()};
}

}  // namespace reaper::policy
