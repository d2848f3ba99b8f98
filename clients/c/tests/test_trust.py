"""Whom the client believes, where it looks for the daemon, and a daemon that has no policy yet."""

import os
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

    def test_a_name_too_long_for_a_socket_is_no_place(self) -> None:
        driver = self.driver(self.directory / ("x" * 120)).new()
        self.assert_local(driver.ask("navigate"))
        self.assertIn("no place", driver.heard()["problems"][0])


class WithoutPolicy(ClientCase):
    """Until a policy was loaded, questions are answered without Attach."""

    def test_questions_are_asked_all_the_same_and_attach_follows(self) -> None:
        loaded: list[bool] = []

        def serve(peer: Peer) -> None:
            while (call := peer.call()) is not None:
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
        self.assertLess(started["ms"], 1000, "nothing is to be waited for")
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


def no_policy(peer: Peer, call: dict[str, Any]) -> None:
    if "event" in call["parameters"]:
        peer.allow(outcome="block", reason="noPolicy")
    else:
        peer.refuse("NoPolicy")
