"""`doctor` on encryption: what this machine can, what is missing, and where the keys lie. Each machine is a private view of
this one: another /dev, another disk below /var/lib or below the state."""

import json
import os
import subprocess
import unittest
from pathlib import Path
from typing import Any

from configuration import ORGANISATION, PORTAL, WORK, Configuration
from daemon import PROGRAM, Daemon, eventually
from test_doctor import DoctorCase, Finding
from wire import ACCOUNTS, ADMIN, Wire

SYSTEM = "/usr/sbin:/usr/bin:/sbin:/bin"
NO_DEVICES = "mount -t tmpfs none /dev"


def policy(way: str | None) -> Configuration:
    said = "" if way is None else f"    encryption: {{ by: {way} }}\n"
    return Configuration(organisation=ORGANISATION.replace("    webTransfer:", f"{said}    webTransfer:"))


@unittest.skipUnless(os.getuid() == 0, "only root has another view of the machine")
class Encryption(DoctorCase):
    def told(self, daemon: Daemon, words: str, view: str = "true", path: str = SYSTEM) -> Finding:
        """The one finding on encryption with these words, of a machine where the commands `view` were given before."""
        # What a view is made with is found along the whole path.
        script = f'PATH={SYSTEM}; {view}; export PATH={path}; exec "$@"'
        # What a view starts ends with it.
        spaces = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"]
        prefix = ["unshare", *spaces, "sh", "-ec", script, "sh"]
        _, findings = self.doctor(daemon, prefix=prefix, path=SYSTEM)
        found = [f for f in findings if f["area"] == "encryption" and words in f["text"]]
        self.assertEqual(len(found), 1, findings)
        return found[0]

    def image(self, daemon: Daemon, *features: str) -> Path:
        if subprocess.run(["losetup", "-f"], capture_output=True).returncode:
            self.skipTest("this machine has no loop devices")
        image = daemon.directory / "image"
        with open(image, "wb") as file:
            file.truncate(16 << 20)
        subprocess.run(["mkfs.ext4", "-q", *features, image], check=True)
        return image

    def is_asked_for(self, way: str, finding: Finding, expected: Finding, remedy: str) -> None:
        """The same is a problem where the policy wants it, and says what to do."""
        self.assertEqual((finding["level"], expected["level"]), ("ok", "problem"))
        self.assertIn(f"the policy wants directories by {way}", expected["text"])
        self.assertIn(remedy, finding["text"])
        self.assertIn(remedy, expected["remedy"])

    # Directories

    def test_the_tool_is_missing(self) -> None:
        remedy = "install the package `gocryptfs`"
        found, wanted = (
            self.told(self.daemon(policy(way)), "by gocryptfs", path="/nowhere") for way in (None, "gocryptfs"))
        self.is_asked_for("gocryptfs", found, wanted, remedy)

    def test_fuse_is_missing(self) -> None:
        found, wanted = (self.told(self.daemon(policy(way)), "by gocryptfs", NO_DEVICES) for way in (None, "gocryptfs"))
        self.is_asked_for("gocryptfs", found, wanted, "load the module `fuse`")

    def test_both_are_there(self) -> None:
        view = f"{NO_DEVICES}; touch /dev/fuse"
        found = self.told(self.daemon(policy("gocryptfs")), "by gocryptfs", view)
        self.assertEqual((found["level"], found["text"]), ("ok", "directories of accounts can be kept by gocryptfs"))

    def test_the_file_system_encrypts_or_not(self) -> None:
        for features, level, text in (
            (("-O", "encrypt"), "ok", "directories of accounts can be kept by fscrypt"),
            ((), "problem", "the policy wants directories by fscrypt, which this machine cannot keep"),
        ):
            daemon = self.daemon(policy("fscrypt"))
            found = self.told(daemon, "by fscrypt", f"mount -o loop {self.image(daemon, *features)} /var/lib")
            self.assertEqual((found["level"], found["text"]), (level, text))
            self.assertEqual("tune2fs -O encrypt" in (found["remedy"] or ""), level == "problem")

    # Volumes

    def state_on(self, view: str, level: str, words: str) -> None:
        """What is told of the state's volume, where the policy wants it encrypted and where it does not."""
        for way in ("volume", None):
            daemon = self.daemon(policy(way))
            state = daemon.directory / "state"
            state.mkdir(mode=0o700)
            place = {"state": state, "image": self.image(daemon) if "{image}" in view else "", "folder": daemon.directory}
            found = self.told(daemon, f"the volume of `{state}`", view.format(**place))
            self.assertIn(words, found["text"])
            self.assertEqual(found["level"], level if way else "ok", found)

    def test_a_disk_without_encryption(self) -> None:
        self.state_on("mount -o loop {image} {state}; chmod 0700 {state}", "problem", "is not encrypted: /dev/loop")

    def test_nobody_can_say(self) -> None:
        self.state_on("mount -t tmpfs -o mode=0700 none {state}", "warning", "`tmpfs` does not say on which device")

    def test_a_program_encrypts_it(self) -> None:
        view = (
            "mkdir {folder}/cipher; echo word > {folder}/word; gocryptfs -q -init -scryptn 10 -passfile {folder}/word"
            " {folder}/cipher; gocryptfs -q -nosyslog -passfile {folder}/word {folder}/cipher {state} >/dev/null 2>&1")
        if not Path("/dev/fuse").exists():
            self.skipTest("this machine has no FUSE")
        self.state_on(view, "ok", "is encrypted: gocryptfs")

    # Keys

    def test_where_the_secret_of_the_keys_lies(self) -> None:
        daemon = self.daemon()
        (daemon.directory / "state").mkdir(mode=0o700)
        self.assertEqual(self.told(daemon, "keys of sealed data")["text"], "there are no keys of sealed data yet")
        daemon.start()
        key = self.app(daemon).call(f"{ACCOUNTS}.DataKey", account=WORK, use="write", object="ab" * 32)
        self.assertNotIn("error", key)
        with_tpm = f"{NO_DEVICES}; touch /dev/tpmrm0"
        for devices, words in ((NO_DEVICES, "has no TPM"), (with_tpm, "has a TPM that could keep it")):
            found = self.told(daemon, "keys of sealed data", devices)
            self.assertEqual(found["level"], "ok")
            self.assertTrue(found["text"].endswith(words), found)
            self.assertIn(f"`{daemon.directory}/state/keys.secret`", found["text"])
        daemon.stop()
        (daemon.directory / "state/keys.secret").unlink()
        found = self.told(daemon, "keys of sealed data")
        self.assertEqual(found["text"], "keys of sealed data lie under a credential of systemd")

    # Copies of keys

    def key(self, daemon: Daemon, account: str = WORK) -> None:
        reply = self.app(daemon).call(f"{ACCOUNTS}.DataKey", account=account, use="write", object="ab" * 32)
        self.assertNotIn("error", reply)

    def test_whether_the_organisation_has_copies_of_keys(self) -> None:
        daemon = self.daemon().start()
        areas = [finding["text"] for finding in self.doctor(daemon)[1]]
        self.assertFalse([text for text in areas if "copy" in text], "nothing is sealed yet")
        self.key(daemon)
        found = self.told(daemon, "has a copy")
        self.assertEqual(found["level"], "warning")
        self.assertIn("`webviewguard account escrow new-key`", str(found["remedy"]))
        private = daemon.directory / "private"
        command = [str(PROGRAM), "account", "escrow", "new-key", str(private), "--format", "json"]
        made = subprocess.run(command, capture_output=True, check=True)
        public = json.loads(made.stdout)["publicKey"]
        # Something lies where the copies go: the key of before has none, and the daemon goes on.
        place = daemon.directory / "state/escrow"
        place.write_bytes(b"in the way")
        Configuration(f"{PORTAL}escrow: {{ publicKey: {public} }}\n").write(daemon.config)
        self.assertNotIn("error", self.admin(daemon, "Reload"))
        found = self.told(daemon, "have no copy")
        text = "1 of 1 keys of sealed data have no copy for the organisation"
        self.assertEqual((found["level"], found["text"]), ("problem", text))
        place.unlink()
        # Whoever seals next has it copied.
        self.key(daemon)
        eventually(lambda: self.admin(daemon, "Escrow")["parameters"]["copied"] == 1, "the key has its copy")
        found = self.told(daemon, "have a copy")
        text = f"all 1 keys of sealed data have a copy for the organisation in `{place}`"
        self.assertEqual((found["level"], found["text"]), ("ok", text))
        # A copy that is lost is noticed by the next daemon, which makes it anew.
        [copy] = place.iterdir()
        daemon.stop()
        copy.unlink()
        daemon.start()
        eventually(lambda: self.admin(daemon, "Escrow")["parameters"]["copied"] == 1, "the copy is made anew")
        self.assertEqual(list(place.iterdir()), [copy])

    @staticmethod
    def admin(daemon: Daemon, method: str) -> dict[str, Any]:
        with Wire(daemon.admin_socket) as wire:
            return wire.call(f"{ADMIN}.{method}")
