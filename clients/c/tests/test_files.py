"""Files with labels of the real daemon, in the ways of test_real_files.py of the client for Python, which reads the same."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from case import ClientCase
from configuration import PERSONAL, SETTINGS, WORK, Configuration
from daemon import Daemon
from fake import Peer
from program import ROOT, VECTORS, run

sys.path.append(str(ROOT / "clients/python/src"))
from webviewguard import _file_facts as file_facts  # noqa: E402
from webviewguard.errors import FileProtectionError  # noqa: E402

SECOND = "second@contoso.com"
DATA = "the organisation's figures"
LABEL = "user.webviewguard.owner"
MINE, OTHERS, NOBODYS = f"mine {WORK} encrypt", f"managed {WORK} encrypt", "unmanaged - -"


def table() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((VECTORS / "files.json").read_text())
    return found


class FilesCase(ClientCase):
    def does(self, *words: str | Path, socket: str | Path = "-") -> list[str]:
        return run(self.driver_type.folder / "files", socket, *words).stdout.splitlines()


class FileVectors(FilesCase):
    def test_the_numbers_of_errors(self) -> None:
        rows = table()["errors"]
        words = [word for row in rows for word in ("code", row["error"])]
        self.assertEqual(self.does(*words, "code", "-"), [*(str(row["code"]) for row in rows), "107"])

    def test_answers(self) -> None:
        """And each error comes through a call with its number."""
        answers, errors = table()["answers"], table()["errors"]
        file = self.directory / "file"
        file.touch()

        def serve(peer: Peer) -> None:
            peer.attach()
            for row in answers:
                peer.call()
                peer.reply(row["reply"])
            for row in errors:
                peer.call()
                peer.refuse(row["error"])
            peer.oblige()

        daemon = self.fake(serve)
        found = self.does(*["owner", file] * (len(answers) + len(errors)), socket=daemon.path)
        self.assertEqual(found, [*(line(row["owner"]) for row in answers), *(f"error {row['code']}" for row in errors)])

    def test_nobody_answers(self) -> None:
        file = self.directory / "file"
        file.write_text(DATA)
        nobody = self.directory / "none.sock"
        new = self.directory / "new"
        found = self.does("owner", file, "create", file, "x", "create", new, "x", "directory", new, socket=nobody)
        self.assertEqual(found, ["error 107"] * 4)
        self.assertEqual((file.read_text(), new.exists()), (DATA, False), "nothing is created, and nothing emptied")


def line(owner: list[Any] | None) -> str:
    return f"{owner[0]} {owner[1] or '-'} {'encrypt' if owner[2] else '-'}" if owner else "error 107"


class Files(FilesCase):
    def setUp(self) -> None:
        super().setUp()
        self.daemon = Daemon(Configuration(settings=SETTINGS.replace("answerMs: 400", "answerMs: 20000")))
        self.addCleanup(self.daemon.remove)
        self.daemon.start()
        self.folder = self.directory / "files"
        self.folder.mkdir()
        self.path = self.folder / "report"

    def as_account(self, account: str, *words: str | Path) -> list[str]:
        """What comes of it in a program that shows the account."""
        first, *rest = self.does("as", account, *words, socket=self.daemon.guard_socket)
        self.assertEqual(first, "0")
        return rest

    def made(self, account: str = WORK) -> None:
        self.as_account(account, "create", self.path, DATA)

    def test_create_append_truncate(self) -> None:
        """Scenario FO-CREATE."""
        self.assertEqual(self.as_account(WORK, "create", self.path, DATA), [MINE])
        self.assertEqual(len(os.getxattr(self.path, LABEL)), 89)
        with open(self.path, "a") as file:
            file.write(" and more")
        self.assertEqual(self.as_account(PERSONAL, "owner", self.path), [OTHERS])
        self.assertEqual(self.as_account(PERSONAL, "create", self.path, "my own", "owner", self.path), [NOBODYS] * 2)
        self.assertEqual((self.path.read_text(), os.listxattr(self.path)), ("my own", []))
        self.assertEqual(self.as_account(SECOND, "create", self.path, DATA), [f"mine {SECOND} encrypt"])

    def test_explicit_owners(self) -> None:
        self.path.write_text(DATA)
        self.assertEqual(
            self.as_account(PERSONAL, "give", self.path, PERSONAL, "give", self.path, "-", "give", self.path, WORK.upper()),
            ["error 106", NOBODYS, OTHERS],
        )
        label = os.getxattr(self.path, LABEL)
        others = ["give", self.path, WORK, "give", self.path, SECOND, "give", self.path, PERSONAL, "give", self.path, "-"]
        self.assertEqual(self.as_account(PERSONAL, *others), [OTHERS, "error 102", "error 102", "error 102"])
        self.assertEqual(os.getxattr(self.path, LABEL), label, "a managed owner stays")
        self.assertEqual(self.path.read_text(), DATA)

    def test_directories_hand_their_owner_on(self) -> None:
        work, inner = self.folder / "work", self.folder / "work/inner"
        self.assertEqual(self.as_account(WORK, "directory", work), [MINE])
        steps = ["directory", inner, "create", inner / "file", DATA, "owner", inner / "file"]
        self.assertEqual(self.as_account(PERSONAL, *steps), [OTHERS] * 3)
        os.setxattr(work, LABEL, b"broken")
        self.assertEqual(self.as_account(WORK, "create", work / "other", DATA), ["unknown - -"])

    def test_the_numbers_of_errors(self) -> None:
        self.made()
        steps = ["owner", self.folder / "gone", "give", self.folder / "gone", WORK, "owner", self.path / "below"]
        steps += ["give", self.path, "stranger@contoso.com", "create", self.folder, "x"]
        self.assertEqual(self.as_account(WORK, *steps), [f"error {code}" for code in (104, 104, 104, 101, 105)])

    def test_a_broken_attribute_is_a_managed_owner(self) -> None:
        self.made()
        label = os.getxattr(self.path, LABEL)
        for broken in (b"", b"0", label[:-1], label + b"0", bytes([label[0] ^ 1]) + label[1:], b"\xff" * 300, b"x" * 3000):
            os.setxattr(self.path, LABEL, broken)
            found = self.as_account(WORK, "owner", self.path, "tell", "open", self.path)
            self.assertEqual(found, ["unknown - -", "block unknownAccount"], broken[:5])

    def test_events_take_the_facts(self) -> None:
        self.made()
        self.assertEqual(self.as_account(WORK, "tell", "open", self.path), ["allow"])
        copy = self.folder / "holiday"
        shutil.copy2(self.path, copy)
        self.assertTrue(all(said.startswith("block") for said in self.as_account(PERSONAL, "tell", "open", copy)))
        old = self.folder / "old"
        old.touch()
        os.setxattr(old, "user.xdg.origin.url", b"https://contoso.com/report")
        self.assertEqual(self.as_account(WORK, "owner", old), [MINE])
        self.assertEqual(self.as_account(PERSONAL, "tell", "open", self.folder / "none"), ["error 104"])

    def test_the_file_of_a_program_that_shows_nobody_is_nobodys(self) -> None:
        self.assertEqual(self.does("create", self.path, DATA, socket=self.daemon.guard_socket), [NOBODYS])
        self.assertEqual((self.path.read_text(), os.listxattr(self.path)), (DATA, []))

    def test_a_directory_of_an_account_is_asked_for(self) -> None:
        found = self.as_account(WORK, "open", WORK, "open", PERSONAL, "open", "stranger@contoso.com")
        self.assertEqual(found, ["none - -", "NotManaged - -", "UnknownAccount - -"])

    def test_python_reads_the_same_on_every_file_system(self) -> None:
        for kind in ("here", "tmpfs", "ramfs", "overlay", "vfat"):
            with self.subTest(kind):
                place = self.mounted(kind)
                if place is None:
                    print(f"no {kind} here", flush=True)
                    continue
                file = place / "file"
                file.write_text(DATA)
                self.agree(file)
                self.agree(place)
                said = self.as_account(WORK, "create", place / "new", DATA)
                with open(file, "rb") as opened:
                    store, _ = file_facts.place(opened.fileno())
                self.assertEqual(said, ["error 102" if store == "none" else MINE])
                self.assertEqual((place / "new").exists(), store != "none")
                if store == "attribute":
                    self.agree(place / "new")
                    os.setxattr(file, "user.xdg.origin.url", b"https://contoso.com/\x00\xff")
                    self.agree(file)
                elif store == "table":
                    self.assertEqual(self.as_account(PERSONAL, "owner", place / "new", "owner", file), [OTHERS, NOBODYS])

    def agree(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            facts: dict[str, str] = file_facts.facts(descriptor)
        except FileProtectionError as error:
            self.fail(str(error))
        finally:
            os.close(descriptor)
        [said] = self.does("facts", path)
        found = dict(part.split("=") for part in said.split())
        for name, text in found.items():
            wanted = facts.get(name)
            read = None if text == "none" else bytes.fromhex(text).decode(errors="replace")
            # Text ends with NUL in C, where one in the middle is what is no UTF-8.
            self.assertEqual(read, wanted and wanted.replace("\0", "\ufffd"), (path, name))

    def mounted(self, kind: str) -> Path | None:
        if kind == "here":
            return self.folder
        place = self.directory / kind
        place.mkdir()
        source, options = "none", []
        if kind == "overlay":
            base = self.mounted_as("tmpfs", self.directory / "base", "none", [])
            if base is None:
                return None
            for name in ("lower", "upper", "work"):
                (base / name).mkdir()
            options = ["-o", f"lowerdir={base}/lower,upperdir={base}/upper,workdir={base}/work"]
        if kind == "vfat":
            image = self.directory / "image"
            with open(image, "wb") as file:
                file.truncate(8 << 20)
            if not shutil.which("mkfs.vfat") or subprocess.run(["mkfs.vfat", image], capture_output=True).returncode:
                return None
            source, options = str(image), ["-o", "loop"]
        return self.mounted_as(kind, place, source, options)

    def mounted_as(self, kind: str, place: Path, source: str, options: list[str]) -> Path | None:
        place.mkdir(exist_ok=True)
        if subprocess.run(["mount", "-t", kind, *options, source, place], capture_output=True).returncode:
            return None
        self.addCleanup(subprocess.run, ["umount", str(place)], check=True)
        return place
