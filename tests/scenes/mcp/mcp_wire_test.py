"""How `orphan-reaper mcp` reads, answers and ends: whatever a client sends, and however it goes."""
import json
import os
import pathlib
import random
import signal
import subprocess
import time

from harness import sandbox
from harness.actor import all_pids, is_there, read_bytes, stat_fields, wait_until
from harness.mcp import ASKS, LEGACY, MODERN, YES, Server
from harness.sandbox import PYTHON, case, expect
from harness.stage import Stage
from harness.watch import signals_to

DATA = pathlib.Path(__file__).resolve().parents[2] / "data/mcp"
MOST = 1 << 20
STARTER = """import subprocess, sys
server = subprocess.Popen(sys.argv[1:])
print(server.pid, file=sys.stderr, flush=True)
server.wait()"""


def copies(server):
    """The processes below it."""
    found = [server.process.pid]
    for above in found:
        found += children(above)
    return found[1:]


def children(above):
    return [pid for pid in all_pids() if stat_fields(pid)[1:2] == [str(above).encode()]]


def slow_stage():
    """With a leak, so that a plan takes the time between its two looks."""
    stage = Stage()
    stage.orphans([stage.bridge("bridge")])
    return stage


def at_work(server):
    """The copy that works on a call that was sent just now."""
    return wait_until(lambda: copies(server), "the call to be worked on")[0]


def hold_call(server):
    """Sends a call, and stops the copy that works on it."""
    number = server.begin("tools/call", {"name": "plan_sweep", "arguments": {}})
    pid = at_work(server)
    os.kill(pid, signal.SIGSTOP)
    return number, pid


@case
def the_same_answers_as_before():
    """Goldens: what is sent, and what must be answered."""
    stage = Stage()
    for path in sorted(DATA.glob("*.jsonl")):
        server = Server(stage, "--allow-sweep", version=MODERN)
        version = subprocess.run(
            [str(stage.layout.binary), "--version"], capture_output=True, text=True, check=True
        ).stdout.split()[1]
        for line in path.read_text().splitlines():
            row = json.loads(line)
            sent = row["line"] if "line" in row else json.dumps(row["send"])
            server.write(sent.encode() + b"\n")
            wanted = json.loads(json.dumps(row["answer"]).replace("VERSION", version))
            answer = server.read() if wanted is not None else None
            if answer and "tools" in answer.get("result", {}):
                answer["result"]["tools"] = [one["name"] for one in answer["result"]["tools"]]
            expect(answer == wanted, f"{path.name}: {sent}\n{json.dumps(answer)}\n{wanted}")
        server.close()


@case
def lines_come_in_any_pieces():
    stage = Stage()
    server = Server(stage)
    line = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "ping"}).encode() + b"\n"
    server.write(line[:20])
    expect(server.process.poll() is None, "it ended")
    server.write(line[20:])
    expect(server.read() == {"jsonrpc": "2.0", "id": "a", "result": {}}, "the answer")
    server.write(line * 3)
    for _ in range(3):
        expect(server.read()["id"] == "a", "each is answered")
    blank = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": ""}}
    blank["params"]["x"] = "x" * (MOST - len(json.dumps(blank)))
    expect(len(json.dumps(blank)) == MOST, "1 MiB")
    server.send(blank)
    expect(server.read()["id"] == 1, "1 MiB is read")
    blank["params"]["x"] += "x"
    server.send(blank)
    expect(server.read()["error"]["code"] == -32600, "a byte more is not")
    for junk in (b"what?", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 50_000, b"\0"):
        server.write(junk + b"\n")
        expect(server.read()["error"]["code"] == -32700, str(junk[:20]))
    server.write(line)
    expect(server.read()["id"] == "a", "it goes on")
    server.close()


def expect_gone(pids):
    wait_until(lambda: not [pid for pid in pids if is_there(pid)], f"the end of {pids}")


@case
def it_ends_with_its_client():
    """Quietly, and with what it works on: stdin is closed, INT, TERM, HUP, stdout is closed."""
    stage = slow_stage()

    ways = {
        "EOF": lambda server: server.process.stdin.close(),
        "INT": lambda server: server.process.send_signal(signal.SIGINT),
        "TERM": lambda server: server.process.send_signal(signal.SIGTERM),
        "HUP": lambda server: server.process.send_signal(signal.SIGHUP),
        "stdout": lambda server: server.process.stdout.close(),
    }
    for version in ("2025-06-18", MODERN):
        for name, end in ways.items():
            for busy in (False, True):
                server = Server(stage, version=version)
                expect("result" in server.request("tools/list"), "it works")
                if busy:
                    server.begin("tools/call", {"name": "plan_sweep", "arguments": {}})
                    at_work(server)
                below = copies(server)
                end(server)
                status, err = server.ends()
                expect((status, err) == (0, ""), f"{version} {name} {busy}: exit {status}: {err}")
                expect_gone(below)


