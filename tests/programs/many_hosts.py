"""Many small hosts, each with helpers that do nothing: every host is a process of its own that
holds the pipes of its helpers.

    many_hosts.py FOLDER COUNT ARGV...

Writes FOLDER/pairs, "HOST HELPER" on each line, once all run; "{n}" in ARGV is the number of the
pair. A line on stdin, the number of a pair, makes a new helper and host in its place, as a host
that was restarted; "pairs" is appended to then.
"""
import os
import sys

folder, count, argv = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def start(number):
    """A host and its helper; both ends of the helper's pipes are the host's alone."""
    read_end, write_end = os.pipe()
    host = os.fork()
    if host:
        os.close(write_end)
        helper = int(os.read(read_end, 16))
        os.close(read_end)
        return host, helper
    os.close(read_end)
    os.setsid()
    stdin, stdout = os.pipe(), os.pipe()
    words = [word.replace("{n}", str(number)) for word in argv]
    helper = os.posix_spawn(
        words[0],
        words,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_DUP2, stdin[0], 0), (os.POSIX_SPAWN_DUP2, stdout[1], 1)],
    )
    os.close(stdin[0])
    os.close(stdout[1])
    os.write(write_end, str(helper).encode())
    os.close(write_end)
    while True:
        os.read(stdout[0], 1)  # until its helper has ended
        os.waitpid(helper, 0)
        os._exit(0)


def main():
    with open(folder + "/pairs", "a", buffering=1) as pairs:
        for number in range(count):
            pairs.write("%d %d\n" % start(number))
        os.rename(folder + "/pairs", folder + "/ready")
        for line in sys.stdin:
            pairs.write("%d %d\n" % start(int(line)))
            reap()


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    main()
