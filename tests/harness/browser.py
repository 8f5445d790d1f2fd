"""A real Chromium without a window, which is driven by its own protocol over two pipes. It has no
network, and all that it writes lies below `folder`."""
import base64
import collections
import json
import os
import pathlib
import select
import shutil
import subprocess
import time

from .sandbox import Skip

PROGRAM = "chromium"
OPTIONS = (
    "--headless",
    "--no-sandbox",  # it would need namespaces of its own, and root has none to give
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-extensions",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
)
PATIENCE = 60  # seconds that an answer may take


class Browser:
    """One page of one browser. Ends with `with`."""

    def __init__(self, folder):
        program = shutil.which(PROGRAM)
        if not program:
            raise Skip(f"needs {PROGRAM}")
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.last, self.text, self.session = 0, b"", None
        self.events = []
        self.start(program)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def start(self, program):
        """It reads commands from descriptor 3 and answers on 4."""
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # No number that is to be replaced may be among those that are copied there.
        high = [os.dup2(fd, number) for fd, number in ((commands, 103), (answers, 104))]
        for fd in (commands, answers):
            os.close(fd)
        environment = {**os.environ, "HOME": str(self.folder), "TMPDIR": str(self.folder)}
        self.process = subprocess.Popen(
            [
                "/bin/bash",
                "-c",
                'exec "$@" 3<&103 4>&104 103<&- 104>&-',
                "bash",
                program,
                *OPTIONS,
                f"--user-data-dir={self.folder}/profile",
            ],
            pass_fds=high,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "stderr").open("w"),
        )
        for fd in high:
            os.close(fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session = None
        try:
            self.call("Browser.close")
            self.process.wait(timeout=20)
        except (OSError, EOFError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.answers)

    def call(self, method, **parameters):
        """The result of a command. What the browser says meanwhile is kept in `events`."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data) :]
        while True:
            answer = self.read()
            if answer.get("id") != self.last:
                self.events.append(answer)
            elif "error" in answer:
                raise AssertionError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def read(self):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self.text:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise AssertionError(f"no answer: {(self.folder / 'stderr').read_text()[-2000:]}")
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise EOFError((self.folder / "stderr").read_text()[-2000:])
            self.text += more
        answer, _, self.text = self.text.partition(b"\0")
        return json.loads(answer)

    def open(self, page):
        """Shows a file. Returns the seconds until it was laid out."""
        self.events.clear()
        began = time.monotonic()
        self.call("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())
        self.run("document.body.offsetHeight")
        return time.monotonic() - began

    def run(self, expression):
        """The value of an expression, or of its promise. The page's own rules do not hold for it,
        so a page that allows no script can be asked all the same."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression[:200]}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def show_as(self, width=1280, height=900, dark=False, media="screen", scale=1):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme, still])

    def requests(self):
        """What was fetched since the page was opened."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def complaints(self):
        """What stands in the console, such as what the page's policy has refused."""
        return [
            event["params"]["entry"]["text"]
            for event in self.events
            if event.get("method") == "Log.entryAdded"
        ]

    def screenshot(self, whole=False):
        """As PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **self.clip(whole))
        return base64.b64decode(shot["data"])

    def clip(self, whole):
        if not whole:
            return {}
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {**size, "scale": 1}}

    def spoken(self):
        """role -> what a screen reader says of each such element: its name and its description."""
        found = collections.defaultdict(list)
        for node in self.call("Accessibility.getFullAXTree")["nodes"]:
            if not node.get("ignored"):
                words = [node.get(key, {}).get("value", "") for key in ("name", "description")]
                found[node["role"]["value"]].append(tuple(words))
        return found

    def pdf(self):
        """As it is printed."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])
