"""Runs the program under test and reads its report."""
import json
import subprocess


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err
        try:
            self.json = json.loads(out)
        except ValueError:
            self.json = None

    @property
    def processes(self):
        return self.json["processes"] if self.json else []

    def process(self, pid):
        found = [process for process in self.processes if process["pid"] == pid]
        assert len(found) <= 1, f"{pid} is listed {len(found)} times"
        return found[0] if found else None

    def plan(self):
        """What would be done: (pid, action), ordered."""
        return sorted((process["pid"], process["action"]) for process in self.processes)

    def signalled(self):
        return [
            process["pid"]
            for process in self.processes
            if process["outcome"] and process["outcome"]["signals"]
        ]

    def outcome(self, pid):
        process = self.process(pid)
        return process["outcome"] if process else None

    def explain(self):
        lines = [f"status {self.status}"]
        for process in self.processes:
            codes = [one["code"] for one in process["evidence"]]
            words = [process[key] for key in ("pid", "family", "verdict", "action", "outcome")] + [
                codes
            ]
            lines.append("  " + " ".join(map(str, words)))
        lines.append("stderr: " + self.err[-2000:])
        if not self.json:
            lines.append("stdout: " + self.out[-2000:])
        return "\n".join(lines)


def environment(home, more=None):
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **(more or {})}


def start(argv, uid, home, env=None):
    return subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        env=environment(home, env),
        user=uid,
        group=uid,
        extra_groups=[],
    )


def finish(process, timeout):
    out, err = process.communicate(timeout=timeout)
    return Result(
        process.returncode, out.decode(errors="surrogateescape"), err.decode(errors="replace")
    )


def run(argv, uid, home, env=None, timeout=60):
    return finish(start(argv, uid, home, env), timeout)
