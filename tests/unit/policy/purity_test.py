#!/usr/bin/env python3
"""What product sources must not contain: the policy asks nothing of the system, only one file for
each system sends signals, all that one header declares, and only one runs programs."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]

# All of them take arguments; a member that is called kill() takes none.
SIGNALS = (
    r"\b(?:kill|tkill|tgkill|killpg|raise|pidfd_send_signal|sigqueue|pthread_kill|"
    r"pthread_sigqueue)\s*\((?!\s*\))"
)
SIGNAL_NUMBERS = (
    r"\b(?:SYS|__NR)_(?:kill|tkill|tgkill|pidfd_send_signal|rt_sigqueueinfo|rt_tgsigqueueinfo)\b"
)
# Whether a cgroup can be killed may be asked anywhere.
CGROUP_KILL = r'(?<!faccessat\(cgroup\.folder\(\), )"cgroup\.kill"'
SIGNAL_HEADER = "agent/reaping/process_control.hpp"
SIGNAL_FILES = {"agent/reaping/control_linux.cpp", "agent/reaping/control_darwin.cpp"}
COMMAND_FILES = {"agent/reaping/child_linux.cpp", "agent/reaping/child_darwin.cpp"}
COMMANDS = r"\b(?:popen|system|execv?[lpe]*|fexecve|posix_spawnp?)\s*\("
OPERATING_SYSTEM = (
    r"#\s*include\s*<(?:unistd|signal|fcntl|poll|dirent|spawn|pwd|grp|time|pthread|csignal|ctime|"
    r"cstdio|cstdlib|sys/[^>]*|linux/[^>]*|net[^>]*|arpa/[^>]*|fstream|iostream|filesystem|thread|"
    r"mutex|atomic|future|random|systemd/[^>]*|libproc2/[^>]*)"
    r"(?:\.h)?>"
)
WORLD = (
    r"\bgetenv\b|\bsecure_getenv\b|_clock\s*::\s*now\b|::\s*now\s*\(|\bsyscall\s*\(|\bsocket\s*\(|"
    r"\bf?open(?:at)?\s*\(|\btime\s*\("
)
IMPURE_PARTS = r'#\s*include\s*"(?:agent/|scanner/linux/|scanner/darwin/)'
CONDITIONS = r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif|else)\b"


def without_comments(text):
    """The same text, with the letters of comments and of string literals taken out, and every line
    where it was."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'

    def blank(found):
        inside_include = found.group().startswith('"') and re.search(
            r"#\s*include\s*$", text[: found.start()][-40:]
        )
        return found.group() if inside_include else re.sub(r"[^\n]", " ", found.group())

    return re.sub(pattern, blank, text, flags=re.S)


def sources(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".in"):
                yield path.relative_to(ROOT).as_posix(), without_comments(path.read_text())


def exported(text):
    """The functions of a source that others can call: those outside of its unnamed namespace."""
    return set(
        re.findall(
            r"^\w[\w:<>&*, ]*[ &*](\w+)\([^;{}]*\) *\{",
            text[text.index("\n}  // namespace\n") :],
            flags=re.M,
        )
    )


def hidden_signallers():
    """A function of a file that signals, which another header than that one declares, or none
    does."""
    headers = {
        name: text for name, text in sources("agent", "scanner", "policy") if name.endswith(".hpp")
    }
    for file in sorted(SIGNAL_FILES):
        if (ROOT / file).exists():
            for function in sorted(exported((ROOT / file).read_text())):
                places = [
                    name for name, text in headers.items() if re.search(rf"\b{function}\(", text)
                ]
                if places != [SIGNAL_HEADER]:
                    told = f"{function} is declared in {places}, not in {SIGNAL_HEADER} alone"
                    yield f"{file}: {told}"


