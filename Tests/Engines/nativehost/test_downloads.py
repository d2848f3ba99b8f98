"""Downloads that a browser has written: labelled and sealed by the host, with keys of the real daemon."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from host import Host

from configuration import APP, PERSONAL, PORTAL, SETTINGS, WORK, Configuration
from daemon import eventually
from test_host import HostCase

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "clients/python/src"))

from webviewguard import Guard, protection_info  # noqa: E402

DATA = b"the organisation's figures"
LABEL = "user.webviewguard.owner"
PATIENT = SETTINGS.replace("answerMs: 400", "answerMs: 5000")
SEVERAL = PORTAL.replace("identityMode: multi\n", "identityMode: multi\n    managedAccounts: several\n")


def policy(encryption: str) -> Configuration:
    organisation = Configuration().files["policy.d/organisation.yaml"]
    organisation = organisation.replace("    webTransfer:", f"    {encryption}\n    webTransfer:")
    return Configuration(SEVERAL, settings=PATIENT, organisation=organisation)


class Downloads(HostCase):
    configuration = Configuration(SEVERAL, settings=PATIENT)

    def setUp(self) -> None:
        super().setUp()
        self.folder = self.daemon.directory / "downloads"
        self.folder.mkdir()
        self.browser = self.greeted()
        self.guard = Guard(app=APP, path=self.daemon.guard_socket)
        self.addCleanup(self.guard.close)
        self.assertTrue(self.guard.start())
        self.guard.set_identity("process", account=WORK)

    def downloaded(self, name: str = "plan.bin", data: bytes = DATA) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path

    def store(self, path: Path, account: str = WORK, **members: Any) -> dict[str, Any]:
        return dict(self.browser.call("store", path=str(path), account=account, **members)["reply"])

    def is_sealed(self, path: Path) -> bool:
        info = protection_info(path.read_bytes())
        return info is not None and info.is_sealed

    def read(self, path: Path) -> bytes:
        with self.guard.files.readable(path) as readable:
            return Path(readable.path).read_bytes()

    def nothing_is_left(self, *names: str) -> None:
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), sorted(names))

    def test_a_download_of_the_organisation_is_labelled_and_sealed(self) -> None:
        path = self.downloaded(data=DATA * 50_000)
        path.chmod(0o640)
        self.assertEqual(self.store(path), {"result": "stored", "path": str(path), "isSealed": True})
        self.assertTrue(self.is_sealed(path))
        self.assertNotIn(DATA, path.read_bytes())
        self.assertEqual(self.guard.files.get_owner(path).account, WORK)
        self.assertEqual(self.read(path), DATA * 50_000)
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)
        self.nothing_is_left("plan.bin")
        # Again, as after a crash: nothing is sealed twice.
        before = path.read_bytes()
        self.assertEqual(self.store(path)["result"], "stored")
        self.assertEqual(path.read_bytes(), before)

    def test_a_private_program_may_not_upload_it(self) -> None:
        path = self.downloaded()
        self.store(path)
        self.assertEqual(self.guard.files.get_owner(path).standing, "mine")
        self.guard.set_identity("process", account=PERSONAL)
        self.guard.register_viewer("home")
        copy = self.folder / "renamed"
        os.rename(path, copy)
        facts = self.guard.files.facts(copy)
        self.assertIn("label", facts)
        url = "https://elsewhere.example/"
        self.assertFalse(self.guard.upload(viewer="home", url=url, owner="", **facts).allowed)
        self.assertTrue(self.guard.upload(viewer="home", url=url, owner="").allowed)

    def test_a_private_download_stays_as_it_is(self) -> None:
        for account in ("", PERSONAL):
            path = self.downloaded()
            self.assertEqual(self.store(path, account), {"result": "stored", "path": str(path), "isSealed": False})
            self.assertEqual((path.read_bytes(), os.listxattr(path)), (DATA, []))

    def test_where_no_encryption_is_asked_for_the_label_is_enough(self) -> None:
        policy("encrypt: false").write(self.daemon.config)
        os.kill(self.daemon.pid, signal.SIGHUP)
        self.browser.until(lambda message: message.get("news") == "policy" and message["generation"] > 1)
        path = self.downloaded()
        number = path.stat().st_ino
        self.assertEqual(self.store(path)["isSealed"], False)
        self.assertEqual((path.read_bytes(), path.stat().st_ino), (DATA, number))
        self.assertEqual(self.guard.files.get_owner(path).account, WORK)

    def test_a_file_that_a_program_writes_is_waited_for(self) -> None:
        path = self.downloaded()
        with path.open("ab") as writer:
            self.assertEqual(self.store(path)["result"], "later")
            writer.write(b" and more")
        self.assertEqual(self.store(path)["result"], "stored")
        self.assertEqual(self.read(path), DATA + b" and more")

    def test_what_was_moved_or_is_another_file_is_gone(self) -> None:
        self.assertEqual(self.store(self.folder / "nothing"), {"result": "gone"})
        self.assertEqual(self.store(self.folder / "nowhere/plan"), {"result": "gone"})
        path = self.downloaded()
        self.assertEqual(self.store(path, since=int((time.time() + 60) * 1000)), {"result": "gone"})
        self.assertEqual(path.read_bytes(), DATA)

    def test_links_and_other_entries_are_not_touched(self) -> None:
        private = self.downloaded("private.txt")
        planted = self.folder / "plan.bin"
        planted.symlink_to(private)
        os.mkfifo(self.folder / "pipe")
        (self.folder / "folder").mkdir()
        for name in ("plan.bin", "pipe", "folder"):
            self.assertEqual(self.store(self.folder / name)["result"], "refused", name)
        self.assertEqual((private.read_bytes(), os.listxattr(private)), (DATA, []))
        # A link to the directory is how people have their downloads on another disk.
        (self.daemon.directory / "link").symlink_to(self.folder)
        path = self.downloaded("other.bin")
        self.assertEqual(self.store(self.daemon.directory / "link/other.bin")["path"], str(path))
        self.assertTrue(self.is_sealed(path))

    def test_hostile_names_and_paths(self) -> None:
        for path in ("plan.bin", "", f"{self.folder}/../downloads/plan.bin", f"{self.folder}/a\0b", "/" + "x" * 4096):
            reply = self.browser.call("store", path=path, account=WORK)
            self.assertEqual(reply.get("error"), "wrongMember", path[:40])
        for name in ("-rf ~", "a\nb", "$(id)", "%s%n", ".hidden", "x" * 250, "plän ☂.pdf", "a'b\"c"):
            path = self.downloaded(name)
            self.assertEqual(self.store(path)["result"], "stored", name)
            self.assertTrue(self.is_sealed(path), name)
            path.unlink()
        self.nothing_is_left()

    def test_while_the_daemon_is_away_nothing_is_lost(self) -> None:
        path = self.downloaded()
        self.daemon.stop(signal.SIGKILL)
        self.browser.until(lambda message: message.get("news") == "connection" and not message["standing"]["isConnected"])
        self.assertEqual(self.store(path)["result"], "later")
        self.assertEqual(path.read_bytes(), DATA)
        self.daemon.start()
        self.browser.until(lambda message: message.get("news") == "connection" and message["standing"]["isConnected"])
        self.assertEqual(self.store(path)["result"], "stored")
        self.assertTrue(self.is_sealed(path))

    def test_a_host_that_is_killed_leaves_the_old_file_or_the_sealed_one(self) -> None:
        data = DATA * 400_000
        for step in range(6):
            path = self.downloaded(data=data)
            host = self.greeted()
            host.send("store", path=str(path), account=WORK)
            time.sleep(step * 0.02)
            host.process.kill()
            host.process.wait()
            # Killed between its last two steps it leaves the sealed file under a name of its own.
            for left in set(self.folder.iterdir()) - {path}:
                self.assertTrue(self.is_sealed(left), left)
                left.unlink()
            self.assertTrue(self.is_sealed(path) or path.read_bytes() == data)
            self.assertEqual(self.store(path)["result"], "stored")
            self.assertEqual(self.read(path), data)

    def test_a_file_that_is_removed_meanwhile_does_not_come_back_in_plain(self) -> None:
        """A wipe removes what the browser names while the host seals it. In the last step a sealed one can still come."""
        path = self.downloaded(data=DATA * 2_000_000)
        number = self.browser.send("store", path=str(path), account=WORK)
        eventually(lambda: LABEL in os.listxattr(path), "the host has begun")
        path.unlink()
        self.browser.until(lambda message: message.get("id") == number)
        for left in self.folder.iterdir():
            self.assertTrue(self.is_sealed(left), left)

    def test_several_hosts_at_one_file_seal_it_once(self) -> None:
        hosts: list[Host] = [self.greeted() for _ in range(3)]
        path = self.downloaded(data=DATA * 10_000)
        numbers = [host.send("store", path=str(path), account=WORK) for host in hosts]
        for host, number in zip(hosts, numbers, strict=True):
            reply = host.until(lambda message, number=number: message.get("id") == number)["reply"]
            self.assertIn(reply["result"], ("stored", "later"))
        self.assertEqual(self.store(path)["result"], "stored")
        self.assertEqual(self.read(path), DATA * 10_000)
        self.nothing_is_left("plan.bin")

    def test_questions_do_not_wait(self) -> None:
        path = self.downloaded(data=DATA * 2_000_000)
        number = self.browser.send("store", path=str(path), account=WORK)
        self.assertEqual(self.navigate(self.browser, "https://www.contoso.com/")["outcome"], "allow")
        self.assertEqual(self.browser.until(lambda message: message.get("id") == number)["reply"]["result"], "stored")
