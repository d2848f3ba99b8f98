"""Faults of the machine: sockets that are deleted, files that run out, a state file that is no more what it was."""

import itertools
import os
import resource
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from attack_case import INSIDE, AttackCase
from daemon import Daemon, eventually
from wire import ADMIN, GUARD, Wire


class LostSockets(AttackCase):
    def _status(self) -> dict[str, Any]:
        return self.answered(self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Status"))

    def _serves(self, path: Path) -> bool:
        try:
            with Wire(path, 5) as wire:
                return "parameters" in wire.call("org.varlink.service.GetInfo")
        except OSError:
            return False

    def test_deleted_sockets_come_back_and_open_connections_go_on(self) -> None:
        held = self.wire()
        self.managed(held)
        modes = [path.stat().st_mode for path in (self.daemon.guard_socket, self.daemon.admin_socket)]
        self.daemon.guard_socket.unlink()
        self.daemon.admin_socket.unlink()
        for path, mode in zip((self.daemon.guard_socket, self.daemon.admin_socket), modes, strict=True):
            eventually(lambda path=path: self._serves(path), f"{path} is there again")
            self.assertEqual(path.stat().st_mode, mode)
        self.is_guarded(held)
        self.daemon.tells("a socket was gone and is there again", 2)
        eventually(lambda: "socketError" not in self._status(), "all is well")

    def test_a_socket_that_was_replaced_is_taken_back(self) -> None:
        self.daemon.guard_socket.unlink()
        self.daemon.guard_socket.write_text("no socket")
        eventually(lambda: self._serves(self.daemon.guard_socket), "it is there again")

    def test_a_directory_that_was_deleted_comes_back_with_its_lock(self) -> None:
        shutil.rmtree(self.daemon.sockets)
        for path in (self.daemon.guard_socket, self.daemon.admin_socket):
            eventually(lambda path=path: self._serves(path), f"{path} is there again")
        eventually(self.daemon.contract.exists, "the contract is there again")
        second = subprocess.run(self.daemon.command(), capture_output=True, text=True, timeout=120)
        self.assertEqual(second.returncode, 2)
        self.assertIn("another daemon serves", second.stderr)

    def test_a_socket_that_goes_with_its_first_connection_comes_back(self) -> None:
        for _ in range(8):
            daemon = Daemon(self.configuration)
            self.addCleanup(daemon.remove)
            going = threading.Thread(target=_unlink_at_once, args=(daemon.admin_socket,))
            going.start()
            daemon.start()
            going.join()
            eventually(lambda daemon=daemon: self._serves(daemon.admin_socket), "it is there again")
            daemon.remove()

    def test_what_cannot_be_made_again_is_said_in_the_status(self) -> None:
        admin = self.wire(self.daemon.admin_socket)
        shutil.rmtree(self.daemon.sockets)
        self.daemon.sockets.mkdir()
        os.chown(self.daemon.sockets, 61_666, 61_666)
        eventually(lambda: "socketError" in self.answered(admin.call(f"{ADMIN}.Status")), "it is said")
        self.assertFalse(self.daemon.guard_socket.exists())
        os.chown(self.daemon.sockets, os.getuid(), os.getgid())
        eventually(lambda: self._serves(self.daemon.guard_socket), "it is there again")
        eventually(lambda: self._serves(self.daemon.admin_socket), "it is there again")


def _unlink_at_once(path: Path) -> None:
    """Takes a socket away as soon as somebody can connect to it."""
    while True:
        with socket.socket(socket.AF_UNIX) as attempt:
            if attempt.connect_ex(str(path)) == 0:
                return path.unlink()


class NoMoreFiles(AttackCase):
    def _limit(self, files: int) -> None:
        hard = resource.prlimit(self.daemon.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(self.daemon.pid, resource.RLIMIT_NOFILE, (files, hard))

    def _first_free(self) -> int:
        """The number that its next file would get; files that it has open for a moment do not count."""
        return min(self._free_now() for _ in range(30))

    def _free_now(self) -> int:
        time.sleep(0.01)
        taken = {int(name) for name in os.listdir(f"/proc/{self.daemon.pid}/fd")}
        return next(number for number in itertools.count() if number not in taken)

    def _processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.daemon.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_new_connections_wait_and_old_ones_go_on(self) -> None:
        held, admin = self.wire(), self.wire(self.daemon.admin_socket)
        self.managed(held)
        self.answered(admin.call(f"{ADMIN}.Status"))
        self._limit(self._first_free())
        began = self._processor_seconds()
        late = Wire(self.daemon.guard_socket, 0.5)
        self.addCleanup(late.socket.close)
        with self.assertRaises(TimeoutError):
            late.call(f"{GUARD}.WhoAmI")
        self.assertEqual(self.daemon.tells("no more files can be opened"), 1)
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline:
            self.is_guarded(held)
            time.sleep(0.1)
        self.assertLess(self._processor_seconds() - began, 1.5, "the daemon spins")
        # A reload needs files: it fails, and the policy in force stays.
        self.assertEqual(admin.call(f"{ADMIN}.Reload")["error"], f"{ADMIN}.LoadFailed")
        self.is_guarded(held)
        self._limit(1024)
        late.socket.settimeout(10)
        self.assertIn("uid", late.reply()["parameters"])
        self.assertEqual(self.daemon.tells("files can be opened again"), 1)
        self.answered(admin.call(f"{ADMIN}.Reload"))

    def test_there_are_never_more_connections_than_files(self) -> None:
        daemon = Daemon(self.configuration, prefix=["prlimit", "--nofile=160:160"])
        self.addCleanup(daemon.remove)
        daemon.start()
        daemon.tells("connections=32")
        held = [self.wire(daemon.guard_socket) for _ in range(40)]
        self.answered(self.wire(daemon.admin_socket).call(f"{ADMIN}.Reload"))
        self.assertEqual(len(held), 40)


class LostState(AttackCase):
    """Whose the clipboards are is in the state file; without it every clip is taken for an unknown owner's."""

    def _state(self) -> Path:
        return self.daemon.directory / "state/state.db"

    def _pasted_after_restart(self, attach: dict[str, Any]) -> tuple[str, str]:
        self.daemon.start()
        wire = self.wire()
        self.private(wire, **attach)
        return self.paste(wire)

    def _status(self) -> dict[str, Any]:
        return self.answered(self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Status"))

    def _set_aside(self) -> list[Path]:
        return sorted(self._state().parent.glob("state.db.unusable-*Z"))

    def test_a_damaged_file_is_set_aside_said_aloud_and_judged_strictly(self) -> None:
        wire = self.wire()
        self.private(wire)
        self.decide(wire, "Copy", "home", selection="clipboard", length=3)
        self.assertEqual(self.paste(wire)[0], "allow")
        self.assertEqual(self.daemon.stop(), 0)
        damaged = bytearray(self._state().read_bytes())
        damaged[100:] = os.urandom(len(damaged) - 100)
        self._state().write_bytes(damaged)
        before = len(self._set_aside())
        self.assertEqual(self._pasted_after_restart({})[0], "block")
        self.assertTrue(self._status()["stateError"])
        self.assertEqual(len(self._set_aside()), before + 1)
        self.assertEqual(self._set_aside()[-1].read_bytes(), bytes(damaged))
        self.daemon.tells("the state is lost")
        # The next copy is known again, and a restart keeps it.
        again = self.wire()
        self.private(again)
        self.decide(again, "Copy", "home", selection="clipboard", length=3)
        self.assertEqual(self.paste(again)[0], "allow")

    def test_a_file_that_is_overwritten_while_it_is_used(self) -> None:
        """What the daemon holds in memory goes on; what it finds in the file at the next start is not believed."""
        wire = self.wire()
        self.managed(wire)
        self.copy(wire)
        with open(self._state(), "r+b") as file:
            file.write(os.urandom(65_536))
        for _ in range(50):
            self.copy(wire)
        self.is_guarded(wire)
        self.daemon.stop(signal.SIGKILL)
        self.assertEqual(self._pasted_after_restart({})[0], "block")

    def test_a_file_that_is_replaced_by_an_older_one(self) -> None:
        """Yesterday's file says that the clipboard is nobody's; today it is the organisation's."""
        wire = self.wire()
        self.private(wire)
        self.decide(wire, "Copy", "home", selection="clipboard", length=3)
        self.assertEqual(self.daemon.stop(), 0)
        old = self._state().read_bytes()
        self.daemon.start()
        wire = self.wire()
        self.managed(wire)
        self.copy(wire)
        older = self._state().with_name("older")
        older.write_bytes(old)
        older.chmod(0o600)
        older.rename(self._state())
        self.copy(wire)
        eventually(lambda: "stateError" in self._status(), "it is said")
        self.daemon.stop(signal.SIGKILL)
        self.assertEqual(self._pasted_after_restart({})[0], "block")

    def test_only_the_last_files_are_kept_aside(self) -> None:
        self.assertEqual(self.daemon.stop(), 0)
        for number in range(6):
            (self._state().parent / f"state.db.unusable-2026010{number}T000000Z").write_bytes(b"old")
        self._state().write_bytes(b"no database" * 1000)
        self.daemon.start()
        kept = self._set_aside()
        self.assertEqual(len(kept), 4)
        self.assertEqual(kept[-1].read_bytes(), b"no database" * 1000)

    def test_without_a_disk_to_write_to_nothing_is_weaker(self) -> None:
        wire = self.wire()
        self.managed(wire)
        self.copy(wire)
        shutil.rmtree(self._state().parent)
        for _ in range(3):
            self.copy(wire)
        self.is_guarded(wire)
        self.assertEqual(self.navigate(wire, INSIDE), ("allow", "internal"))
        eventually(lambda: "stateError" in self._status(), "it is said")
        self.daemon.stop(signal.SIGKILL)
        self.assertEqual(self._pasted_after_restart({})[0], "block")
