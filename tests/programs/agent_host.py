"""Stand-in of an agent: starts real helpers, speaks the first words of their protocol to them, and
pings them when it is asked to.

HOST: {"name", "dir", "children": [{"name", "argv", "cwd", "env", "stdio": "socket", as node does,
"pipe" or "terminal", "group", "protocol": "mcp", "lsp", "acp" or "", "first": what it says first,
"then": [[method, parameters], ...]}]}. Writes NAME.ready with the pid of each child that has
answered everything, and NAME.pong for each NAME.ping."""
import fcntl
import json
import os
import pathlib
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time

WISH = json.loads(os.environ["HOST"])
FOLDER = pathlib.Path(WISH["dir"])
CLIENT = {"name": "agent", "version": "1"}
FIRST = {
    "mcp": {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": CLIENT},
    "lsp": {"processId": None, "rootUri": None, "capabilities": {}},
    "acp": {"protocolVersion": 1, "clientCapabilities": {}},
}


# What programs ask a terminal, and what one says: where its cursor is, and what it is.
TERMINAL = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?1;2c"}


def put(name, text):
    new = FOLDER / f"{name}.new"
    new.write_text(text)
    new.rename(FOLDER / name)


class Child:
    def __init__(self, wish):
        self.name, self.protocol = wish["name"], wish.get("protocol", "mcp")
        kind = wish.get("stdio", "socket")
        ours, theirs = self.ends(kind)
        environment = {**os.environ, "STANDIN_NAME": self.name, **wish.get("env", {})}
        del environment["HOST"]
        self.process = subprocess.Popen(
            wish["argv"],
            cwd=wish["cwd"],
            env=environment,
            stdin=theirs[0],
            stdout=theirs[1],
            stderr=subprocess.DEVNULL,
            process_group=0 if wish.get("group") else None,
            preexec_fn=(lambda: os.login_tty(0)) if kind == "terminal" else None,
        )
        for end in theirs:
            os.close(end)
        self.input, self.output = ours
        self.heard = b""
        self.asked = 0
        self.to_say = [
            ["initialize", wish.get("first", FIRST.get(self.protocol))],
            *wish.get("then", []),
        ]
        self.is_ready = not self.protocol
        if self.is_ready:
            put(f"{self.name}.ready", str(self.process.pid))
        else:
            self.say(*self.to_say.pop(0))

    @staticmethod
    def ends(kind):
        """What we keep of stdin and stdout, and what the child gets."""
        if kind == "terminal":
            ours, theirs = os.openpty()
            fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            return (ours, ours), (theirs, os.dup(theirs))
        if kind == "pipe":
            (theirs_in, ours_in), (ours_out, theirs_out) = os.pipe(), os.pipe()
            return (ours_in, ours_out), (theirs_in, theirs_out)
        pairs = [[one.detach() for one in socket.socketpair()] for _ in range(2)]
        return (pairs[0][0], pairs[1][0]), (pairs[0][1], pairs[1][1])

    def say(self, method, params=None):
        self.asked += 1
        said = {"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params or {}}
        text = json.dumps(said).encode()
        if self.protocol == "lsp":
            text = b"Content-Length: %d\r\n\r\n%b" % (len(text), text)
        else:
            text += b"\n"
        try:
            os.write(self.input, text)
        except OSError:
            pass  # it ended

    def hear(self):
        """Whether there is more to come."""
        try:
            text = os.read(self.output, 65536)
        except OSError:  # a terminal that nothing has open any more
            return False
        self.heard += text
        if os.isatty(self.output):
            for question, answer in TERMINAL.items():
                os.write(self.input, answer * text.count(question))
        if self.protocol and self.has_answered():
            self.heard = b""
            self.go_on()
        return bool(text)

    def has_answered(self):
        # Some write a space after the colon.
        return any(b'"id":%s%d' % (space, self.asked) in self.heard for space in (b"", b" "))

    def go_on(self):
        if self.to_say:
            return self.say(*self.to_say.pop(0))
        put(f"{self.name}.{'pong' if self.is_ready else 'ready'}", str(self.process.pid))
        self.is_ready = True

    def ping_when_asked(self):
        asked = FOLDER / f"{self.name}.ping"
        if asked.exists():
            asked.unlink()
            self.say("ping")


def main():
    signal.alarm(150)  # nothing outlives a test that was forgotten
    children = [Child(wish) for wish in WISH["children"]]
    heard = {child.output: child for child in children}
    put(f"{WISH['name']}.ready", str(os.getpid()))
    while True:
        for output in select.select(list(heard), [], [], 0.05)[0]:
            if not heard[output].hear():
                del heard[output]
        for child in children:
            child.ping_when_asked()
        put(f"{WISH['name']}.beat", str(time.monotonic()))


sys.exit(main())
