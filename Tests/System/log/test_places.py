"""Start checks: others than root and the daemon may have written neither configuration nor log nor state."""

import os
import unittest

from configuration import BROKEN
from daemon import Daemon
from logs import LogCase
from wire import ADMIN, Wire

ANOTHER = 20_009


class Places(LogCase):
    def refused(self, daemon: Daemon) -> str:
        """What a daemon says that does not start."""
        with self.assertRaises(RuntimeError):
            daemon.start()
        daemon.process = None
        return daemon.said.read_text()

    def test_a_log_directory_that_others_may_write(self) -> None:
        daemon = self.daemon()
        daemon.logs.mkdir()
        daemon.logs.chmod(0o777)
        self.assertIn(f"mode 0777, so its group and others may write it; run `chmod go-w {daemon.logs}`",
                      self.refused(daemon))

    def test_a_log_file_that_its_group_may_write(self) -> None:
        daemon = self.daemon()
        daemon.logs.mkdir()
        daemon.log_file.touch()
        daemon.log_file.chmod(0o664 if os.getuid() == 0 else 0o666)
        self.assertIn("may write it; run `chmod ", self.refused(daemon))

    def test_a_key_that_others_may_read(self) -> None:
        daemon = self.daemon().start()
        daemon.stop()
        key = daemon.logs / "pseudonym.key"
        key.chmod(0o644)
        self.assertIn(f"but it is a secret; run `chmod 0600 {key}`", self.refused(daemon))

    def test_a_state_directory_that_others_may_write(self) -> None:
        daemon = self.daemon()
        state = daemon.directory / "state"
        state.mkdir()
        state.chmod(0o757)
        self.assertIn(f"run `chmod o-w {state}`", self.refused(daemon))

    @unittest.skipUnless(os.getuid() == 0, "only root can give files away")
    def test_places_of_another_user(self) -> None:
        daemon = self.daemon()
        daemon.logs.mkdir()
        os.chown(daemon.logs, ANOTHER, ANOTHER)
        self.assertIn(f"belongs to uid {ANOTHER}, who could change it; run `chown 0 {daemon.logs}`",
                      self.refused(daemon))

    def test_a_directory_above_that_others_may_write(self) -> None:
        """Sockets, log and state lie below it; so does the configuration, which could be put there again and again."""
        daemon = self.daemon()
        daemon.directory.chmod(0o757)
        for _ in range(2):
            self.assertIn(f"`{daemon.directory}` has mode 0757, so others may write it; run `chmod o-w {daemon.directory}`",
                          self.refused(daemon))
        daemon.directory.chmod(0o1757)
        daemon.start()

    @unittest.skipUnless(os.getuid() == 0, "only root can give files away")
    def test_a_directory_above_of_another_user(self) -> None:
        daemon = self.daemon()
        os.chown(daemon.directory, ANOTHER, ANOTHER)
        self.assertIn(f"`{daemon.directory}` belongs to uid {ANOTHER}, who could put another ", self.refused(daemon))
        os.chown(daemon.directory, 0, 0)
        daemon.start()

    def test_a_configuration_whose_parent_changes_hands_is_not_loaded(self) -> None:
        """The way is looked at anew at each reload, and where links lead as well."""
        daemon = self.daemon()
        elsewhere = daemon.directory / "elsewhere"
        elsewhere.mkdir(mode=0o755)
        daemon.config.rename(elsewhere / "policies")
        daemon.config.symlink_to(elsewhere / "policies")
        daemon.start()
        with Wire(daemon.admin_socket) as admin:
            for mode, error in ((0o755, None), (0o757, f"{ADMIN}.LoadFailed"), (0o1757, None)) * 2:
                elsewhere.chmod(mode)
                self.assertEqual(admin.call(f"{ADMIN}.Reload").get("error"), error, oct(mode))

    def test_a_configuration_that_others_may_write_is_not_loaded(self) -> None:
        daemon = self.daemon()
        (daemon.config / "rules").chmod(0o777)
        daemon.start()
        self.assertEqual(self.status(daemon)["state"], "noPolicy")
        self.assertIn("[not-trusted]", self.status(daemon)["lastError"])

    def test_nor_when_it_is_loaded_again(self) -> None:
        daemon = self.daemon().start()
        file = daemon.config / "policy.d/app-0.yaml"
        file.chmod(0o666)
        with Wire(daemon.admin_socket) as wire:
            reply = wire.call(f"{ADMIN}.Reload")
        self.assertEqual(reply["error"], f"{ADMIN}.LoadFailed")
        self.assertEqual(self.status(daemon)["state"], "ok")
        self.assertEqual(self.ask(self.asking(daemon)), "allow")
        file.chmod(0o644)
        with Wire(daemon.admin_socket) as wire:
            self.assertNotIn("error", wire.call(f"{ADMIN}.Reload"))

    def test_a_link_to_a_place_that_others_may_write(self) -> None:
        daemon = self.daemon()
        elsewhere = daemon.directory / "elsewhere"
        elsewhere.mkdir()
        elsewhere.chmod(0o777)
        file = daemon.config / "policy.d/app-0.yaml"
        file.rename(elsewhere / "app.yaml")
        file.symlink_to(elsewhere / "app.yaml")
        daemon.start()
        self.assertIn("[not-trusted]", self.status(daemon)["lastError"])

    def test_settings_that_others_may_write_are_not_believed(self) -> None:
        """They might say where the log goes."""
        daemon = self.daemon("directory: /nonexistent/log")
        (daemon.config / "webviewguard.yaml").chmod(0o666)
        (daemon.config / "policy.d/app-0.yaml").write_text(BROKEN)
        daemon.start()
        self.assertTrue(daemon.log_file.exists())
