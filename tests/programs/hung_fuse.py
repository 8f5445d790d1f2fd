"""Mounts a file system that shows FOLDER, read-only, on MOUNT_POINT, and answers until it is told
not to: then it takes every request and answers none, as a server does that hangs. It goes on when
it is told so. One word a line on stdin: hang, go; "ready" and "ok" come back. A process that
waits for an answer is free when this one ends."""
import ctypes
import os
import select
import stat
import struct
import sys

LOOKUP, FORGET, GETATTR, READLINK, OPEN, READ, STATFS, RELEASE, FLUSH = (
    1,
    2,
    3,
    5,
    14,
    15,
    17,
    18,
    25,
)
INIT, OPENDIR, READDIR, RELEASEDIR, ACCESS, INTERRUPT, DESTROY, BATCH_FORGET = (
    26,
    27,
    28,
    29,
    34,
    36,
    38,
    42,
)
ENOENT, EINVAL, ENOSYS = 2, 22, 38
libc = ctypes.CDLL(None, use_errno=True)


def attributes(status):
    times = [int(status.st_atime), int(status.st_mtime), int(status.st_ctime)]
    return struct.pack(
        "<6Q10I",
        status.st_ino,
        status.st_size,
        status.st_blocks,
        *times,
        0,
        0,
        0,
        status.st_mode,
        status.st_nlink,
        status.st_uid,
        status.st_gid,
        0,
        4096,
        0,
    )


class Server:
    def __init__(self, folder, mount_point):
        self.device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        self.paths, self.numbers = {1: folder}, {folder: 1}
        self.hangs, self.waiting = False, []
        options = f"fd={self.device},rootmode=40000,user_id=0,group_id=0,allow_other"
        if libc.mount(b"hung", mount_point.encode(), b"fuse.hung", 0, options.encode()) != 0:
            raise OSError(ctypes.get_errno(), "mount")

    def number_of(self, path):
        if path not in self.numbers:
            self.numbers[path] = len(self.paths) + 1
            self.paths[self.numbers[path]] = path
        return self.numbers[path]

    def answer(self, request):
        _length, opcode, unique, node = struct.unpack_from("<IIQQ", request)
        if opcode in (FORGET, INTERRUPT, BATCH_FORGET, DESTROY):
            return
        try:
            error, body = 0, self.do(opcode, self.paths.get(node), request[40:])
        except OSError as failure:
            error, body = -failure.errno, b""
        os.write(self.device, struct.pack("<IiQ", 16 + len(body), error, unique) + body)

    def do(self, opcode, path, data):
        if opcode == INIT:
            major, minor, ahead, _flags = struct.unpack_from("<4I", data)
            return struct.pack("<4I2H2I", 7, min(minor, 31), ahead, 0, 16, 12, 65536, 1).ljust(
                64, b"\0"
            )
        if opcode == LOOKUP:
            below = path + "/" + data.split(b"\0")[0].decode()
            status = os.lstat(below)
            return struct.pack("<4Q2I", self.number_of(below), 0, 0, 0, 0, 0) + attributes(status)
        if opcode == GETATTR:
            return struct.pack("<Q2I", 0, 0, 0) + attributes(os.lstat(path))
        if opcode == READLINK:
            return os.readlink(path).encode()
        if opcode in (OPEN, OPENDIR):
            return struct.pack("<Q2I", 0, 0, 0)
        if opcode == READ:
            _handle, offset, size = struct.unpack_from("<QQI", data)
            with open(path, "rb") as file:
                return os.pread(file.fileno(), size, offset)
        if opcode == READDIR:
            return self.entries(path, *struct.unpack_from("<QQI", data)[1:])
        if opcode in (RELEASE, RELEASEDIR, FLUSH, ACCESS):
            return b""
        raise OSError(ENOSYS, "not here")

    def entries(self, path, offset, size):
        out = b""
        for at, name in enumerate(sorted(os.listdir(path))[offset:], offset):
            mode = os.lstat(path + "/" + name).st_mode
            text = name.encode()
            entry = (
                struct.pack(
                    "<QQII",
                    self.number_of(path + "/" + name),
                    at + 1,
                    len(text),
                    stat.S_IFMT(mode) >> 12,
                )
                + text
            )
            entry = entry.ljust((len(entry) + 7) & ~7, b"\0")
            if len(out) + len(entry) > size:
                break
            out += entry
        return out

    def obey(self, word):
        self.hangs = word == "hang"
        while self.waiting and not self.hangs:
            self.answer(self.waiting.pop(0))
        print("ok", flush=True)

    def serve(self):
        while True:
            for ready in select.select([self.device, sys.stdin], [], [])[0]:
                if ready is sys.stdin:
                    word = sys.stdin.readline().strip()
                    if not word:
                        return
                    self.obey(word)
                    continue
                request = os.read(self.device, 1 << 20)
                if struct.unpack_from("<I", request, 4)[0] == INIT or not self.hangs:
                    self.answer(request)
                else:
                    self.waiting.append(request)


if __name__ == "__main__":
    server = Server(*sys.argv[1:3])
    print("ready", flush=True)
    server.serve()
