"""Files and directories that somebody prepared: links, planted sockets, a replaced contract, foreign owners."""

import json
import os
import socket
import subprocess
from pathlib import Path

from attack_case import APP, MALLORY, AttackCase, Failure
from daemon import Daemon, eventually
from wire import GUARD


class Places(AttackCase):
    def _other(self) -> Daemon:
        """A daemon that was not started yet, with a directory of its own."""
        daemon = Daemon(self.configuration)
        self.addCleanup(daemon.remove)
        daemon.directory.chmod(0o755)
        return daemon

    def _refused(self, daemon: Daemon, *words: str) -> None:
        """It does not start, and says why."""
        refused = subprocess.run(daemon.command(), capture_output=True, text=True, timeout=30)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        for word in words:
            self.assertIn(word, refused.stderr)

    def test_nobody_else_can_put_a_socket_where_apps_look(self) -> None:
        mallory = self.person(MALLORY)
        for name in ("guard.sock", "admin.sock", "contract.json", "lock", "more.sock"):
            with self.assertRaises(Failure):
                mallory.plant(self.daemon.sockets / name)
            with self.assertRaises(Failure):
                mallory.remove(self.daemon.sockets / name)
        self.assertEqual(self.daemon.guard_socket.stat().st_uid, os.getuid())

    def test_a_planted_socket_gives_way_at_the_start(self) -> None:
        """What lies in the place of a socket before the daemon starts was somebody's with the right to put it there."""
        daemon = self._other()
        planted = socket.socket(socket.AF_UNIX)
        self.addCleanup(planted.close)
        planted.bind(str(daemon.guard_socket))
        planted.listen()
        daemon.start()
        reply = self.wire(daemon.guard_socket).call(f"{GUARD}.WhoAmI")
        self.assertEqual(reply["parameters"]["app"], APP)

    def test_a_directory_of_somebody_else_is_refused(self) -> None:
        daemon = self._other()
        os.chown(daemon.sockets, MALLORY, MALLORY)
        self._refused(daemon, "others may write into")

    def test_a_link_in_place_of_the_directory_is_refused(self) -> None:
        daemon = self._other()
        real = daemon.directory / "elsewhere"
        real.mkdir()
        daemon.sockets.rmdir()
        daemon.sockets.symlink_to(real)
        self._refused(daemon, "others may write into")
        self.assertEqual(list(real.iterdir()), [])

    def test_a_link_in_place_of_the_lock_is_not_followed(self) -> None:
        daemon = self._other()
        target = daemon.directory / "target"
        (daemon.sockets / "lock").symlink_to(target)
        self._refused(daemon, "cannot open")
        self.assertFalse(target.exists())

    def test_links_in_place_of_contract_and_sockets_are_replaced_and_not_followed(self) -> None:
        daemon = self._other()
        target = daemon.directory / "target"
        target.write_text("precious")
        for name in ("guard.sock", "admin.sock", "contract.json"):
            (daemon.sockets / name).symlink_to(target)
        daemon.start()
        self.assertEqual(target.read_text(), "precious")
        for name in ("guard.sock", "admin.sock", "contract.json"):
            self.assertFalse((daemon.sockets / name).is_symlink(), name)

    def test_a_link_in_place_of_the_log_is_refused(self) -> None:
        daemon = self._other()
        target = daemon.directory / "target"
        target.write_text("")
        daemon.logs.mkdir(mode=0o750)
        daemon.log_file.symlink_to(target)
        self._refused(daemon, "decisions.jsonl")
        self.assertEqual(target.read_text(), "")

    def test_a_link_in_place_of_the_state_is_not_followed(self) -> None:
        daemon = self._other()
        target = daemon.directory / "target"
        target.write_bytes(b"precious")
        state = daemon.directory / "state"
        state.mkdir(mode=0o700)
        (state / "state.db").symlink_to(target)
        daemon.start()
        self.assertEqual(target.read_bytes(), b"precious")
        daemon.tells("it is not a regular file")

    def test_a_second_name_for_the_state_makes_it_worthless(self) -> None:
        """A hard link keeps an older file's bytes within reach of whoever made it."""
        daemon = self._other()
        daemon.start()
        self.assertEqual(daemon.stop(), 0)
        os.link(daemon.directory / "state/state.db", daemon.directory / "second")
        daemon.start()
        daemon.tells("it has a second name")

    def test_an_apps_socket_lies_where_only_the_daemon_writes(self) -> None:
        daemon = self._other()
        place = daemon.directory / "open"
        place.mkdir()
        place.chmod(0o777)
        settings = daemon.config / "webviewguard.yaml"
        settings.write_text(f"{settings.read_text()}sockets: {{ apps: {{ kiosk: {{ path: {place}/kiosk.sock }} }} }}\n")
        self._refused(daemon, f"others may write into `{place}`")

    def test_a_replaced_contract_is_written_again(self) -> None:
        real = self.daemon.contract.read_text()
        self.assertEqual(json.loads(real)["navigation"], "closed")
        forged = self.daemon.sockets / "forged"
        forged.write_text(real.replace("closed", "open"))
        os.chown(forged, MALLORY, MALLORY)
        forged.rename(self.daemon.contract)
        eventually(lambda: self.daemon.contract.read_text() == real, "the contract is as it was")
        self.assertEqual(self.daemon.contract.stat().st_uid, os.getuid())
        self.daemon.contract.unlink()
        eventually(self.daemon.contract.exists, "the contract is there again")
        self.assertEqual(self.daemon.tells("the failure contract was removed or replaced", 2), 2)

    def test_other_users_read_neither_state_nor_key(self) -> None:
        self.managed(self.wire())
        for place in (self.daemon.directory / "state", self.daemon.logs):
            self.assertEqual(place.stat().st_mode & 0o007, 0, place)
        self.assertEqual((self.daemon.logs / "pseudonym.key").stat().st_mode & 0o777, 0o600)

    def test_the_daemons_own_user_shows_itself_to_clients(self) -> None:
        """A client compares the listener's user with those it trusts; of a planted socket the kernel tells."""
        place = Path(self.daemon.directory) / "planted"
        place.mkdir()
        os.chown(place, MALLORY, MALLORY)
        mallory = self.person(MALLORY)
        mallory.plant(place / "guard.sock")
        for path, uid in ((place / "guard.sock", MALLORY), (self.daemon.guard_socket, os.getuid())):
            with socket.socket(socket.AF_UNIX) as link:
                link.connect(str(path))
                credentials = link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
                self.assertEqual(int.from_bytes(credentials[4:8], "little"), uid)
