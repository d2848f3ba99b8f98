"""What `make install` puts in place, and the examples built upon it, against the real daemon."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import ClassVar

from configuration import WORK, Configuration
from daemon import Daemon
from program import CLIENT, VERSION, WARNINGS, run

URLS = ["https://contoso.com/", "https://example.net/", "https://sharing.example/"]
# What each library needs beside libc.
LIBRARIES: dict[str, set[str]] = {
    "webviewguard": set(), "webviewguard-files": {"libwebviewguard.so.0"},
    "webviewguard-sealed": {"libwebviewguard.so.0", "libcrypto.so"},
    "webviewguard-stored": {"libwebviewguard.so.0", "libwebviewguard-files.so.0", "libwebviewguard-sealed.so.0"},
}  # fmt: skip
# Without a daemon there is no key, and the data is never left as it is.
SEALS = """\
#include <stdio.h>
#include <webviewguard-sealed.h>
int main(int count, char **arguments) {
  wvg *guard = wvg_new(&(wvg_options){.path = arguments[count - 1]});
  wvg_keys keys = wvg_guard_keys(guard);
  unsigned char *sealed;
  size_t size;
  wvg_sealed_status status = wvg_protect(&keys, "work@contoso.com", "x", 1, &sealed, &size);
  printf("%d %d\\n", status.code, status.reason);
  wvg_free(guard);
  return sealed != NULL;
}
"""
# `scripts/check-install` tries the libraries for WebKitGTK.
PLAIN = ["WEBKITGTK=no"]
SANITIZED = ["-g", "-fsanitize=address,undefined"]


class Installed(unittest.TestCase):
    stage: ClassVar[Path]
    daemon: ClassVar[Daemon]

    @classmethod
    def setUpClass(cls) -> None:
        cls.stage = Path(tempfile.mkdtemp(prefix="wvg-"))
        cls.addClassCleanup(shutil.rmtree, cls.stage)
        build = cls.stage / "build"
        run("make", "-C", CLIENT, "install", *PLAIN, f"BUILD={build}", f"DESTDIR={cls.stage}", "PREFIX=/opt/wvg")
        cls.daemon = Daemon(Configuration())
        cls.addClassCleanup(cls.daemon.remove)
        cls.daemon.start()

    def flags(self, *packages: str, name: str = "webviewguard", static: bool = False) -> list[str]:
        """What pkg-config says a program needs, in the staging directory."""
        place = self.stage / "opt/wvg/lib/pkgconfig"
        environment = {"PKG_CONFIG_PATH": str(place), "PKG_CONFIG_SYSROOT_DIR": str(self.stage)}
        kind = ["--static"] if static else []
        found = run("pkg-config", *kind, "--cflags", "--libs", name, **environment).stdout.split()
        others = run("pkg-config", "--cflags", "--libs", *packages).stdout.split() if packages else []
        place = self.stage / "opt/wvg/lib"
        archives = {f"-l{library}": str(place / f"lib{library}.a") for library in LIBRARIES} if static else {}
        return [archives.get(flag, flag) for flag in found] + others

    def test_what_is_installed(self) -> None:
        root = self.stage / "opt/wvg"
        found = {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}
        wanted = {
            name
            for library in LIBRARIES
            for name in (
                f"include/{library}.h", f"lib/lib{library}.a", f"lib/lib{library}.so", f"lib/lib{library}.so.0",
                f"lib/lib{library}.so.{VERSION}", f"lib/pkgconfig/{library}.pc",
            )
        }  # fmt: skip
        wanted |= {f"include/webviewguard-{name}.h" for name in ("cef", "notice", "words")}
        sources = {*(CLIENT / "cef").glob("*.[ch]")} - {CLIENT / "cef/webviewguard-cef.h"}
        wanted |= {"lib/pkgconfig/webviewguard-cef.pc", *(f"src/webviewguard-cef/{one.name}" for one in sources)}
        self.assertEqual(found, wanted)

    def test_sealed_data_can_be_left_out(self) -> None:
        stage = self.stage / "unsealed"
        places = [f"BUILD={stage / 'build'}", f"DESTDIR={stage}", "PREFIX=/opt"]
        run("make", "-C", CLIENT, "install", *PLAIN, "SEALED=no", *places)
        names = ("", "-cef", "-files", "-notice", "-words")
        headers = {f"webviewguard{name}.h" for name in names}
        self.assertEqual({path.name for path in (stage / "opt/include").iterdir()}, headers)
        packages = {f"webviewguard{name}.pc" for name in ("", "-cef", "-files")}
        self.assertEqual({path.name for path in (stage / "opt/lib/pkgconfig").iterdir()}, packages)

    def test_each_library_needs_little_and_gives_what_its_header_says(self) -> None:
        for name, others in LIBRARIES.items():
            library = self.stage / f"opt/wvg/lib/lib{name}.so.0"
            needed = re.findall(r"NEEDED\s+(\S+)", run("objdump", "-p", library).stdout)
            self.assertEqual({re.sub(r"crypto\.so\..*", "crypto.so", one) for one in needed}, {"libc.so.6", *others})
            given = set(re.findall(r" [TDBR] (\w+)", run("nm", "-D", "--defined-only", library).stdout))
            # The notice is a part of the client's own library.
            headers = [name, "webviewguard-notice"] if name == "webviewguard" else [name]
            text = "".join((CLIENT / f"{header}.h").read_text() for header in headers)
            header = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            said = set(re.findall(r"^[\w* ]+?\b(wvg_\w+)\(", header, re.MULTILINE)) - {
                one for one in re.findall(r"typedef \w+ (\w+)\(", header)
            }
            self.assertEqual(given, said, name)

    def test_a_program_of_an_installed_library_seals(self) -> None:
        source, program = self.stage / "seal.c", self.stage / "seal"
        source.write_text(SEALS)
        for static in (False, True):
            flags = self.flags(name="webviewguard-sealed", static=static)
            run("gcc", "-std=c11", *WARNINGS, source, *flags, "-o", program)
            self.assertEqual(self.example(program, self.stage / "nobody.sock"), "102 3\n")

    def test_the_library_has_no_state_of_its_own(self) -> None:
        for name in LIBRARIES:
            sections = run("size", "-A", self.stage / f"build/{name}.o").stdout
            sizes = dict(re.findall(r"^(\.data|\.bss)\s+(\d+)", sections, re.MULTILINE))
            self.assertEqual(sizes, {".data": "0", ".bss": "0"})

    def test_the_header_is_c_and_cpp(self) -> None:
        for compiler, language, standard in (("gcc", "c", "c99"), ("gcc", "c", "c11"), ("g++", "c++", "c++17")):
            for name in LIBRARIES:
                run(compiler, f"-std={standard}", *WARNINGS, "-fsyntax-only", "-x", language, CLIENT / f"{name}.h")

    def test_the_source_is_c99(self) -> None:
        """`c99` is what make's default CC runs: there is no `max_align_t` in it."""
        for standard in ("c99", "gnu99", "c11", "gnu17"):
            for name in LIBRARIES:
                run("gcc", f"-std={standard}", *WARNINGS, "-O2", "-fsyntax-only", CLIENT / f"{name}.c")

    def test_an_older_c_is_told_what_is_needed(self) -> None:
        older = (("c89", "webviewguard.h", "C99"), ("gnu89", "webviewguard.h", "C99"), ("c99", "cef/internal.h", "C11"))
        for standard, name, needed in older:
            command = ["gcc", f"-std={standard}", "-fsyntax-only", "-x", "c", str(CLIENT / name)]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0, name)
            self.assertRegex(done.stderr.partition("error:")[2].splitlines()[0], f"#error .*needs {needed}")

    def test_the_glib_example_holds_navigations(self) -> None:
        program = self.stage / "example-glib"
        for static in (False, True):
            flags = self.flags("glib-2.0", static=static)
            run("gcc", "-std=c11", *WARNINGS, *SANITIZED, CLIENT / "example-glib.c", *flags, "-o", program)
            said = self.example(
                program, "--socket", self.daemon.guard_socket, "--account", WORK, "--class", "documents", *URLS
            )
            self.assertEqual(
                said.splitlines(),
                [
                    "load https://contoso.com/",
                    "open https://example.net/ with com.contoso.Browser.desktop",
                    "do not load https://sharing.example/: sharing.example is a personal file-sharing site",
                ],
            )
        nobody = self.example(program, "--socket", self.stage / "nobody.sock", *URLS)
        message = "The protection of your organization's data does not answer. Try again in a moment."
        self.assertEqual(nobody.splitlines(), [f"do not load {url}: {message}" for url in URLS])

    def test_the_cpp_example_asks(self) -> None:
        program = self.stage / "example"
        run("g++", "-std=c++17", *WARNINGS, *SANITIZED, CLIENT / "example.cpp", *self.flags(), "-o", program)
        said = self.example(program, self.daemon.guard_socket, WORK, "documents", *URLS)
        self.assertEqual(
            said.splitlines(),
            [
                "load https://contoso.com/",
                "open https://example.net/",
                "do not load https://sharing.example/: blockedByRule",
            ],
        )
        refused = subprocess.run(
            [program, self.daemon.guard_socket, WORK, "none", "u"],
            capture_output=True,
            text=True,
            env=self.environment(),
        )
        self.assertEqual((refused.returncode, refused.stderr), (1, "UnknownClass\n"))

    def test_make_builds_the_examples(self) -> None:
        run("make", "-C", CLIENT, "examples", f"BUILD={self.stage / 'examples'}")
        self.assertTrue((self.stage / "examples/example-glib").exists())

    def test_the_readmes_code_is_the_examples(self) -> None:
        example = (CLIENT / "example-glib.c").read_text()
        copied = re.search(r"forty lines to copy -+ \*/\n\n(.*?)\n/\* ---- The browser", example, re.DOTALL)
        self.assertIsNotNone(copied)
        assert copied
        self.assertIn(copied[1].strip(), (CLIENT / "README.md").read_text())

    def example(self, *command: object) -> str:
        return run(*map(str, command), **self.environment()).stdout

    def environment(self) -> dict[str, str]:
        return os.environ | {"LD_LIBRARY_PATH": str(self.stage / "opt/wvg/lib")}