@case
def it_ends_with_the_process_that_started_it():
    """Although something else holds its stdin open."""
    stage = slow_stage()
    starter = Server(stage, before=[PYTHON, "-c", STARTER])
    pid = int(starter.process.stderr.readline())
    expect("result" in starter.request("tools/list"), "it works")
    starter.begin("tools/call", {"name": "plan_sweep", "arguments": {}})
    below = wait_until(lambda: children(pid), "the call to be worked on")
    starter.process.kill()
    expect_gone([pid, *below])


@case
def a_sweep_ends_with_its_server():
    """In the middle of a grace period, whether the client leaves or the server is killed: TERM was
    sent, and nothing harder follows."""
    ways = {
        "killed": lambda server: server.process.kill(),
        "left": lambda server: server.process.stdin.close(),
    }
    stage = Stage()
    for name, end in ways.items():
        stage.orphans([stage.bridge(name, ignore_term=True)])
        server = Server(stage, "--allow-sweep", can=ASKS, grace="60s")
        server.begin_sweep(server.work("plan_sweep", homes=[home_of(stage, name)])["plan_id"], YES)
        pid = stage.actors[name].pid
        wait_until(lambda: signals_to(stage, pid), "TERM")  # pylint: disable=cell-var-from-loop
        below = copies(server)
        (sweep,) = children(server.process.pid)
        end(server)
        server.process.wait(timeout=10)
        expect(name == "killed" or not is_there(sweep), "the server did not wait for its sweep")
        expect_gone(below)
        expect(signals_to(stage, pid) == ["TERM"], f"{name}: {signals_to(stage, pid)}")
        expect(stage.actors[name].alive(), f"{name}: it was ended")


def home_of(stage, name):
    return str(stage.layout.data_home(name))


@case
def a_call_that_hangs_holds_up_nothing():
    """It can be cancelled, and the next one is worked on."""
    stage = slow_stage()
    server = Server(stage, version="2025-11-25")
    number, pid = hold_call(server)
    expect(server.request("ping")["result"] == {}, "others are answered")
    later = server.begin("tools/call", {"name": "history", "arguments": {}})
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": number}}
    server.send({"jsonrpc": "2.0", **cancelled})
    answer = server.read(30)
    expect(answer["id"] == later and "result" in answer, str(answer))
    expect_gone([pid])
    server.close()


@case
def a_call_that_hangs_ends_with_the_server():
    stage = slow_stage()
    server = Server(stage)
    _number, pid = hold_call(server)
    server.process.stdin.close()
    expect(server.ends(20)[0] == 0, "it ends all the same")
    expect_gone([pid])


@case
def it_stays_small():
    """Nothing of what it looks at stays in the server: calls are worked on by copies."""
    stage = Stage()
    server = Server(stage)

    def resident():
        fields = read_bytes(f"/proc/{server.process.pid}/statm").split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")

    server.work("report", verbose=True)
    before = resident()
    for _ in range(5):
        server.work("report", verbose=True)
    expect(resident() < before + (1 << 20), f"{before} bytes became {resident()}")
    open_files = len(os.listdir(f"/proc/{server.process.pid}/fd"))
    expect(open_files < 12, f"{open_files} files are open")
    server.close()


def mutate(line, chance):
    """A line with something about it changed."""
    data = bytearray(line)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            data[at:at] = bytes([chance.randrange(256)])
        elif kind == 1:
            del data[at : at + chance.randint(1, 9)]
        elif kind == 2 and at < len(data):
            data[at] = chance.randrange(256)
        else:
            begin = chance.randrange(len(data) + 1)
            data[at:at] = data[begin : begin + chance.randint(1, 30)]
    return bytes(data).replace(b"\n", b" ")


@case
def it_survives_any_line():
    """A few thousand that are nearly right, by a seed that is told."""
    stage = Stage()
    seed = int(os.environ.get("REAPER_FUZZ_SEED", time.time_ns() % 1_000_000))
    print(f"seed {seed}", flush=True)
    chance = random.Random(seed)
    rows = [json.loads(line) for path in DATA.glob("*.jsonl") for line in path.open()]
    lines = [json.dumps(row["send"]).encode() for row in rows if "send" in row]
    server = Server(stage, "--allow-sweep", version=LEGACY[-1])
    for number in range(60):
        batch = [mutate(chance.choice(lines), chance) for _ in range(50)]
        server.write(b"\n".join(batch) + b"\n")
        server.begin("ping", number=f"end-{number}")
        while (answer := server.read())["id"] != f"end-{number}":
            expect(set(answer) <= {"jsonrpc", "id", "result", "error", "method", "params"}, answer)
    server.close()


if __name__ == "__main__":
    sandbox.main(__file__, globals())
