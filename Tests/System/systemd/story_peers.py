"""Who asks is known, and who answers is believed."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rig import GUARD_SOCKET, PERSON, SERVICE, SOCKETS, TESTS, Case

# The contract of the tests opens navigation: only who believes the file lets it through while nobody answers.
ANSWERED = {"connected": True, "local": False}
BY_CONTRACT = {"connected": False, "local": True, "outcome": 1}


class Peers(Case):
    def who(self, *options: str, socket: str = GUARD_SOCKET) -> dict[str, Any]:
        """What the daemon knows of a program that systemd starts."""
        command = ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", *options]
        command += ["/usr/bin/python3", f"{TESTS}/who.py", socket]
        found: dict[str, Any] = json.loads(self.machine.must(*command))
        return found

    @contextmanager
    def socket(self, name: str) -> Iterator[str]:
        """A socket of its own for an app, as a unit; the daemon is started anew with it, and without it."""
        path = f"/run/{name}.sock"
        unit = f"[Socket]\nListenStream={path}\nFileDescriptorName={name}\nService={SERVICE}\n"
        self.machine.write(f"/run/systemd/system/{name}.socket", unit)
        self.machine.must("systemctl", "daemon-reload")
        self.machine.must("systemctl", "stop", SERVICE)
        try:
            self.machine.must("systemctl", "start", f"{name}.socket")
            self.machine.must("systemctl", "start", SERVICE)
            yield path
        finally:
            self.machine.must("systemctl", "stop", f"{name}.socket", SERVICE)
            self.machine.must("rm", f"/run/systemd/system/{name}.socket")
            self.machine.must("systemctl", "daemon-reload")
            self.machine.must("systemctl", "start", SERVICE)

    def test_an_app_is_told_by_its_own_socket(self) -> None:
        with self.socket("lobby") as path:
            self.assertEqual(self.who(f"--uid={PERSON}", socket=path)["app"], "com.contoso.lobby")
            self.assertEqual(self.who(f"--uid={PERSON}")["app"], "com.contoso.portal", "nobody else is changed")

    def test_who_comes_through_a_socket_that_no_app_has_is_nobody(self) -> None:
        with self.socket("stray") as path:
            found = self.who(f"--uid={PERSON}", socket=path)
        self.assertIsNone(found.get("app"))

    def test_user_and_groups_are_known(self) -> None:
        uid = int(self.machine.must("id", "-u", PERSON))
        self.machine.must("usermod", "--append", "--groups", "games", PERSON)
        found = self.who(f"--uid={PERSON}")
        self.assertEqual(found["uid"], uid)
        self.assertIn("games", found["groups"])
        self.assertEqual(found["app"], "com.contoso.portal")

    def test_a_unit_is_known_although_another_user_runs_it(self) -> None:
        found = self.who("--unit=contoso-kiosk", "--uid=games")
        self.assertEqual(found["unit"], "contoso-kiosk.service")
        self.assertEqual(found["app"], "com.contoso.kiosk")

    def test_with_a_hidden_proc_no_unit_is_known(self) -> None:
        """Why the unit says ProtectProc=default."""
        with self.drop_in("ProtectProc=invisible"):
            found = self.who("--unit=contoso-kiosk", "--uid=games")
        self.assertIsNone(found.get("unit"))
        self.assertIsNone(found.get("app"))

    def test_with_private_users_everybody_is_nobody(self) -> None:
        """Why the unit says PrivateUsers=no."""
        with self.drop_in("PrivateUsers=yes"):
            found = self.who(f"--uid={PERSON}")
        self.assertEqual(found["uid"], 65534)
        self.assertIsNone(found.get("app"))


class Clients(Case):
    """The clients find the daemon's sockets and believe its contract, which its user wrote and not root."""

    @classmethod
    def setUpClass(cls) -> None:
        flags = cls.machine.must("pkg-config", "--cflags", "--libs", "webviewguard").split()
        cls.machine.must("cc", "-std=c11", "-Wall", "-Werror", "-o", f"{TESTS}/client", f"{TESTS}/client.c", *flags)

    def ask(self) -> dict[str, dict[str, Any]]:
        programs = {"python": ["/usr/bin/python3", f"{TESTS}/client.py"], "c": [f"{TESTS}/client"]}
        return {name: json.loads(self.machine.must(*command, user=PERSON)) for name, command in programs.items()}

    def test_they_are_answered(self) -> None:
        for name, found in self.ask().items():
            self.assertEqual(found | ANSWERED, found, name)

    def test_while_nobody_answers_they_go_by_the_contract(self) -> None:
        units = [*SOCKETS, SERVICE]
        self.machine.must("systemctl", "stop", *units)
        try:
            for name, found in self.ask().items():
                self.assertEqual(found, BY_CONTRACT, name)
        finally:
            self.machine.must("systemctl", "start", *units)

    def test_a_contract_of_somebody_else_is_not_believed(self) -> None:
        units = [*SOCKETS, SERVICE]
        self.machine.must("systemctl", "stop", *units)
        try:
            self.machine.must("chown", PERSON, "/run/webviewguard/contract.json")
            for name, found in self.ask().items():
                self.assertEqual(found["outcome"], 0, name)
        finally:
            self.machine.must("chown", "webviewguard", "/run/webviewguard/contract.json")
            self.machine.must("systemctl", "start", *units)
