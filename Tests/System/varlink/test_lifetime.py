"""Connections, instances and daemons come and go; what they leave behind must never weaken an answer."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from configuration import SETTINGS, Configuration
from daemon import Daemon, eventually
from session import DaemonCase, Handler
from wire import GUARD

CONNECTIONS = 48


class Instances(DaemonCase):
    """`graceSeconds` is 1 here."""

    def test_an_instance_waits_for_its_app_to_come_back(self) -> None:
        handler = self.guard()
        token = self.call(handler, "Attach")["instance"]
        self.call(handler, "RegisterViewer", viewer="docs", **{"class": "documents"})
        handler.close()
        back = self.guard()
        self.call(back, "Attach", instance=token)
        self.assertEqual(self.call(back, "SetDocument", viewer="docs", document="https://contoso.com/"), {})

    def test_after_its_time_an_instance_is_gone(self) -> None:
        handler = self.guard()
        token = self.call(handler, "Attach")["instance"]
        handler.close()
        self._outlived(token)
        late = self.guard()
        self.refused(f"{GUARD}.UnknownInstance", late, "Attach", instance=token)
        self.assertNotEqual(self.call(late, "Attach")["instance"], token)
        self.refused(f"{GUARD}.UnknownViewer", late, "SetDocument", viewer="docs")

    def test_as_long_as_one_connection_is_left_it_lives(self) -> None:
        first, second = self.guard(), self.guard()
        token = self.call(first, "Attach")["instance"]
        self.call(second, "Attach", instance=token)
        self.call(second, "RegisterViewer", viewer="kept")
        other = self.guard()
        ended = self.call(other, "Attach")["instance"]
        first.close()
        other.close()
        self._outlived(ended)
        self.assertEqual(self.call(second, "SetDocument", viewer="kept"), {})

    def test_a_scope_dies_with_its_connection(self) -> None:
        first, second = self.guard(), self.guard()
        token = self.call(first, "Attach")["instance"]
        self.call(second, "Attach", instance=token)
        self.call(first, "SetIdentity", level="process", account="work@contoso.com")
        self.call(first, "SetIdentity", level="scope", account="me@example.org")
        self.call(first, "RegisterViewer", viewer="docs", **{"class": "documents"})
        self.assertEqual(self.navigate(first, "https://example.net/")["reason"], "unmanaged")
        self.assertEqual(self.navigate(second, "https://example.net/")["outcome"], "redirect")
        first.close()
        self.assertEqual(self.navigate(second, "https://example.net/")["identityLevel"], "process")

    def test_a_clip_outlives_the_instance_that_made_it(self) -> None:
        handler = self.guard()
        token = self.call(handler, "Attach")["instance"]
        self.call(handler, "SetIdentity", level="process", account="work@contoso.com")
        self.call(handler, "RegisterViewer", viewer="docs", **{"class": "documents"})
        self.decide(handler, "Copy", viewer="docs", selection="clipboard", length=12)
        handler.close()
        self._outlived(token)
        other = self.attached()
        self.call(other, "SetIdentity", level="process", account="me@example.org")
        self.call(other, "RegisterViewer", viewer="home")
        pasted = self.decide(other, "Paste", viewer="home", selection="clipboard", length=12)
        self.assertEqual((pasted["outcome"], pasted["reason"]), ("block", "orgData"))

    def test_programs_that_do_not_come_back_end_in_the_order_of_their_start(self) -> None:
        tokens = [self.call(self.guard(), "Attach")["instance"] for _ in range(8)]
        self.daemon.stop(signal.SIGKILL)
        type(self).killed += 1
        self.daemon.start()
        for token in tokens:
            self._outlived(token)
        names = [token[: len(token) // 2] for token in tokens]
        self.assertEqual([name for name in self._ended() if name in names], names)

    def _outlived(self, token: str) -> None:
        """Waits until the log has the end of an instance; its records carry the first half of the token."""
        eventually(lambda: self._has_ended(token), "the instance ends")

    def _has_ended(self, token: str) -> bool:
        return token[: len(token) // 2] in self._ended()

    def _ended(self) -> list[str]:
        """The instances that ended, in the order of the log."""
        return [record["instance"] for record in self.daemon.records("state") if record["change"] == "instanceEnd"]


class Connections(DaemonCase):
    def test_too_many_connections_are_closed_and_the_others_served(self) -> None:
        held = [self.wire() for _ in range(CONNECTIONS)]
        answered = [wire for wire in held if "parameters" in wire.call(f"{GUARD}.WhoAmI")]
        self.assertEqual(len(answered), CONNECTIONS)
        self.assertTrue(self.wire().is_closed())
        self.assertIn("uid", held[0].call(f"{GUARD}.WhoAmI")["parameters"])
        held.pop().socket.close()
        eventually(self._is_served, "there is room again")

    def _is_served(self) -> bool:
        try:
            return "parameters" in self.wire().call(f"{GUARD}.WhoAmI")
        except ConnectionError:
            return False


class Daemons(DaemonCase):
    def test_a_second_daemon_is_refused_and_harms_nothing(self) -> None:
        handler = self.managed()
        contract = self.daemon.contract.stat().st_ino
        second = subprocess.run(self.daemon.command(), capture_output=True, text=True, timeout=20)
        self.assertEqual(second.returncode, 2, second.stderr)
        expected = (
            f"error: another daemon serves `{self.daemon.guard_socket}`; "
            "stop it, or give this one another directory with --socket-dir"
        )
        self.assertIn(expected, second.stderr.splitlines())
        self.assertEqual(self.daemon.contract.stat().st_ino, contract)
        self.assertEqual(self.navigate(handler, "https://contoso.com/")["reason"], "internal")
        self.assert_daemon_lives()

    def test_a_directory_that_others_may_write_is_refused(self) -> None:
        place = self.daemon.directory / "open"
        place.mkdir()
        place.chmod(0o777)
        command = [str(place) if word == str(self.daemon.sockets) else word for word in self.daemon.command()]
        refused = subprocess.run(command, capture_output=True, text=True, timeout=20)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn(f"others may write into `{place}`", refused.stderr)

    def test_a_killed_daemon_is_followed_by_another_that_knows_the_clips(self) -> None:
        handler = self.guard()
        token = self.call(handler, "Attach")["instance"]
        self.call(handler, "SetIdentity", level="process", account="work@contoso.com")
        self.call(handler, "RegisterViewer", viewer="docs", **{"class": "documents"})
        clip = self.decide(handler, "Copy", viewer="docs", selection="clipboard", length=4)["clip"]
        first = self.navigate(handler, "https://contoso.com/")["id"]
        self.daemon.stop(signal.SIGKILL)
        type(self).killed += 1
        with self.assertRaises(ConnectionError):
            self._navigate_unanswered(handler)
        self.daemon.start()
        back = self.guard()
        self.refused(f"{GUARD}.UnknownInstance", back, "Attach", instance="invented")
        self.assertEqual(self.call(back, "Attach", instance=token)["instance"], token)
        self.call(back, "SetIdentity", level="process", account="me@example.org")
        self.call(back, "RegisterViewer", viewer="home")
        for claim in ({}, {"clip": clip}):
            pasted = self.decide(back, "Paste", viewer="home", selection="clipboard", length=4, **claim)
            self.assertEqual((pasted["outcome"], pasted["reason"]), ("block", "orgData"))
        self.assertNotEqual(self.navigate(back, "https://contoso.com/", "home")["id"], first)

    def _navigate_unanswered(self, handler: Handler) -> None:
        type(self).asked -= 1
        self.navigate(handler, "https://contoso.com/")

    def test_sigterm_ends_it_after_the_answers(self) -> None:
        wire = self.wire()
        wire.call(f"{GUARD}.Attach")
        self.assertEqual(self.daemon.stop(), 0)
        self.assertTrue(wire.is_closed())
        self.daemon.start()

    def test_signals_in_any_phase_end_it_cleanly_or_not_at_all(self) -> None:
        """From the first moment on: while it starts, while it serves, and while it writes its last records. One SIGTERM
        ends it with everything in order, however many follow."""
        for last in (signal.SIGTERM, signal.SIGINT):
            daemon = Daemon(self.configuration)
            try:
                process = subprocess.Popen(daemon.command(), stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
                daemon.process = process
                eventually(lambda: _traps(process.pid, signal.SIGHUP, signal.SIGTERM, signal.SIGINT), "signals are trapped")
                for _ in range(200):
                    process.send_signal(signal.SIGHUP)
                process.send_signal(last)
                while process.poll() is None:
                    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
                        process.send_signal(number)
                self.assertEqual(process.returncode, 0)
                self.assertEqual([record["type"] for record in daemon.all_records()][-1], "stop")
                self.assertEqual(daemon.verify_log().returncode, 0)
            finally:
                daemon.remove()

    def test_sighup_loads_the_policy(self) -> None:
        Configuration(settings=SETTINGS.replace("answerMs: 400", "answerMs: 401")).write(self.daemon.config)
        before = self._contract()
        os.kill(self.daemon.pid, signal.SIGHUP)
        eventually(lambda: self._contract()["answerMs"] == 401, "the new contract is in force")
        self.assertNotEqual(before["answerMs"], 401)
        self.configuration.write(self.daemon.config)

    def _contract(self) -> dict[str, Any]:
        handler = self.guard()
        try:
            return self.call(handler, "Attach")["contract"]
        finally:
            handler.close()


def _traps(pid: int, *numbers: int) -> bool:
    """Whether a process has handlers of its own for all these signals."""
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    caught = int(status["SigCgt"], 16)
    return all(caught >> number - 1 & 1 for number in numbers)
