"""Tries what the daemon must not be able to do, from inside its sandbox, and writes down what was possible. With the name
of a file it tries what the helper must not be able to do that removes a user's files, and writes it down there."""

import ctypes
import json
import mmap
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x00020000
libc = ctypes.CDLL(None, use_errno=True)


def must(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), "refused")


def write(path: str) -> None:
    with open(path, "w") as file:
        file.write("x")


def boot(text: str) -> None:
    """Fails when the boot has no id."""
    if len(text) != 32:
        raise OSError(0, "no id of the boot")


def homes() -> None:
    """Fails when the homes are hidden."""
    if not os.listdir("/home") and not os.access("/root/.", os.R_OK | os.X_OK):
        raise OSError("nothing to see")


def interfaces() -> None:
    if {name for _, name in socket.if_nameindex()} <= {"lo"}:
        raise OSError("nothing but lo")


TRIALS: dict[str, Callable[[], object]] = {
    "write /etc": lambda: write("/etc/webviewguard-probe"),
    "write the configuration": lambda: write("/etc/webviewguard/policy.d/probe.yaml"),
    "write /usr": lambda: write("/usr/share/webviewguard/policy.d/probe.yaml"),
    "write /tmp of others": lambda: os.stat("/tmp/seen-by-all"),
    "see homes": homes,
    "see interfaces": interfaces,
    "open an Internet socket": lambda: socket.socket(socket.AF_INET),
    "open a netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "write and execute memory": lambda: mmap.mmap(
        -1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC),
    "make a user namespace": lambda: must(libc.unshare(CLONE_NEWUSER)),
    "make a mount namespace": lambda: must(libc.unshare(CLONE_NEWNS)),
    "become root": lambda: os.setuid(0),
    "take a real-time class": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "set the clock": lambda: must(libc.settimeofday(ctypes.create_string_buffer(16), None)),
    "make a set-uid file": lambda: (write("/run/webviewguard/suid"), os.chmod("/run/webviewguard/suid", 0o4755)),
    "open a disk": lambda: open("/dev/kmsg", "rb"),
    "open kernel settings": lambda: write("/proc/sys/kernel/hostname"),
    "read kernel settings": lambda: Path("/proc/sys/kernel/hostname").read_text(),
}  # fmt: skip

# What it must be able to do.
NEEDS: dict[str, Callable[[], object]] = {
    "write where the sockets lie": lambda: write("/run/webviewguard/probe"),
    "write the state": lambda: write(os.environ["STATE_DIRECTORY"] + "/probe"),
    "write the log": lambda: write(os.environ["LOGS_DIRECTORY"] + "/probe"),
    "open a Unix socket": lambda: socket.socket(socket.AF_UNIX),
    "see the unit of others": lambda: Path("/proc/1/cgroup").read_text(),
    "know whether the clock is kept right": lambda: must(min(libc.adjtimex(ctypes.create_string_buffer(512)), 0)),
    "know the boot": lambda: boot(os.environ.get("WEBVIEWGUARD_BOOT_ID", "")),
}


def possible(trial: Callable[[], object]) -> bool:
    try:
        trial()
    except OSError:
        return False
    return True


# The helper's work is in homes, and what lies in /tmp must not count as removed.
HELPER = {name: trial for name, trial in TRIALS.items() if name not in ("see homes", "write /tmp of others")} | {
    "write what is the daemon's": lambda: write("/run/webviewguard/probe"),
    "write /tmp": lambda: write("/tmp/webviewguard-probe"),
}
HELPER_NEEDS: dict[str, Callable[[], object]] = {
    "see homes": homes,
    "write in homes": lambda: write(os.path.expanduser("~/probe")),
    "open a Unix socket": lambda: socket.socket(socket.AF_UNIX),
}


def outcome(trials: dict[str, Callable[[], object]], needs: dict[str, Callable[[], object]]) -> str:
    return json.dumps({"trials": {name: possible(trial) for name, trial in trials.items()},
                       "needs": {name: possible(trial) for name, trial in needs.items()}, "uid": os.getuid()})  # fmt: skip


if sys.argv[1:]:
    Path(sys.argv[1]).write_text(outcome(HELPER, HELPER_NEEDS))
else:
    found = outcome(TRIALS, NEEDS)
    for left in ("/run/webviewguard/suid", *(os.environ[f"{name}_DIRECTORY"] + "/probe" for name in ("STATE", "LOGS"))):
        Path(left).unlink(missing_ok=True)
    Path("/run/webviewguard/probe").write_text(found)
