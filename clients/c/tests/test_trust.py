"""Whom the client believes, where it looks for the daemon, and a daemon that has no policy yet."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from case import ClientCase
from fake import FakeDaemon, Peer


class Trust(ClientCase):
    OPEN = '{"navigation": "open"}'

    def test_a_daemon_of_another_user_hears_nothing(self) -> None:
        daemon = self.fake()
        driver = self.driver().new(trusted=[os.geteuid() + 1])
        self.assert_local(driver.ask("navigate", url="u"))
        self.assertTrue(daemon.peer(0).was_closed.wait(5) or not daemon.peers[0].calls)
        self.assertEqual(daemon.peers[0].calls, [])
        self.assertIn("not trusted", driver.heard()["problems"][0])

    def test_a_list_of_users_is_the_whole_list(self) -> None:
        self.fake()
        self.assert_allowed(self.driver().new(trusted=[0x7FFF, os.geteuid()]).ask("navigate", url="u"))
        self.assert_local(self.driver().new(trusted=[]).ask("navigate", url="u"))

    def test_a_contract_of_a_trusted_user_holds(self) -> None:
        self.contract(self.OPEN)
        self.assert_local(self.driver().new().ask("navigate"), "allow")

    def test_a_contract_that_others_may_write_is_none(self) -> None:
        for mode in (0o664, 0o646, 0o666):
            self.contract(self.OPEN, mode)
            self.assert_local(self.driver().new().ask("navigate"), "block")

    def test_a_contract_of_another_user_is_none(self) -> None:
        self.contract(self.OPEN)
        self.assert_local(self.driver().new(trusted=[os.geteuid() + 1]).ask("navigate"), "block")
        if os.geteuid() == 0:
            os.chown(self.directory / "contract.json", 12345, 12345)
            self.assert_local(self.driver().new().ask("navigate"), "block")

    def test_a_contract_that_is_a_link_a_pipe_or_a_folder_is_none(self) -> None:
        real = self.contract(self.OPEN)
        elsewhere = self.directory / "elsewhere"
        real.rename(elsewhere)
        real.symlink_to(elsewhere)
        self.assert_local(self.driver().new().ask("navigate"), "block")
        real.unlink()
        os.mkfifo(real, 0o644)
        self.assert_local(self.driver().new().ask("navigate"), "block")
        real.unlink()
        real.mkdir()
        self.assert_local(self.driver().new().ask("navigate"), "block")

    def test_a_contract_without_end_is_none(self) -> None:
        self.contract(self.OPEN + " " * 70_000)
        self.assert_local(self.driver().new().ask("navigate"), "block")

    def test_the_user_services_socket_is_found(self) -> None:
        (self.directory / "webviewguard").mkdir()
        daemon = FakeDaemon(self.directory / "webviewguard")
        self.addCleanup(daemon.close)
        driver = self.driver(XDG_RUNTIME_DIR=str(self.directory))
        driver.path = None
        self.assert_allowed(driver.new().ask("navigate", url="u"))

    def test_the_systems_socket_comes_first_and_is_not_the_users_own(self) -> None:
        system = self.driver_type.folder / "system"
        system.mkdir()
        self.addCleanup(system.rmdir)
        daemon = FakeDaemon(system)
        self.addCleanup(daemon.close)
        driver = self.driver(XDG_RUNTIME_DIR=str(self.directory))
        driver.path = None
        decision = driver.new().ask("navigate", url="u")
        self.assertEqual(decision["outcome"], "allow" if os.geteuid() == 0 else "block")
        self.assertEqual(len(daemon.peers), 1)

    def test_where_a_system_has_its_own_daemon_nobody_elses_is_believed(self) -> None:
        """H5: neither the directory of sockets nor a unit can be made by a user; each says that the machine has one."""
        if os.geteuid() != 0:
            return
        own = self.directory / "webviewguard"
        own.mkdir()
        for path in (self.directory, own):
            os.chown(path, 12345, 12345)
            path.chmod(0o755)
        listener = listening_as(12345, own / "guard.sock")
        self.addCleanup(listener.communicate)
        for given in (own / "guard.sock", None):
            self.assertEqual(self.asked_as(12345, given), "connectionLost", given)
        for mark in ("system", "units/webviewguard.service", "more/webviewguard.socket"):
            with self.subTest(mark):
                place = self.driver_type.folder / mark
                place.parent.mkdir(exist_ok=True)
                place.touch()
                try:
                    self.assertEqual(self.asked_as(12345, own / "guard.sock"), "not trusted")
                    self.assertEqual(self.asked_as(12345, None), "cannot be reached")
                finally:
                    place.unlink()
        # Masked by root, who thereby says that there is none.
        masked, unit = (self.driver_type.folder / name / "webviewguard.service" for name in ("units", "more"))
        masked.symlink_to("/dev/null")
        unit.touch()
        try:
            self.assertEqual(self.asked_as(12345, own / "guard.sock"), "connectionLost")
        finally:
            masked.unlink()
            unit.unlink()

    def asked_as(self, uid: int, given: Path | None) -> str:
        """What is told when a user asks: the listener closes each connection that it gets."""
        folder = self.driver_type.folder
        for path in (folder, folder.parent):
            path.chmod(0o755)
        driver_type = type("As", (self.driver_type,), {"prefix": ["setpriv", f"--reuid={uid}", "--clear-groups"]})
        driver = driver_type(given, XDG_RUNTIME_DIR=str(self.directory))
        self.addCleanup(self._end, driver)
        self.assert_local(driver.new().ask("navigate", url="u"))
        problem = driver.heard()["problems"][0]
        for words in ("not trusted", "cannot be reached"):
            if words in problem:
                return words
        return "connectionLost" if "closed" in problem else problem

    def test_a_name_too_long_for_a_socket_is_no_place(self) -> None:
        driver = self.driver(self.directory / ("x" * 120)).new()
        self.assert_local(driver.ask("navigate"))
        self.assertIn("no place", driver.heard()["problems"][0])


class WithoutPolicy(ClientCase):
    """Until a policy was loaded, questions are answered without Attach."""

    def test_questions_are_asked_all_the_same_and_attach_follows(self) -> None:
        loaded: list[bool] = []

        def serve(peer: Peer) -> None:
            while True:
                call = peer.call()
                if call["method"] == "Attach" and not loaded:
                    peer.refuse("NoPolicy")
                elif not loaded:
                    no_policy(peer, call)
                elif all(c["method"] != "Attach" for c in peer.calls[3:]):
                    peer.refuse("NotAttached")
                else:
                    peer.answer(call)

        daemon = self.fake(serve)
        driver = self.driver().new()
        self.assertEqual(driver.say("RegisterViewer", viewer="v1")["said"], "later")
        started = driver("start")
        self.assertFalse(started["connected"])
        self.assertEqual(started["waited"], 0, "nothing is to be waited for")
        first = driver.ask("navigate", url="u")
        self.assertEqual((first["reason"], first["isLocal"]), ("noPolicy", False))
        self.assertFalse(driver("status")["connected"])
        self.assertEqual(driver.say("SetDocument", viewer="v1", document="d")["said"], "later")
        loaded.append(True)
        self.assert_allowed(driver.ask("navigate", url="w"))
        self.assertTrue(driver("status")["connected"])
        self.assertEqual(len(daemon.peers), 1)
        methods = [call["method"] for call in daemon.peers[0].calls]
        wanted = ["Attach", "Navigate", "SetDocument", "Navigate", "Attach", "RegisterViewer", "Navigate"]
        self.assertEqual(methods, wanted)
        self.assertEqual(daemon.peers[0].calls[5]["parameters"], {"viewer": "v1", "document": "d"})


def listening_as(uid: int, path: Path) -> "subprocess.Popen[str]":
    """A user who listens, and closes each connection at once. It ends with its standard input."""
    code = (
        "import os,socket,sys,threading; os.setuid(int(sys.argv[2])); s=socket.socket(socket.AF_UNIX);"
        "s.bind(sys.argv[1]); s.listen(); print(flush=True);"
        "threading.Thread(target=lambda: [s.accept()[0].close() for _ in iter(int, 1)], daemon=True).start();"
        "sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(path), str(uid)]
    listener = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert listener.stdout
    listener.stdout.readline()
    return listener


def no_policy(peer: Peer, call: dict[str, Any]) -> None:
    if "event" in call["parameters"]:
        peer.allow(outcome="block", reason="noPolicy")
    else:
        peer.refuse("NoPolicy")
