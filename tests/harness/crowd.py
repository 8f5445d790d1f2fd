"""Many programs that one host starts and leaves behind, each under a name of its own."""
import os
import shutil

from .layout import put
from .sandbox import NODE, PYTHON, expect


class Crowd:
    def __init__(self, stage):
        self.stage, self.layout = stage, stage.layout
        self.plugin = stage.layout.plugin
        self.bridge = str(self.plugin / "dist/bridge.cjs")
        self.children, self.names, self.silent = [], [], []
        idle = os.environ.get("REAPER_IDLE")
        expect(
            idle and os.access(idle, os.X_OK), "REAPER_IDLE must name the program that does nothing"
        )
        self.idle = idle

    def add(self, child, silent=False):
        self.children.append(child)
        self.names.append(child["name"])
        if silent:
            self.silent.append(child["name"])

    def program(self, name, *arguments, argv0=None, exe=None):
        """Our idle program under the name of a real one."""
        exe = exe or name
        path = self.layout.base / "bin" / exe
        if not path.exists():
            shutil.copy2(self.idle, path)
        label = f"{name}-{len(self.names)}"
        child = self.stage.child(
            label,
            [path, *arguments],
            self.plugin,
            env={"STANDIN_READY": str(self.stage.run / f"{label}.ready")},
        )
        if argv0:
            child["argv"] = [
                "/bin/bash",
                "-c",
                'exec -a "$0" "$@"',
                argv0,
                str(path),
                *map(str, arguments),
            ]
        self.add(child, silent=True)

    def node(self, name, *words, cwd=None, **more):
        self.add(
            self.stage.child(
                f"{name}-{len(self.names)}",
                [NODE, *words],
                cwd or self.plugin,
                ignore_eof=True,
                **more,
            )
        )

    def python(self, name, *words, cwd=None):
        self.add(
            self.stage.child(
                f"{name}-{len(self.names)}", [PYTHON, "-B", *words], cwd or self.layout.hermes
            )
        )

    def shell(self, name, *argv):
        child = self.stage.child(f"{name}-{len(self.names)}", argv, self.plugin)
        child["shell"] = True
        self.add(child, silent=True)

    def script(self, path, kind="cjs"):
        """A file that runs the stand-in body, somewhere else than in the plugin."""
        body = {
            "cjs": f"require({str(self.layout.lib / 'standin.cjs')!r});\n",
            "py": (self.layout.lib / "standin_worker.py").read_text(),
        }[kind]
        return put(self.layout.home / path, body)
