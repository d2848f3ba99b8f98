"""The peers: Ada and adblock from PyPI, squidGuard from Debian. None of them reaches users or the main package."""

import os
import shutil
import subprocess
import sys
import tarfile

from .places import REPOSITORY, Places

ADA = "ada-url==4.0.0"
ADBLOCK = "adblock==0.6.0"
SQUIDGUARD = "squidguard"


def install(places: Places) -> None:
    venv = REPOSITORY / ".build/venv-bench"
    if not (venv / "bin/pip").exists():
        run(sys.executable, "-m", "venv", venv)
    if not (places.build / "adblock.installed").exists():
        run(venv / "bin/pip", "install", "--quiet", ADBLOCK)
        (places.build / "adblock.installed").touch()
    if not ada(places).exists():
        build_ada(places, venv / "bin/pip")
    if shutil.which("squidGuard") is None:
        apt_install(SQUIDGUARD)


def ada(places: Places):
    return places.build / "parse_ada"


def python() -> str:
    """The interpreter that has adblock."""
    return str(REPOSITORY / ".build/venv-bench/bin/python")


def build_ada(places: Places, pip) -> None:
    folder = places.folder("ada")
    run(pip, "download", "--quiet", "--no-binary", ":all:", "--no-deps", "--dest", folder, ADA)
    archive = next(folder.glob("ada_url-*.tar.gz"))
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    sources = folder / archive.name.removesuffix(".tar.gz") / "ada_url"
    main = REPOSITORY / "Benchmarks/Peers/parse_ada.cpp"
    run("g++", "-O3", "-std=c++20", "-I", sources, main, sources / "ada.cpp", "-o", ada(places))


def apt_install(package: str) -> None:
    if shutil.which("apt-get") is None:
        sys.exit(f"bench: error: not a Debian system: please install what corresponds to `{package}`")
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    print(f"installing Debian packages: {package}", file=sys.stderr)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    run(*sudo, "apt-get", "update", "-qq")
    run(*sudo, "apt-get", "install", "-y", "-qq", "--no-install-recommends", package, env=environment)


def run(*command: object, **options: object) -> None:
    """Runs a command; what it says goes to standard error, since standard output is for the table."""
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr, **options)
