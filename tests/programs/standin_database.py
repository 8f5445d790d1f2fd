"""Stand-in of a slash worker that holds a real SQLite database. STANDIN: {"name", "dir",
"database", "mode"}

    recover   opens a database whose WAL has not been recovered yet; told to end, it closes it as
              soon as that is done
    close     has it open; told to end, it closes it, which copies the whole WAL
    idle      holds the write lock for ever, does nothing, and is deaf
    busy      holds the write lock for ever, computes, and is deaf
"""
import json
import os
import signal
import sqlite3
import sys
import time

wish = json.loads(os.environ["STANDIN"])
told_to_end = False


def on_term(_signal, _frame):
    global told_to_end
    told_to_end = True


def ready():
    with open(os.path.join(wish["dir"], wish["name"] + ".ready"), "w") as file:
        file.write(str(os.getpid()))


def open_database():
    connection = sqlite3.connect(wish["database"], isolation_level=None)
    connection.execute("PRAGMA wal_autocheckpoint=0")
    # The first read recovers the WAL.
    connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    return connection


def main():
    signal.alarm(150)
    signal.signal(signal.SIGTERM, on_term)
    if wish["mode"] == "recover":
        ready()
    connection = open_database()
    if wish["mode"] in ("idle", "busy"):
        connection.execute("BEGIN IMMEDIATE")
        ready()
        while True:
            if wish["mode"] == "idle":
                time.sleep(1)
    if wish["mode"] == "close":
        ready()
    while not told_to_end:
        time.sleep(0.02)
    connection.close()


if __name__ == "__main__":
    sys.exit(main())
