"""Builds the library for WPE and the little browser, and says what a process of WPE needs here."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = ROOT / "clients/c/webkitgtk"
BUILD = ROOT / (".build/wpe-sanitized" if "--sanitize" in sys.argv else ".build/wpe")
BROWSER = BUILD / "browser"
API = "wpe-1.1"
SANITIZERS = "-fsanitize=address,undefined"
PACKAGES = ("wpe-webkit-1.1", "wpebackend-fdo-1.0", "gio-unix-2.0")


def _pkg_config(*words: str) -> list[str]:
    if shutil.which("pkg-config") is None:
        return []
    return subprocess.run(["pkg-config", *words], capture_output=True, text=True, check=False).stdout.split()


VERSION = "".join(_pkg_config("--modversion", PACKAGES[0])[:1])


def build(flags: str = "-O1 -g -Werror", links: str = "") -> None:
    """The library as its Makefile builds it for anybody, and the browser against it."""
    made = [f"BUILD={BUILD}", f"APIS={API}", f"CFLAGS={flags}", f"LDFLAGS={links}"]
    subprocess.run(["make", "--silent", "--no-print-directory", "-C", str(LIBRARY), *made], check=True)
    strict = ["-Wall", "-Wextra", "-Wno-deprecated-declarations", *flags.split()]
    mine = ["-DWVG_WEBKIT_WPE", f"-I{LIBRARY}", f"-L{BUILD}", f"-lwebviewguard-webkit-{API}"]
    source = [str(Path(__file__).with_name("browser.c")), "-o", str(BROWSER)]
    links = _pkg_config("--cflags", "--libs", *PACKAGES)
    subprocess.run(["cc", *strict, *source, *mine, *links], check=True)


def environment(home: Path, runtime: Path) -> dict[str, str]:
    """Nothing of this machine's user. WebKit refuses a runtime directory that others may read."""
    own = {"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "XDG_CONFIG_HOME": str(home / ".config")}
    return os.environ | own | {"LD_LIBRARY_PATH": str(BUILD), "NO_AT_BRIDGE": "1", "LC_ALL": "C.UTF-8"}
