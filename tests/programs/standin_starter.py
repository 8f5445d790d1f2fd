"""Starts the rest of its arguments the way services start: with a stdin and a stdout whose other
ends no process has, once this one has gone.

    --as fork        starts it, waits until it is ready, and ends: Type=forking
    --as notify      starts it, tells the manager that it is the main process now, and ends
    --as hold        starts it through a process that ends, so that it is adopted, and makes
                     "<name>.held"; tells the manager that it is the main process when the file
                     "<name>.take" comes, and makes "<name>.taken"; stays
    --as exec        becomes it
    --pid-file FILE  where its pid is written
    --twice          fork: starts a second one of the name "<name>-too"
    --forget         it gets no SYSTEMD_EXEC_PID

Its own name ends with "-starter".
"""
import argparse
import json
import os
import pathlib
import signal
import socket
import subprocess
import time


def path_of(name, ending):
    return pathlib.Path(json.loads(os.environ["STANDIN"])["dir"]) / f"{name}.{ending}"


def wait_for(path):
    while not path.exists():
        time.sleep(0.02)


def environment_of(name):
    wish = {**json.loads(os.environ["STANDIN"]), "name": name}
    return {**os.environ, "STANDIN": json.dumps(wish), "STANDIN_NAME": name}


def start(name, command):
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment_of(name),
    )
    wait_for(path_of(name, "ready"))
    return child.pid


def start_adopted(name, command):
    told, tell = os.pipe()
    if os.fork() == 0:
        os.write(tell, str(start(name, command)).encode())
        os._exit(0)
    os.wait()
    return int(os.read(told, 20))


def tell_manager(text):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.sendto(text.encode(), os.environ["NOTIFY_SOCKET"])


def become(name, command):
    stdin, writer = os.pipe()
    reader, stdout = os.pipe()
    os.dup2(stdin, 0)
    os.dup2(stdout, 1)
    for end in (stdin, writer, reader, stdout):
        os.close(end)
    os.execvpe(command[0], command, environment_of(name))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--as", dest="how", choices=("fork", "notify", "hold", "exec"))
    parser.add_argument("--pid-file")
    parser.add_argument("--twice", action="store_true")
    parser.add_argument("--forget", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    wish = parser.parse_args()
    command = wish.command[1:] if wish.command[0] == "--" else wish.command
    name = json.loads(os.environ["STANDIN"])["name"]
    if wish.forget:
        os.environ.pop("SYSTEMD_EXEC_PID", None)
    if wish.how == "exec":
        become(name, command)
    if wish.how == "hold":
        pid = start_adopted(name, command)
        tell_manager("READY=1")
        path_of(name, "held").touch()
        wait_for(path_of(name, "take"))
        tell_manager(f"MAINPID={pid}")
        path_of(name, "taken").touch()
        signal.pause()
    pid = start(name, command)
    if wish.twice:
        start(name + "-too", command)
    if wish.pid_file:
        pathlib.Path(wish.pid_file).write_text(f"{pid}\n")
    if wish.how == "notify":
        tell_manager(f"MAINPID={pid}\nREADY=1")


if __name__ == "__main__":
    main()
