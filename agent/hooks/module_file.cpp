#include "agent/hooks/module_file.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace reaper::agent {

namespace {

constexpr std::string_view kMark = "// Written by orphan-reaper hooks install";
constexpr std::string_view kFolderMark = ", as is its folder";
// opencode calls every export of the file as a plugin, so there is one only.
constexpr std::string_view kText = R"(
// Asks for a sweep when a session is deleted, and when opencode ends. See orphan-reaper-hooks(1).
import { spawn } from "node:child_process";

const words = ["sweep", "--detach", "--after", "host", "--quiet", "--from", "opencode"];

function ask() {
  try {
    const asked = spawn(program, words, { stdio: "ignore", detached: true });
    asked.on("error", () => {});
    asked.unref();
  } catch {
    // Leaks stay for the next sweep; opencode is not to notice.
  }
}

export const OrphanReaper = async () => ({
  dispose: async () => ask(),
  event: async ({ event }) => {
    if (event.type === "session.deleted") ask();
  },
});
)";

}  // namespace

std::string module_text(std::string_view program, bool with_folder) {
    return fmt::format("{}{}.\nconst program = \"{}\";\n{}", kMark, with_folder ? kFolderMark : "",
                       program, kText.substr(1));
}

std::string program_of_module(std::string_view text) {
    constexpr std::string_view kBegin = "const program = \"";
    const std::size_t begin = std::min(text.find(kBegin), text.size());
    const std::string_view rest = text.substr(std::min(begin + kBegin.size(), text.size()));
    const std::string program(rest.substr(0, rest.find('"')));
    return text == module_text(program, has_own_folder(text)) ? program : std::string();
}

bool has_own_folder(std::string_view text) {
    return text.starts_with(kMark) && text.substr(kMark.size()).starts_with(kFolderMark);
}

}  // namespace reaper::agent
