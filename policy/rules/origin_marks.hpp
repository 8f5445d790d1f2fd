// The variables by which a process tells which host started it, or what it descends from. Children
// inherit them, so they explain a process and prove nothing.
#pragma once

#include <string_view>

namespace reaper::policy {

struct OriginMark {
    std::string_view variable;
    std::string_view host;
    bool session = false;  // its value names the session
};

// A session stands before what is merely set.
inline constexpr OriginMark kOriginMarks[] = {
    {"CLAUDE_CODE_SESSION_ID", "Claude Code", true},
    {"CLAUDECODE", "Claude Code"},
    {"CODEX_THREAD_ID", "Codex", true},
    {"CODEX_SANDBOX", "Codex"},
    {"CODEX_CI", "Codex"},
    {"CURSOR_TRACE_ID", "Cursor", true},
    {"CURSOR_AGENT", "Cursor"},
    {"GEMINI_CLI", "Gemini CLI"},
    {"OPENCODE_PID", "opencode", true},
    {"OPENCODE", "opencode"},
    {"AUGMENT_AGENT", "Augment"},
    {"ANTIGRAVITY_AGENT", "Antigravity"},
};

}  // namespace reaper::policy
