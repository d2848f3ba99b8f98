"""Programs as their authors write them: the browsers of docs/embedding.md, in C, Python and Vala, as installed.

They run as processes of their own, two at a time, as two apps of one user, beside one daemon.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import ClassVar

from gtk_case import GtkCase
from gtk_driver import API, IS_GTK4
from rig import ROOT
from rig.case import numbers
from rig.hosts import Host
from rig.policy import POLICY, BrowserConfiguration
from rig.ways import BY_ID, Trip

LIBRARY = ROOT / "clients/c/webkitgtk"
PAGE = ROOT / "docs/embedding.md"
LONGEST = 30
SECOND = "com.contoso.second"
# Ways that a page goes by itself.
WAYS = (
    "meta-refresh", "refresh-header", "frame-to-top", "frame", "frame-302", "frame-srcdoc", "object", "download-frame", "image",
)  # fmt: skip


def program_of(language: str) -> str:
    """The browser that the documentation shows in this language."""
    found = re.findall(rf"<!-- webkitpack -->\n```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(found) == 1, f"docs/embedding.md shows {len(found)} browsers in {language}"
    return str(found[0])


class Programs(GtkCase):
    installed: ClassVar[Path]

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        """Two apps of one user, with the same class."""
        second = POLICY.partition("apps:\n")[2].replace("com.contoso.portal", SECOND)
        return BrowserConfiguration(cls.managed_browser.program, app=POLICY + second)

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.installed = Path(tempfile.mkdtemp(prefix="wvg-"))
        cls.addClassCleanup(shutil.rmtree, cls.installed, ignore_errors=True)
        built = f"BUILD={os.environ['WEBVIEWGUARD_WEBKIT']}"
        where = [f"PREFIX={cls.installed}", f"APIS={API}", "CFLAGS=-O1 -g -Werror"]
        command = ["make", "--silent", "--no-print-directory", "-C", str(LIBRARY), "install", built, *where]
        subprocess.run(command, check=True)
        # The daemon is where a user's is.
        sockets = Path(os.environ["XDG_RUNTIME_DIR"], "webviewguard")
        sockets.symlink_to(cls.daemon.sockets)
        cls.addClassCleanup(sockets.unlink)

    def environment(self) -> dict[str, str]:
        lib = self.installed / "lib"
        return os.environ | {
            "LD_LIBRARY_PATH": str(lib), "XDG_DATA_DIRS": f"{self.installed}/share:/usr/share",
            "GI_TYPELIB_PATH": str(lib / "girepository-1.0"), "PKG_CONFIG_PATH": str(lib / "pkgconfig"),
        }  # fmt: skip

    def make(self, *command: str) -> None:
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def start(self, command: list[str], url: str) -> "subprocess.Popen[bytes]":
        program = subprocess.Popen([*command, url], env=self.environment())
        self.addCleanup(self._end, program)
        return program

    def _end(self, program: "subprocess.Popen[bytes]") -> None:
        program.terminate()
        try:
            program.wait(timeout=20)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()

    def in_python(self, app: str) -> list[str]:
        source = program_of("python").replace("com.contoso.portal", app)
        if not IS_GTK4:
            for here, there in (
                ('"4.0"', '"3.0"'), ('"6.0"', '"4.1"'), ("WebKit, ", "WebKit2 as WebKit, "), ('("WebKit"', '("WebKit2"'),
                (".set_child(", ".add("), (".present()", ".show_all()"),
            ):  # fmt: skip
                source = source.replace(here, there)
        file = self.installed / f"{app}.py"
        file.write_text(source)
        return [sys.executable, str(file)]

    def in_c(self, app: str) -> list[str]:
        source, program = self.installed / f"{app}.c", self.installed / app
        text = program_of("c").replace("com.contoso.portal", app)
        if not IS_GTK4:
            text = text.replace("gtk_window_set_child(GTK_WINDOW", "gtk_container_add(GTK_CONTAINER")
            text = text.replace("gtk_window_present(GTK_WINDOW(window))", "gtk_widget_show_all(window)")
        source.write_text(text)
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", f"webviewguard-webkit-{API}"], env=self.environment(),
            capture_output=True, text=True, check=True,
        ).stdout.split()  # fmt: skip
        self.make("gcc", "-Wall", "-Wextra", "-Werror", str(source), "-o", str(program), *flags)
        return [str(program)]

    def go_everywhere(self, command: list[str]) -> None:
        """Each way that a page goes by itself, to hosts that it may not reach and to one that it may."""
        for name in WAYS:
            for host in (Host.BLOCKED, Host.INTERNAL):
                trip = Trip(BY_ID[name], host, next(numbers))
                with self.subTest(way=name, to=host.name):
                    program = self.start(command, self.site.url(trip.page))
                    self.driver.wait(lambda trip=trip: self.site.was_asked(trip.page), "its page is shown")
                    kept = host == Host.BLOCKED
                    self._give(5.0, lambda trip=trip, kept=kept: self.is_settled(trip, kept))
                    self.assertEqual(any(visit.host == host.value for visit in self.site.asked(trip.goal)), not kept)
                    self._end(program)

    def is_settled(self, trip: Trip, kept: bool) -> bool:
        if not kept:
            return self.site.was_asked(trip.goal)
        is_resource = trip.way.id == "image"
        refused = any(record["outcome"] != "allow" for record in self.records.about(trip.goal))
        return self.site.was_asked(trip.witness) if is_resource else refused

    def test_the_browser_in_c_reaches_nothing_that_it_may_not(self) -> None:
        self.assertLess(len(program_of("c").splitlines()), LONGEST)
        self.go_everywhere(self.in_c(SECOND))

    def test_the_browser_in_python_reaches_nothing_that_it_may_not(self) -> None:
        self.assertLess(len(program_of("python").splitlines()), LONGEST)
        self.go_everywhere(self.in_python("com.contoso.portal"))

    def test_two_apps_of_one_user_are_judged_apart(self) -> None:
        one, other = self.in_python("com.contoso.portal"), self.in_c(SECOND)
        self.start(one, self.site.url("/one"))
        self.start(other, self.site.url("/other"))
        self.driver.wait(lambda: self.site.was_asked("/one") and self.site.was_asked("/other"), "both show their page")
        apps = {path: self.records.about(path)[-1]["app"] for path in ("/one", "/other")}
        self.assertEqual(apps, {"/one": "com.contoso.portal", "/other": SECOND})
        instances = {self.records.about(path)[-1]["instance"] for path in ("/one", "/other")}
        self.assertEqual(len(instances), 2)

    def in_vala(self) -> list[str]:
        """The documented browser; of GTK 3 what differs there."""
        source = program_of("vala")
        if not IS_GTK4:
            source = source.replace("window.child = view", "window.add (view)")
            source = source.replace("window.present", "window.show_all")
        file, program = self.installed / "browser.vala", self.installed / "vala-browser"
        file.write_text(source)
        gtk = "gtk4" if IS_GTK4 else "gtk+-3.0"
        command = ["valac", "--pkg", gtk, "--pkg", f"WvgWebKit-{API}", str(file), "-o", str(program)]
        done = subprocess.run(command, env=self.environment(), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [str(program)]

    def test_vala_programs_can_use_it(self) -> None:
        self.start(self.in_vala(), self.site.url("/in-vala"))
        self.driver.wait(lambda: self.site.was_asked("/in-vala"), "it loads its page")
        self.assertEqual(self.records.about("/in-vala")[-1]["app"], "com.contoso.portal")


del GtkCase
