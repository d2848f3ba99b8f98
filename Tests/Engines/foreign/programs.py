"""The programs that others wrote, how each is guarded, and what it takes to run one here."""

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples/foreign"
BUILD = ROOT / ".build/foreign"
LIBRARY = ROOT / "clients/c/webkitgtk"
CLIENT = ROOT / "clients/python/src"
MINI_BROWSER = Path("/usr/lib/x86_64-linux-gnu/webkitgtk-6.0/MiniBrowser")
PYWEBVIEW = "pywebview==6.2.1"
# Of each version of the library, the engine's package and the compiler's flags.
ENGINES: dict[str, tuple[str, list[str]]] = {
    "4.1": ("webkit2gtk-4.1", ["-DWVG_WEBKIT_GTK3"]), "6.0": ("webkitgtk-6.0", []), "wpe-1.1": ("wpe-webkit-1.1", ["-DWVG_WEBKIT_WPE"]),
}  # fmt: skip
GI_NEEDED = ("4.1", "6.0")


class NotHere(Exception):
    """Why a program cannot be had on this machine."""


@dataclass(frozen=True)
class Program:
    """One that is run with a page as its last argument, and with a home directory of its own."""

    # Its name in a test.
    key: str
    name: str
    engine: str
    example: str
    # Makes what it needs, and returns its command and what is added to its environment.
    prepare: Callable[[Path], tuple[Sequence[str], dict[str, str]]]
    # Ways that the program, or its engine, does not go at all.
    not_gone: frozenset[str] = frozenset()
    # Ways that are open, with their reason in `not_covered`.
    leaks: frozenset[str] = frozenset()
    # What nobody is asked about, in the docs' words.
    not_covered: str = ""
    # What marks the lines that are the guard's; without it all of the file's are.
    marked: tuple[str, ...] = ()

    @property
    def lines(self) -> int:
        """How many lines guard it: no comments, no empty lines."""
        text = (EXAMPLES / self.example).read_text()
        if self.marked:
            return sum(any(mark in line for mark in self.marked) for line in text.splitlines())
        return code_lines(text)


def code_lines(text: str) -> int:
    """The lines of a program in C, Python or JavaScript that are no comment, no documentation and not empty."""
    count, inside = 0, ""
    for line in map(str.strip, text.splitlines()):
        if inside:
            inside = "" if inside in line else inside
        elif line.startswith('"""'):
            inside = '"""' if line.count('"""') == 1 else ""
        elif line.startswith("/*"):
            inside = "" if "*/" in line else "*/"
        elif line and not line.startswith(("#!", "# ", "//")):
            count += 1
    return count


def _need(program: str, package: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise NotHere(f"`{program}` is missing: install the package `{package}`")
    return found


def _qutebrowser(home: Path) -> tuple[Sequence[str], dict[str, str]]:
    program = _need("qutebrowser", "qutebrowser")
    # Of its own it opens no window for a page that asks by itself, so that this way would not be gone.
    settings = ["-s", "content.javascript.can_open_tabs_automatically", "true", "--qt-flag", "disable-gpu"]
    place, guard = str(home / "qutebrowser"), str(EXAMPLES / "qutebrowser_config.py")
    return [program, "--basedir", place, *settings, "--config-py", guard], {"PYTHONPATH": str(CLIENT), "QTWEBENGINE_DISABLE_SANDBOX": "1", "QT_QUICK_BACKEND": "software"}


def _library(api: str) -> dict[str, str]:
    """Builds the library, and says where a program finds it."""
    if api in GI_NEEDED and shutil.which("g-ir-scanner") is None:
        raise NotHere("gobject-introspection is missing")
    made = [f"BUILD={BUILD}", f"APIS={api}", "CFLAGS=-O1 -g"]
    subprocess.run(["make", "--silent", "--no-print-directory", "-C", str(LIBRARY), *made], check=True)
    return {"LD_LIBRARY_PATH": str(BUILD), "GI_TYPELIB_PATH": str(BUILD)}


def _preloaded(api: str, program: str) -> tuple[Sequence[str], dict[str, str]]:
    found = _library(api)
    engine, mine = ENGINES[api]
    asked = ["pkg-config", "--cflags", "--libs", engine]
    flags = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
    made, link = BUILD / f"preload-{api}.so", [f"-L{BUILD}", f"-lwebviewguard-webkit-{api}"]
    source = [str(EXAMPLES / "webkit_preload.c"), "-o", str(made), f"-I{LIBRARY}"]
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", *mine, *source, *link, *flags], check=True)
    return [program], {**found, "LD_PRELOAD": str(made)}


def _surf(home: Path) -> tuple[Sequence[str], dict[str, str]]:
    return _preloaded("4.1", _need("surf", "surf"))


def _epiphany(home: Path) -> tuple[Sequence[str], dict[str, str]]:
    command, found = _preloaded("4.1", _need("epiphany-browser", "epiphany-browser"))
    return [*command, "--private-instance"], found


def _mini_browser(home: Path) -> tuple[Sequence[str], dict[str, str]]:
    if not MINI_BROWSER.exists():
        raise NotHere(f"`{MINI_BROWSER}` is missing: install the package `libwebkitgtk-6.0-4`")
    return _preloaded("6.0", str(MINI_BROWSER))


def _cog(home: Path) -> tuple[Sequence[str], dict[str, str]]:
    command, found = _preloaded("wpe-1.1", _need("cog", "cog"))
    # Of its own it opens no window that no click asks for, so that this way would not be gone.
    return [*command, "--platform=headless", "--javascript-can-open-windows-automatically=1"], found


def pywebview() -> str:
    """A Python with pywebview and the system's own packages."""
    place = BUILD / "pywebview"
    python = place / "bin/python"
    if not python.exists():
        venv.create(place, system_site_packages=True, with_pip=True)
        packages = [PYWEBVIEW, "qtpy==2.4.3"]
        if subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=False).returncode:
            shutil.rmtree(place)
            raise NotHere("pywebview cannot be installed from PyPI")
    return str(python)


