"""CEF as the package `cef-capi-py` carries it, and the little browser, built into .build/cef."""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = ROOT / ".build/cef"
RUNTIME = BUILD / "package/cef_capi/runtime"
DECLARATIONS = BUILD / "package/cef_capi/linux_x86_64/header.py"
HEADERS = BUILD / "headers"
BROWSER = BUILD / "browser"

PACKAGE = "cef-capi-py==131.3.5"
# Of the wheel for x86_64: what runs here is what was looked at.
SHA256 = "f8dc3866425a668a78504b38ef20255c788332cd4561a9d2521c3a9ec57e5bf5"
FLAGS = (
    "-std=c11", "-g", "-O1", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
)  # fmt: skip
CLIENT = ROOT / "clients/c"
INSTALLED = BUILD / "installed"


def fetch() -> None:
    """Downloads the package once and unpacks it, if it is exactly the one that is wanted."""
    if (RUNTIME / "libcef.so").exists():
        return
    BUILD.mkdir(parents=True, exist_ok=True)
    wanted = ["--no-deps", "--only-binary=:all:", "--platform", "manylinux2014_x86_64", "--python-version", "3.11"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", *wanted, "--dest", str(BUILD), PACKAGE]
    wheel = next(BUILD.glob("*.whl"), None)
    if wheel is None:
        subprocess.run(command, check=True)
        wheel = next(BUILD.glob("*.whl"))
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
        wheel.unlink()
        raise SystemExit(f"{wheel.name} is not the package that was looked at")
    with zipfile.ZipFile(wheel) as package:
        package.extractall(BUILD / "package")
    wheel.unlink()


def installed(question: str) -> list[str]:
    """What pkg-config says of the installed pack."""
    found = {**os.environ, "PKG_CONFIG_PATH": str(INSTALLED / "lib/pkgconfig")}
    command = ["pkg-config", question, "webviewguard-cef"]
    return subprocess.run(command, env=found, check=True, capture_output=True, text=True).stdout.split()


def build(*more: str, output: Path = BROWSER, source: Path = HERE / "browser.c") -> Path:
    """The browser, or another one, with the pack as it is now, installed and found by pkg-config; `more` are flags such as a sanitizer's."""
    fetch()
    subprocess.run([sys.executable, str(HERE / "headers.py"), str(DECLARATIONS), str(HEADERS)], check=True)
    install = ["make", "--silent", "-C", str(CLIENT), "install", f"PREFIX={INSTALLED}", f"BUILD={BUILD / 'client'}"]
    subprocess.run([*install, "WEBKITGTK=no"], check=True)
    # A source that is there no more may lie there from an earlier run.
    sources = Path(installed("--variable=sourcedir")[0])
    pack = sorted(str(sources / source.name) for source in (CLIENT / "cef").glob("*.c"))
    places = ["-isystem", str(HEADERS), *installed("--cflags")]
    link = [f"-L{RUNTIME}", "-lcef", *installed("--libs"), f"-Wl,-rpath,{RUNTIME}:{INSTALLED / 'lib'}"]
    sources = [str(source), *pack]
    # In the place of the old one at once, which may be running.
    made = output.with_suffix(f".{os.getpid()}")
    subprocess.run([os.environ.get("CC", "cc"), *FLAGS, *more, *places, *sources, *link, "-o", str(made)], check=True)
    made.rename(output)
    return output


def guard_lines() -> int:
    """How many lines of the browser are the guard's."""
    return sum("/* guard */" in line for line in (HERE / "browser.c").read_text().splitlines())
