"""Runs a program to which the kernel denies some system calls: deny_calls.py kill=EPERM tkill=EPERM
-- CMD ..."""
import ctypes
import errno
import os
import platform
import struct
import sys

NUMBERS = {
    "x86_64": {
        "arch": 0xC000003E,
        "ioctl": 16,
        "renameat2": 316,
        "kill": 62,
        "tkill": 200,
        "clone": 56,
        "pidfd_open": 434,
        "pidfd_send_signal": 424,
        "close_range": 436,
        "openat2": 437,
    },
    "aarch64": {
        "arch": 0xC00000B7,
        "ioctl": 29,
        "renameat2": 276,
        "kill": 129,
        "tkill": 130,
        "clone": 220,
        "pidfd_open": 434,
        "pidfd_send_signal": 424,
        "close_range": 436,
        "openat2": 437,
    },
}
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2


def program(denials):
    """seccomp(2) filter: each denied call answers with its errno."""
    numbers = NUMBERS[platform.machine()]
    code = [(LOAD, 0, 0, 0)]
    for call, answer in denials:
        code += [(JUMP_EQUAL, 0, 1, numbers[call]), (RETURN, 0, 0, ERRNO | getattr(errno, answer))]
    return code + [(RETURN, 0, 0, ALLOW)]


def main():
    split = sys.argv.index("--")
    code = program([word.split("=") for word in sys.argv[1:split]])
    packed = b"".join(struct.pack("HBBI", *instruction) for instruction in code)
    memory = ctypes.create_string_buffer(packed)
    filter_program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, FILTER, filter_program, 0, 0) != 0:
        sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")
    os.execv(sys.argv[split + 1], sys.argv[split + 1 :])


if __name__ == "__main__":
    main()