def _pywebview_gtk(home: Path) -> tuple[Sequence[str], dict[str, str]]:
    found = {**_library("4.1"), "PYWEBVIEW_GUI": "gtk", "PYTHONPATH": str(CLIENT)}
    return [pywebview(), str(EXAMPLES / "pywebview_app.py")], found


def _pywebview_qt(home: Path) -> tuple[Sequence[str], dict[str, str]]:
    if util.find_spec("PyQt6") is None:
        raise NotHere("PyQt6 is missing: install the package `python3-pyqt6.qtwebengine`")
    found = {"PYWEBVIEW_GUI": "qt", "QT_API": "pyqt6", "PYTHONPATH": str(CLIENT), "QT_QUICK_BACKEND": "software"}
    return [pywebview(), str(EXAMPLES / "pywebview_app.py")], found


# Of pywebview, by the platform that it stands on.
PREPARED = {"gtk": _pywebview_gtk, "qt": _pywebview_qt}


def _cef(home: Path) -> tuple[Sequence[str], dict[str, str]]:
    sys.path.insert(0, str(ROOT / "Tests/Engines/cef"))
    import engine

    BUILD.mkdir(parents=True, exist_ok=True)
    browser = engine.build(output=BUILD / "cef_browser", source=EXAMPLES / "cef_browser.c")
    # Of its own it opens no window that no click asks for, so that this way would not be gone.
    switches = ["--disable-popup-blocking"]
    return [str(browser), "--password-store=basic", "--disable-gpu", *switches], {}


def _elsewhere(home: Path) -> tuple[Sequence[str], dict[str, str]]:
    raise NotHere("nobody here knows who uploaded it: `make test-electron` runs it apart")


NO_PREFETCH = frozenset({"prefetch"})
NEW_WINDOWS = frozenset({"link-blank", "link-blank-302", "link-noopener", "link-named-window", "form-blank"})
GUARDS = ("# guard",)
PROGRAMS = (
    Program(
        "qutebrowser", "qutebrowser 2.5", "QtWebEngine 5.15", "qutebrowser_config.py", _qutebrowser,
        frozenset({"ping"}),
        not_covered="clipboard, PRIMARY, uploads, printing, downloads of allowed hosts: no hook for them; redirects of what pages load, "
        "closed by the policy's host rules",
    ),
    Program(
        "surf", "surf 2.1", "WebKitGTK 4.1", "webkit_preload.c", _surf, NO_PREFETCH,
        not_covered="files that the program itself begins to download",
    ),
    Program(
        # It opened no tab for a link or a form to a new window.
        "epiphany", "Epiphany 43", "WebKitGTK 4.1", "webkit_preload.c", _epiphany, NO_PREFETCH | NEW_WINDOWS, not_covered="as surf",
    ),
    Program(
        "mini_browser", "MiniBrowser 2.50", "WebKitGTK 6.0, GTK 4", "webkit_preload.c", _mini_browser, NO_PREFETCH,
        not_covered="as surf",
    ),
    Program(
        # It has one window: a page that opens one gets none to write into.
        "cog", "cog 0.16", "WPE WebKit 2.38", "webkit_preload.c", _cog, NO_PREFETCH | {"window-open-empty", "window-open-written"},
        not_covered="`<link rel=preconnect>`, which connects and sends nothing; no dialogues: no file is kept or given",
    ),
    Program(
        "pywebview_gtk", "a program of pywebview 6.2", "WebKitGTK 4.1", "pywebview_app.py", _pywebview_gtk, NO_PREFETCH,
        not_covered="what its Python does by itself", marked=GUARDS,
    ),
    Program(
        "pywebview_qt", "a program of pywebview 6.2", "QtWebEngine 6.4", "pywebview_app.py", _pywebview_qt, frozenset({"ping"}),
        not_covered="redirects of what pages load, closed by the policy's host rules (without them `image-302` and `fetch-302` leak); "
        "WebRTC; what its Python does by itself", marked=GUARDS,
    ),
    Program(
        "cef", "the smallest browser of CEF 131", "CEF, Chrome style", "cef_browser.c", _cef,
        not_covered="WebSockets, closed by the policy's host rules; PRIMARY for a moment; WebRTC", marked=("/* guard */",),
    ),
    Program(
        "electron", "an app of Electron 9.4.1", "Electron", "electron_main.js", _elsewhere,
        not_covered="the redirect of a `fetch`, closed by the switch `--host-resolver-rules` (without it `fetch-302` leaks); Node's own "
        "requests, WebRTC, `window.print` of a page", marked=("// guard",),
    ),
)  # fmt: skip


def environment(home: Path, more: dict[str, str]) -> dict[str, str]:
    """That of a desktop that nobody sees: nothing of this machine's user."""
    calm = {
        "GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb", "NO_AT_BRIDGE": "1", "GTK_A11Y": "none", "GSK_RENDERER": "cairo",
        "GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
    }  # fmt: skip
    own = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}
    return os.environ | calm | own | more
