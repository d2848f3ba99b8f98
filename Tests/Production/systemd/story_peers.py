"""Who asks is known, and who answers is believed."""

import json

from rig import GUARD, GUARD_SOCKET, PERSON, SERVICE, SOCKETS, TESTS, Case

ASK = f"""\
import json, sys
sys.path.insert(0, "{TESTS}")
from pathlib import Path
from wire import Wire
with Wire(Path("{GUARD_SOCKET}"), 30) as wire:
    print(json.dumps(wire.call("{GUARD}.WhoAmI")["parameters"]))
"""
CLIENT_IN_C = """\
#include <stdio.h>
#include <webviewguard.h>
int main(void) {
  wvg *guard = wvg_new(&(wvg_options){.app = "com.contoso.portal"});
  bool connected = wvg_start(guard);
  const wvg_decision *decision = wvg_ask(guard, WVG_NAVIGATE,
      &(wvg_event){.viewer = "v1", .url = "https://example.net/", .frame = "main"});
  printf("{\\"connected\\": %s, \\"local\\": %s, \\"outcome\\": %d}\\n", connected ? "true" : "false",
         decision->is_local ? "true" : "false", (int)(decision->outcome == WVG_ALLOW));
  wvg_free(guard);
}
"""
CLIENT_IN_PYTHON = """\
import json
from webviewguard import Guard
guard = Guard(app="com.contoso.portal")
connected = guard.start()
decision = guard.navigate(viewer="v1", url="https://example.net/", frame="main")
print(json.dumps({"connected": connected, "local": decision.is_local, "outcome": int(decision.outcome == "allow")}))
"""
# The contract of the tests opens navigation: only who believes the file lets it through while nobody answers.
ANSWERED = {"connected": True, "local": False}
BY_CONTRACT = {"connected": False, "local": True, "outcome": 1}


class Peers(Case):
    @classmethod
    def setUpClass(cls) -> None:
        cls.machine.write(f"{TESTS}/who.py", ASK)

    def who(self, *options: str) -> dict[str, object]:
        """What the daemon knows of a program that systemd starts."""
        command = ["systemd-run", "--quiet", "--wait", "--pipe", "--collect", *options]
        found: dict[str, object] = json.loads(self.machine.must(*command, "/usr/bin/python3", f"{TESTS}/who.py"))
        return found

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
        cls.machine.write(f"{TESTS}/client.py", CLIENT_IN_PYTHON)
        cls.machine.write("/root/client.c", CLIENT_IN_C)
        flags = cls.machine.must("pkg-config", "--cflags", "--libs", "webviewguard").split()
        cls.machine.must("cc", "-std=c11", "-Wall", "-Werror", "-o", f"{TESTS}/client", "/root/client.c", *flags)

    def ask(self) -> dict[str, dict[str, object]]:
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