def mistakes():
    places = list(hidden_signallers())

    def add(name, text, found, why):
        places.append(
            f"{name}:{text.count(chr(10), 0, found.start()) + 1}: {why}: {found.group().strip()}"
        )

    for name, text in sources("policy"):
        for pattern in (OPERATING_SYSTEM, WORLD, IMPURE_PARTS):
            for found in re.finditer(pattern, text):
                add(name, text, found, "the policy is pure")
    for name, text in sources("agent", "scanner", "policy"):
        if name not in SIGNAL_FILES:
            for found in re.finditer(SIGNALS, text):
                add(name, text, found, "only the control signals")
            for found in re.finditer(SIGNAL_NUMBERS, text):
                add(name, text, found, "only the control signals")
            whole = (ROOT / name).read_text()
            for found in re.finditer(CGROUP_KILL, whole):
                add(name, whole, found, "only the control signals")
        if name not in COMMAND_FILES:
            for found in re.finditer(COMMANDS, text):
                add(name, text, found, "only one file runs other programs")
        if name.endswith(".cpp"):
            for found in re.finditer(CONDITIONS, text, flags=re.M):
                add(name, text, found, "CMake picks the files, not the preprocessor")
    for path in sorted((ROOT / "tests").rglob("*_test.cpp")):
        # CMake takes the name for a list: two tests that select nothing, and pass.
        for found in re.finditer(r'TEST_CASE\("[^"]*;[^"]*"', path.read_text()):
            add(
                path.relative_to(ROOT).as_posix(),
                path.read_text(),
                found,
                "a test whose name has a semicolon never runs",
            )
    return places


def check_itself():
    """A grep that finds nothing anywhere would pass for ever."""
    assert not re.search(
        r"kill", without_comments('// kill(1)\n/* kill(2)\n */ "kill(3)" R"x(kill(4))x"')
    )
    assert without_comments('a // b\nc').count("\n") == 1
    assert '"agent/x.hpp"' in without_comments('#include "agent/x.hpp"\n')
    for call in (
        "kill(1, 9)",
        "::kill(1, 9)",
        "return kill (1, 9)",
        "::tgkill(1, 2, 9)",
        "raise(9)",
        "sigqueue(1, 9, x)",
    ):
        assert re.search(SIGNALS, call), call
    for member in (
        "void kill();",
        "target.kill()",
        "target->kill()",
        "ReaperTarget::kill()",
        "overkill(1)",
    ):
        assert not re.search(SIGNALS, member), member
    for call in (
        "popen(x)",
        "system(x)",
        "execv(x)",
        "execvp(x)",
        "execle(x)",
        "execvpe(x)",
        "posix_spawn(x)",
        "::execve(x)",
    ):
        assert re.search(COMMANDS, call), call
    for line in (
        "#include <unistd.h>",
        "#include <sys/stat.h>",
        "# include <fstream>",
        "#include <netinet/in.h>",
    ):
        assert re.search(OPERATING_SYSTEM, line), line
    for line in ("#include <string>", "#include <chrono>", "#include <system_error>"):
        assert not re.search(OPERATING_SYSTEM, line), line
    for call in (
        "std::getenv(x)",
        "steady_clock::now()",
        "std::chrono::system_clock::now ()",
        "open(x)",
        "fopen(x)",
    ):
        assert re.search(WORLD, call), call
    assert re.search(SIGNAL_NUMBERS, "syscall(SYS_tgkill, 1)")
    assert re.search(CGROUP_KILL, 'openat(folder, "cgroup.kill", O_WRONLY)')
    assert {"make_process_control", "pass_on", "stop_by", "kill_all_in_cgroup"} <= exported(
        (ROOT / min(SIGNAL_FILES - {"agent/reaping/control_darwin.cpp"})).read_text()
    )
    for line in ("#ifdef X", "  # if X", "#else"):
        assert re.search(CONDITIONS, line, flags=re.M), line
    names = [name for name, _ in sources("policy", "agent")]
    assert "policy/verdict/vetoes.cpp" in names and "agent/reaping/control_linux.cpp" in names


if __name__ == "__main__":
    check_itself()
    found = mistakes()
    print("\n".join(found) or "pure")
    sys.exit(1 if found else 0)
