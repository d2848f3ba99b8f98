"""A machine of its own that really boots: systemd in a container, on a copy-on-write view of this machine's root."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

# What this machine may have enabled, and a test needs no copy of.
MASKED = [
    "redis-server.service", "squid.service", "etcd.service", "nats-server.service", "systemd-networkd.service",
    "systemd-timesyncd.service", "apt-daily.timer", "apt-daily-upgrade.timer", "prometheus.service",
    "prometheus-node-exporter.service", "postgresql.service", "man-db.timer", "e2scrub_all.timer", "fstrim.timer",
]  # fmt: skip
BOOT_SECONDS = 120.0
# Whether the clock is kept right, and to fence oneself in.
CALLS = ["adjtimex", "clock_adjtime", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"]

Done = subprocess.CompletedProcess[str]


def enter_own_mounts() -> None:
    """Starts this program again where its mounts are seen by nobody else and end with it."""
    if os.environ.get("WVG_OWN_MOUNTS") == "1":
        return
    os.environ["WVG_OWN_MOUNTS"] = "1"
    command = ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv]
    os.execvp(command[0], command)


class Machine:
    """The container. What it changes is in memory, and gone with it."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-machine-"))
        self.root = self.directory / "root"
        self.process: subprocess.Popen[bytes] | None = None
        self.leader = 0
        self._mount()

    def _mount(self) -> None:
        _run("mount", "-t", "tmpfs", "-o", "size=2g", "tmpfs", str(self.directory))
        for name in ("root", "upper", "work"):
            (self.directory / name).mkdir()
        options = f"lowerdir=/,upperdir={self.directory}/upper,workdir={self.directory}/work"
        _run("mount", "-t", "overlay", "overlay", "-o", options, str(self.root))
        units = self.root / "etc/systemd/system"
        for unit in MASKED:
            (units / unit).unlink(missing_ok=True)
            (units / unit).symlink_to("/dev/null")
        # Images made for containers keep packages from starting their services.
        (self.root / "usr/sbin/policy-rc.d").unlink(missing_ok=True)
        # A boot is no first boot, and asks nothing.
        (self.root / "etc/machine-id").write_text("0123456789abcdef0123456789abcdef\n")
        # The journal outlives a reboot of the container, and this machine's own is none of the test's business.
        shutil.rmtree(self.root / "var/log/journal", ignore_errors=True)

    def boot(self) -> None:
        """Returns when systemd says that it is up."""
        said = open(self.directory / "console", "ab")
        self.process = subprocess.Popen(
            ["systemd-nspawn", "-q", "-b", "-D", str(self.root), "--register=no", "--keep-unit", "--private-network",
             "--machine=webviewguard-rig",
             # On a real machine every program may do so; nspawn lets none of its programs.
             f"--system-call-filter={' '.join(CALLS)}",
             # For directories that a program encrypts.
             *(["--bind=/dev/fuse"] if Path("/dev/fuse").exists() else [])],
            stdin=subprocess.DEVNULL, stdout=said, stderr=said,
        )  # fmt: skip
        deadline = time.monotonic() + BOOT_SECONDS
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the container ended: {(self.directory / 'console').read_text()[-2000:]}")
            self.leader = self.leader or _only_child(self.process.pid)
            if self.leader and self.run("systemctl", "is-system-running").stdout.strip() in ("running", "degraded"):
                return
            time.sleep(0.2)
        raise TimeoutError(f"the container did not boot within {BOOT_SECONDS} s")

    def reboot(self) -> None:
        """Ends it in order, and boots it again; what it wrote to its disks is there."""
        assert self.process
        self.run("systemctl", "poweroff")
        self.process.wait(timeout=BOOT_SECONDS)
        self.leader = 0
        self.boot()

    def run(self, *command: str, user: str | None = None, seconds: float = 120.0, text: str | None = None) -> Done:
        """Runs a command inside, as root or as a user with all groups."""
        prefix = ["nsenter", "-t", str(self.leader), "-m", "-u", "-i", "-n", "-p", "-C"]
        if user:
            prefix += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        return subprocess.run(
            [*prefix, *command], capture_output=True, text=True, timeout=seconds, input=text or "", cwd="/",
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"},
        )  # fmt: skip

    def must(self, *command: str, user: str | None = None, seconds: float = 120.0, text: str | None = None) -> str:
        """What a command says; an error when it fails."""
        done = self.run(*command, user=user, seconds=seconds, text=text)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def begin(self, command: Sequence[str]) -> "subprocess.Popen[str]":
        """Starts a command inside, which goes on meanwhile."""
        prefix = ["nsenter", "-t", str(self.leader), "-m", "-u", "-i", "-n", "-p", "-C"]
        return subprocess.Popen(
            [*prefix, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/"
        )

    def write(self, path: str, text: str, mode: int = 0o644) -> None:
        """Writes a file inside."""
        self.must("install", "-D", "-m", f"{mode:o}", "/dev/stdin", path, text=text)

    def show(self, unit: str, name: str) -> str:
        """A property of a unit."""
        return self.must("systemctl", "show", "--value", "-p", name, unit).strip()

    def journal(self, unit: str) -> str:
        return self.must("journalctl", "--no-pager", "-o", "cat", "-u", unit)

    def eventually(self, holds, what: str, seconds: float = 120.0):  # type: ignore[no-untyped-def]
        """The first true value of `holds`; an error after the deadline."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if value := holds():
                return value
            time.sleep(0.1)
        raise TimeoutError(f"not within {seconds} s: {what}")

    def remove(self) -> None:
        """Ends the container, and takes away its mounts."""
        if self.process and self.process.poll() is None:
            # The leader ends at once, which ends everything inside.
            if self.leader:
                os.kill(self.leader, signal.SIGKILL)
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for place in (self.root, self.directory):
            subprocess.run(["umount", "--lazy", str(place)], capture_output=True, timeout=30)
        self.directory.rmdir()


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr}")


def _only_child(pid: int) -> int:
    """The process that a process has begun; 0 before it has."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    return int(children[0]) if children else 0
