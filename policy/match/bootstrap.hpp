// Recognises the scripts by which Hermes starts its own programs: `python -I -c SCRIPT gateway
// run`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reaper::policy {

struct Bootstrap {
    // What starts the same program without a script: "-m", a module and arguments, or the path of a
    // script and arguments.
    std::vector<std::string> words;
    std::string home;  // the default home that the script names; empty: none
};

// Reads the script of the first `-c` of an interpreter, and the words that follow it. The script
// must run one module or file in its own process, by `runpy` or as `from M import f` with
// `sys.exit(f())`, and must import hermes_bootstrap or pm.environments, change sys.path, add the
// packages of a bundle or assign a literal sys.argv before; or it does so, and runs by
// `exec('...')` a script of which all this is true. Compares the tokens of Python: other text
// inside of strings and comments says nothing. None: any other script, as its arguments are data,
// and name no program that runs in this process.
[[nodiscard]] std::optional<Bootstrap> read_bootstrap(std::string_view script,
                                                      std::span<const std::string> words);

// Returns the shortest script that read_bootstrap() takes for the same. It has nothing else of the
// script, which may hold secrets.
[[nodiscard]] std::string plain_script(const Bootstrap& bootstrap);

}  // namespace reaper::policy
