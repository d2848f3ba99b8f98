"""`webviewguard seal`, `unseal` and `owner`, run by the people whose files they are, against the real daemon: what another
program sealed is opened, and whatever goes wrong on the way leaves the old file and nothing else."""

import os
import struct
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from attack_case import APP
from configuration import PERSONAL, WORK, Configuration
from daemon import PROGRAM, ROOT, eventually
from test_data_keys import SECOND, SEVERAL, KeyCase
from test_wipes import ALICE, BOB, NOTES

TEXT = bytes(range(256)) * 1000
C_DRIVER = ROOT / "clients/c"
# Four GiB where the variable says 100 (percent).
BIG = (4 << 30) * int(os.environ.get("WEBVIEWGUARD_EFFORT", "10")) // 100
# More than a program needs for any file than for one of a byte.
MOST_KIBIBYTES = 4 << 10
MOUNTED = 'mount -t tmpfs -o size=256k,mode=0777 none "$1" && shift && exec setpriv --reuid="$0" --regid="$0" --clear-groups "$@"'


class FileCase(KeyCase):
    # The client in C waits no longer than the contract says.
    configuration = Configuration(SEVERAL, settings="graceSeconds: 1\ncontract: { startMs: 60000, answerMs: 60000 }\n")

    def setUp(self) -> None:
        super().setUp()
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="wvg-files-")))
        self.folder.chmod(0o755)
        self.desk = self.folder / "desk"
        self.desk.mkdir()
        os.chown(self.desk, ALICE, ALICE)
        self.file = self.desk / "report"
        self.alice = self.app(ALICE)

    # People

    def command(self, verb: str, *arguments: Any, app: str = APP) -> list[str]:
        return [str(PROGRAM), verb, *map(str, arguments), "--app", app, "--socket-dir", str(self.daemon.sockets)]

    def run_as(self, uid: int, *command: str, data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(command, input=data, capture_output=True, user=uid, group=uid, extra_groups=[], cwd=self.desk)

    def does(self, verb: str, *arguments: Any, uid: int = ALICE, data: bytes | None = None, app: str = APP) -> bytes:
        """The output of a command that goes well."""
        done = self.run_as(uid, *self.command(verb, *arguments, app=app), data=data)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def fails(self, status: int, words: str, verb: str, *arguments: Any, uid: int = ALICE, data: bytes | None = None) -> None:
        """A command that fails with these words, hands nothing out, and changes nothing."""
        before = self.content()
        done = self.run_as(uid, *self.command(verb, *arguments), data=data)
        self.assertIn(words, done.stderr.decode())
        self.assertEqual((done.returncode, done.stdout), (status, b""), done.stderr)
        self.assertEqual(self.content(), before)

    def content(self) -> dict[str, tuple[int, bytes]]:
        """Everything on the desk."""
        return {
            entry.name: (entry.lstat().st_mode, entry.read_bytes() if entry.is_file() else b"") for entry in self.desk.iterdir()
        }

    def put(self, data: bytes, path: Path | None = None, mode: int = 0o640, uid: int = ALICE) -> Path:
        path = path or self.file
        path.write_bytes(data)
        path.chmod(mode)
        os.chown(path, uid, uid)
        return path


class SealedFiles(FileCase):
    """SD-01 to SD-05."""

    def test_a_file_is_sealed_and_opened_in_its_place(self) -> None:
        for data in (b"", b"x", TEXT, bytes(65_536), bytes(131_072)):
            self.put(data)
            self.does("seal", self.file, "--as", WORK)
            envelope = self.file.read_bytes()
            self.assertTrue(self.info(envelope).is_sealed)
            self.assertEqual(len(envelope), 112 + len(data) + 16 * max(1, -(-len(data) // 65_536)))
            status = self.file.stat()
            self.assertEqual((status.st_mode & 0o7777, status.st_uid, status.st_gid), (0o640, ALICE, ALICE))
            self.does("unseal", self.file)
            self.assertEqual(self.file.read_bytes(), data)
            self.assertEqual((self.file.stat().st_mode & 0o7777, self.file.stat().st_uid), (0o640, ALICE))
            self.assertEqual([*self.content()], ["report"])

    def test_labels_and_access_lists_stay_with_the_file(self) -> None:
        # `group::---, user:BOB:rw-, mask::rw-`: the mode says rw for the group, which has nothing.
        rights = [(0x01, 6, 0xFFFFFFFF), (0x02, 6, BOB), (0x04, 0, 0xFFFFFFFF), (0x10, 6, 0xFFFFFFFF), (0x20, 0, 0xFFFFFFFF)]
        access = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in rights)
        kept = {"user.webviewguard.owner": b"a label", "user.note": b"", "system.posix_acl_access": access}
        for mode in (0o640, 0o440):
            self.put(TEXT)
            for name, value in kept.items():
                os.setxattr(self.file, name, value)
            if mode == 0o440:
                os.removexattr(self.file, "system.posix_acl_access")
                self.file.chmod(mode)
            before = {name: os.getxattr(self.file, name) for name in os.listxattr(self.file)}
            for verb in (("seal", self.file, "--as", WORK), ("unseal", self.file)):
                self.does(*verb)
                self.assertEqual({name: os.getxattr(self.file, name) for name in os.listxattr(self.file)}, before, verb)
            self.file.unlink()

    def test_python_opens_what_the_command_sealed_and_the_other_way_round(self) -> None:
        self.put(TEXT)
        self.does("seal", self.file, "--as", WORK)
        self.assertEqual(self.sealing(self.alice).unprotect(self.file.read_bytes()), TEXT)
        self.put(self.sealing(self.app(ALICE, NOTES)).protect(TEXT, WORK))
        self.assertEqual(self.does("unseal", self.file, "-o", "-"), TEXT)
        # Every app of the person opens it.
        self.assertEqual(self.does("unseal", self.file, "-o", "-", app=NOTES), TEXT)

    def test_c_opens_what_the_command_sealed_and_the_other_way_round(self) -> None:
        driver = self.folder / "c"
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libcrypto"], capture_output=True, text=True).stdout.split()
        sources = [C_DRIVER / "webviewguard.c", C_DRIVER / "webviewguard-sealed.c"]
        main = self.folder / "main.c"
        main.write_text(C_PROGRAM)
        subprocess.run(["cc", "-O1", f"-I{C_DRIVER}", main, *sources, "-o", driver, *flags, "-lpthread"], check=True)
        driver.chmod(0o755)
        self.put(TEXT)
        self.does("seal", self.file, "--as", WORK)
        said = self.run_as(ALICE, str(driver), "open", str(self.daemon.guard_socket), str(self.file))
        self.assertEqual((said.returncode, said.stdout), (0, TEXT), said.stderr)
        said = self.run_as(ALICE, str(driver), "seal", str(self.daemon.guard_socket), str(self.desk / "by-c"), data=TEXT)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(self.does("unseal", "by-c", "-o", "-"), TEXT)

    def test_standard_input_and_output(self) -> None:
        envelope = self.does("seal", "-", "--as", WORK, data=TEXT)
        self.assertEqual(self.does("unseal", "-", data=envelope), TEXT)
        self.put(TEXT)
        self.assertEqual(self.sealing(self.alice).unprotect(self.does("seal", self.file, "-o", "-", "--as", WORK)), TEXT)
        self.does("unseal", "-", "-o", "out", data=envelope)
        self.assertEqual((self.desk / "out").read_bytes(), TEXT)
        self.assertEqual(self.file.read_bytes(), TEXT)
        self.assertEqual(self.does("unseal", "-", data=self.does("seal", "-", "--as", WORK, data=b"")), b"")

    def test_another_file_is_written_and_none_is_replaced_unasked(self) -> None:
        self.put(TEXT, mode=0o600)
        self.does("seal", self.file, "-o", "sealed", "--as", WORK)
        self.assertEqual(self.file.read_bytes(), TEXT)
        self.assertEqual((self.desk / "sealed").stat().st_mode & 0o777, 0o600, "no more people may read it than before")
        self.fails(2, "exists; `--force` replaces it", "seal", self.file, "-o", "sealed", "--as", WORK)
        self.fails(2, "exists; `--force` replaces it", "unseal", "sealed", "-o", self.file)
        (self.desk / "nowhere").symlink_to("missing")
        self.fails(2, "exists; `--force` replaces it", "unseal", "sealed", "-o", "nowhere")
        self.put(b"old", self.desk / "target", mode=0o604)
        self.does("unseal", "sealed", "-o", "target", "--force")
        self.assertEqual(((self.desk / "target").read_bytes(), (self.desk / "target").stat().st_mode & 0o777), (TEXT, 0o604))

    def test_the_account_that_the_app_has_enrolled_is_meant_where_none_is_named(self) -> None:
        self.put(TEXT)
        self.does("seal", self.file)
        self.assertIn(WORK.encode(), self.does("owner", self.file))
        two = self.app(ALICE, APP, WORK, SECOND)
        self.put(TEXT)
        self.fails(1, "say whose it is: `--as ACCOUNT`", "seal", self.file)
        two.close()
        self.does("seal", self.file, "--as", SECOND)
        self.assertIn(SECOND.encode(), self.does("owner", self.file))

    def test_the_owner_of_a_file(self) -> None:
        self.put(TEXT)
        self.does("seal", self.file, "--as", WORK)
        info = self.info(self.file.read_bytes())
        said = self.does("owner", self.file).decode()
        for word in ("sealed", WORK, info.account_id, info.key_id, info.object_id):
            self.assertIn(str(word), said)
        self.assertIn(f'"accountId":"{info.account_id}"', self.does("owner", "-", "--format", "json", data=self.file.read_bytes()).decode())
        # Without a daemon the header is all that is known.
        done = self.run_as(ALICE, str(PROGRAM), "owner", str(self.file), "--socket-dir", str(self.desk))
        self.assertEqual((done.returncode, WORK.encode() in done.stdout, str(info.account_id).encode() in done.stdout), (0, False, True))
        # A private account's file keeps its bytes, and names it.
        self.put(TEXT)
        self.does("seal", self.file, "--as", PERSONAL)
        self.assertTrue(self.file.read_bytes().endswith(TEXT))
        self.assertIn(PERSONAL, self.does("owner", self.file).decode())
        self.does("unseal", self.file)
        done = self.run_as(ALICE, *self.command("owner", self.file))
        self.assertEqual((done.returncode, done.stdout), (1, b"none\n"))
        self.fails(1, "is empty", "owner", "-", data=b"")

    def test_a_link_stays_and_its_file_is_replaced(self) -> None:
        self.put(TEXT)
        link = self.desk / "link"
        link.symlink_to("report")
        self.does("seal", link, "--as", WORK)
        self.assertTrue(link.is_symlink())
        self.assertTrue(self.info(self.file.read_bytes()).is_sealed)
        self.does("unseal", link)
        self.assertEqual((link.is_symlink(), self.file.read_bytes()), (True, TEXT))


C_PROGRAM = r"""
#include "webviewguard-sealed.h"
#include <stdio.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
static int put(void *context, const void *data, size_t size) {
  (void)context;
  return fwrite(data, 1, size, stdout) != size;
}
int main(int count, char **words) {
  char data[300000];
  wvg *guard = wvg_new(&(wvg_options){.path = words[2], .app = "com.contoso.portal"});
  if (count != 4 || !guard || !wvg_start(guard)) return 2;
  wvg_keys keys = wvg_guard_keys(guard);
  wvg_sealed_status status;
  if (!strcmp(words[1], "open")) {
    status = wvg_unseal_stream(&keys, open(words[3], O_RDONLY), put, NULL);
  } else {
    wvg_sealer *sealer = NULL;
    status = wvg_sealer_create(&keys, "work@contoso.com", words[3], &sealer);
    if (!status.code) status = wvg_sealer_write(sealer, data, fread(data, 1, sizeof data, stdin));
    if (!status.code) status = wvg_sealer_finish(sealer);
    wvg_sealer_free(sealer);
  }
  wvg_free(guard);
  return (int)status.code;
}
"""


class Refusals(FileCase):
    def test_damage_changes_nothing_and_says_what_to_do(self) -> None:
        whole = self.sealing(self.alice).protect(TEXT, WORK)
        middle = bytearray(whole)
        middle[100_000] ^= 1
        wrong = {"cut": whole[:-1], "cut in chunks": whole[: 112 + 65_552], "header": whole[:50], "a bit": bytes(middle), "more": whole + b"x"}
        for name, data in wrong.items():
            with self.subTest(name):
                self.put(data)
                for output in ((), ("-o", "out")):
                    self.fails(1, "is damaged", "unseal", self.file, *output)
                    self.fails(1, "take another copy of it [103]", "unseal", "-", "-o", "out", data=data)
        newer = bytearray(whole)
        newer[8] = 2
        self.put(bytes(newer))
        self.fails(1, "sealed by a newer webviewguard", "unseal", self.file)
        self.fails(1, "sealed by a newer webviewguard", "seal", self.file, "--as", WORK)
        self.put(TEXT)
        self.fails(1, "is not sealed [104]", "unseal", self.file)
        self.fails(1, "is not sealed [104]", "unseal", "-", data=TEXT)
        self.put(b"")
        self.fails(1, "is empty [105]", "unseal", self.file)

    def test_what_is_sealed_is_not_sealed_again_unasked(self) -> None:
        self.put(TEXT)
        self.does("seal", self.file, "--as", WORK)
        self.fails(1, "has an owner already", "seal", self.file, "--as", WORK)
        self.does("seal", self.file, "--as", WORK, "--force")
        self.does("unseal", self.file)
        self.does("unseal", self.file)
        self.assertEqual(self.file.read_bytes(), TEXT)

    def test_a_file_with_other_names_is_not_sealed_unasked(self) -> None:
        self.put(TEXT)
        os.link(self.file, self.desk / "other")
        self.fails(2, "has 2 names (hard links)", "seal", self.file, "--as", WORK)
        self.does("seal", self.file, "--as", WORK, "--force")
        self.assertEqual((self.desk / "other").read_bytes(), TEXT)

    def test_directories_pipes_and_what_is_not_there(self) -> None:
        pipe = self.desk / "pipe"
        os.mkfifo(pipe)
        os.chown(pipe, ALICE, ALICE)
        for verb in (("seal", "--as", WORK), ("unseal",)):
            self.fails(2, "is a directory", verb[0], self.desk, *verb[1:])
            self.fails(2, "No such file", verb[0], "missing", *verb[1:])
            self.fails(2, "No such file", verb[0], self.put(TEXT), "-o", "missing/out", *verb[1:])
            self.fails(2, "is a directory", verb[0], self.desk, "-o", "out", *verb[1:])
        self.put(TEXT, mode=0, uid=BOB)
        self.fails(2, "Permission denied", "seal", self.file, "--as", WORK)
        # A pipe has no place of its own; what comes out of it goes elsewhere.
        writer = subprocess.Popen(["sh", "-c", f"(printf data > {pipe}); (printf data > {pipe}); true"])
        self.fails(2, "is no regular file", "seal", pipe, "--as", WORK)
        self.assertEqual(self.sealing(self.alice).unprotect(self.does("seal", pipe, "-o", "-", "--as", WORK)), b"data")
        self.assertEqual(writer.wait(), 0)
        self.fails(2, "Is a directory", "seal", "-", "-o", self.desk, "--force", "--as", WORK, data=b"x")
        self.fails(2, "cannot replace", "seal", "-", "-o", pipe, "--force", "--as", WORK, data=b"x")

    def test_who_gets_no_key_changes_nothing(self) -> None:
        self.put(TEXT)
        self.fails(1, "may not work here now [policyRequired]", "seal", self.file, "--as", SECOND)
        self.fails(1, "the policy has no such account", "seal", self.file, "--as", "stranger@contoso.com")
        sealed = self.sealing(self.alice).protect(TEXT, WORK)
        bobs = self.sealing(self.app(BOB)).protect(TEXT, WORK)
        self.put(bobs)
        self.fails(1, "sealed for another person", "unseal", self.file)
        self.fails(1, "sealed for another person", "unseal", "-", data=bobs)
        self.put(sealed)
        done = self.run_as(ALICE, str(PROGRAM), "unseal", str(self.file), "--app", "com.contoso.nobody", "--socket-dir", str(self.daemon.sockets))
        self.assertEqual((done.returncode, self.file.read_bytes()), (1, sealed), done.stderr)
        self.assertIn(b"[100]", done.stderr)
        done = self.run_as(ALICE, str(PROGRAM), "unseal", str(self.file), "--socket-dir", str(self.desk))
        self.assertEqual((done.returncode, self.file.read_bytes()), (2, sealed), done.stderr)
        self.assertIn(b"there is no socket", done.stderr)
        self.begun(ALICE)
        self.destroyed()
        self.fails(1, "cannot be opened", "unseal", self.file)

    def test_the_file_of_another_owner_is_not_taken_over(self) -> None:
        """A person who may write the directory could replace it, and would become its owner."""
        self.put(TEXT, mode=0o644, uid=BOB)
        self.fails(2, "cannot keep the owner", "seal", self.file, "--as", WORK)
        # Her own she may replace, also one that nobody may write.
        self.put(self.sealing(self.alice).protect(TEXT, WORK), mode=0o444)
        self.does("unseal", self.file)
        self.assertEqual((self.file.stat().st_uid, self.file.stat().st_mode & 0o777), (ALICE, 0o444))


class Interruptions(FileCase):
    def test_a_file_that_changes_while_it_is_read_stays(self) -> None:
        for verb in ("seal", "unseal"):
            data = TEXT * 200 if verb == "seal" else self.sealing(self.alice).protect(TEXT * 200, WORK)
            self.put(data)
            command = self.command(verb, self.file, *(("--as", WORK) if verb == "seal" else ()))
            process = self.halted(command)
            with open(self.file, "r+b") as file:
                file.seek(len(data) - 1)
                file.write(bytes([data[-1] ^ 1]))
            process.send_signal(signal.SIGCONT)
            said = process.communicate()[1].decode()
            self.assertNotEqual(process.returncode, 0)
            self.assertRegex(said, "changed while it was read|is damaged")
            self.assertEqual([*self.content()], ["report"])
            self.assertEqual(self.file.read_bytes()[:-1], data[:-1])

    def test_a_command_that_is_killed_leaves_the_old_file_and_no_plain_text(self) -> None:
        data = self.sealing(self.alice).protect(TEXT * 200, WORK)
        for deadly, *output in ((signal.SIGKILL,), (signal.SIGKILL, "-o", self.desk / "out"), (signal.SIGTERM,), (signal.SIGTERM, "-o", self.desk / "out")):
            self.put(data)
            process = self.halted(self.command("unseal", self.file, *output))
            process.send_signal(deadly)
            process.send_signal(signal.SIGCONT)
            process.communicate()
            self.assertNotEqual(process.returncode, 0)
            self.assertEqual([*self.content()], ["report"])
            self.assertEqual(self.file.read_bytes(), data)

    def halted(self, command: list[str]) -> "subprocess.Popen[bytes]":
        """The command, stopped when it has written a part of its file."""
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, user=ALICE, group=ALICE, extra_groups=[])

        def has_begun() -> bool:
            # What it writes has no name in the directory, so it is looked for among its open files.
            process.send_signal(signal.SIGSTOP)
            for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
                target = os.readlink(descriptor)
                if target.startswith(str(self.desk)) and "(deleted)" in target and descriptor.stat().st_size > 0:
                    return True
            self.assertIsNone(process.poll(), "it was over before it could be stopped")
            process.send_signal(signal.SIGCONT)
            return False

        eventually(has_begun, "it has begun to write")
        return process

    def test_a_full_disk_leaves_the_old_file_alone(self) -> None:
        small = self.folder / "small"
        small.mkdir()
        for verb, data in (("seal", TEXT), ("unseal", self.sealing(self.alice).protect(TEXT, WORK))):
            self.put(data)
            script = 'cp "$REPORT" report && chmod 0600 report; "$@"; echo "status $?"; ls -A; cmp report "$REPORT" && echo same; cd /'
            command = self.command(verb, "report", *(("--as", WORK) if verb == "seal" else ()))
            done = subprocess.run(
                ["unshare", "--mount", "--propagation", "private", "sh", "-ec", MOUNTED, str(ALICE), str(small), "sh", "-c",
                 f'cd "{small}"; {script}', "sh", *command],
                capture_output=True, text=True, env=os.environ | {"REPORT": str(self.file)},
            )  # fmt: skip
            self.assertEqual(done.stdout, "status 2\nreport\nsame\n", done.stderr)
            self.assertIn("No space left on device", done.stderr)

    def test_a_disk_without_nameless_files_works_too(self) -> None:
        """On NFS and FAT a file has a name before it is whole."""
        source, library = self.folder / "named.c", self.folder / "named.so"
        source.write_text(NAMED)
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=True)
        library.chmod(0o755)
        damaged = self.put(self.sealing(self.alice).protect(TEXT, WORK)[:-1], self.desk / "damaged")
        self.put(TEXT)
        # Each with its status, and whether a file was refused its namelessness.
        for status, *command in (
            (0, "seal", self.file, "--as", WORK),
            (0, "unseal", self.file, "-o", "new"),
            (1, "unseal", "new"),
            (2, "unseal", self.file, "-o", "new"),
            (0, "unseal", self.file, "-o", "new", "--force"),
            (1, "unseal", damaged),
        ):
            done = self.run_as(ALICE, "env", f"LD_PRELOAD={library}", *self.command(*command))
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(b"a name is needed" in done.stderr, status != 2, done.stderr)
            self.assertEqual({*self.content()} - {"new"}, {"damaged", "report"})
        self.assertEqual((self.desk / "new").read_bytes(), TEXT)
        self.assertEqual((self.info(self.file.read_bytes()).is_sealed, self.file.stat().st_mode & 0o777), (True, 0o640))


    def test_a_disk_that_sets_no_permissions(self) -> None:
        """FAT behind FUSE refuses to set them, and has the same for each file: only a file with others is not replaced."""
        source, library = self.folder / "fixed.c", self.folder / "fixed.so"
        source.write_text(FIXED)
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
        library.chmod(0o755)
        for mode, status in ((0o600, 0), (0o640, 2)):
            before = self.put(TEXT, mode=mode).read_bytes()
            done = self.run_as(ALICE, "env", f"LD_PRELOAD={library}", *self.command("seal", self.file, "--as", WORK))
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(b"cannot keep the permissions" in done.stderr, status == 2, done.stderr)
            self.assertEqual(self.file.read_bytes() == before, status == 2)
            self.assertEqual((self.file.stat().st_mode & 0o777, [*self.content()]), (mode, ["report"]))


FIXED = r"""
#include <errno.h>
#include <sys/stat.h>
int fchmod(int file, mode_t mode) {
  errno = ENOSYS;
  return -1;
}
"""

NAMED = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>
static int with(const char *name, int place, const char *path, int flags, unsigned mode) {
  if ((flags & O_TMPFILE) == O_TMPFILE) {
    write(2, "a name is needed\n", 17);
    errno = EOPNOTSUPP;
    return -1;
  }
  int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, name);
  return real(place, path, flags, mode);
}
int openat(int place, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  unsigned mode = va_arg(rest, unsigned);
  va_end(rest);
  return with("openat", place, path, flags, mode);
}
int openat64(int place, const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  unsigned mode = va_arg(rest, unsigned);
  va_end(rest);
  return with("openat64", place, path, flags, mode);
}
"""


class AnySize(FileCase):
    def test_memory_is_the_same_for_any_size(self) -> None:
        self.put(b"x")
        small = self.peak(f"{self.line('seal', self.file, '-o', '-', '--as', WORK)} > /dev/null")
        with open(self.file, "wb") as file:
            file.truncate(BIG)
        sealing = self.line("seal", self.file, "-o", "-", "--as", WORK)
        self.assertLess(self.peak(f"{sealing} > /dev/null") - small, MOST_KIBIBYTES)
        opening = f"{sealing} | {self.line('unseal', '-', '-o', '-')} | cmp - {self.file}"
        self.assertLess(self.peak(opening) - small, MOST_KIBIBYTES)

    def line(self, verb: str, *arguments: Any) -> str:
        return " ".join(self.command(verb, *arguments))

    def peak(self, line: str) -> int:
        """The memory in KiB of the greatest program of a line that goes well."""
        script = f"import resource, subprocess; subprocess.run(['bash', '-eo', 'pipefail', '-c', {line!r}], check=True); "
        script += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        done = self.run_as(ALICE, sys.executable, "-c", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stdout)
