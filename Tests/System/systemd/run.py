#!/usr/bin/env python3
"""Tests the Debian packages and the units in a systemd that really boots.

  run.py [--packages DIR] [--build .build/release] [--only STORY]

Makes the packages of what was built, unless DIR has them, installs them in a container on a copy of this machine's
root, and follows them through their life. Needs root, and the Debian packages systemd-container, dbus, debhelper, dh-python,
lintian, man-db, bash-completion, zsh, fish, pkg-config and gcc; polkitd, libpam-systemd, login, dbus-user-session, python3-dbus,
python3-gi, gocryptfs and fuse3.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import machine as machines

import rig
import story_directories
import story_install
import story_packages
import story_packs
import story_peers
import story_running
import story_session
import story_unlock
import story_wiping
from tally import run as run_suite

NEEDS = [
    "systemd-nspawn", "dbus-daemon", "nsenter", "setpriv", "dh", "dh_python3", "lintian", "man", "zsh", "fish", "cc",
    "pkttyagent", "login", "gocryptfs",
]  # fmt: skip
STORY = [
    story_install.Installed, story_install.Units, story_install.Activated, story_peers.Peers, story_peers.Clients, story_packs.Packs,
    story_running.Watched, story_running.Loaded, story_running.Ended, story_running.Counted,
    story_running.Refreshed, story_running.Rebooted,
    story_unlock.Unlocked, story_session.SignedIn, story_wiping.Wiped, story_directories.Directories,
    story_running.OfAUser, story_packages.Upgraded, story_packages.Extended, story_packages.Removed,
]  # fmt: skip


def make_packages(build: Path, into: Path) -> None:
    command = [str(rig.ROOT / "scripts/package-debian"), "--build", str(build), "--into", str(into)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"PACKING": "-Zgzip -z1"})


def install(machine: machines.Machine, packages: Path) -> None:
    place = machine.root / "root/packages"
    place.mkdir()
    for deb in packages.glob("*.deb"):
        shutil.copy(deb, place)
    machine.boot()
    machine.must("sh", "-c", "dpkg -i /root/packages/*.deb", seconds=300)


def follow(packages: Path, only: str | None) -> int:
    machine = machines.Machine()
    try:
        rig.put_tests(machine)
        install(machine, packages)
        rig.Case.machine, rig.Case.packages = machine, packages
        if only:
            rig.Case.configure()
            machine.must("systemctl", "restart", rig.SERVICE)
        loader = unittest.defaultTestLoader
        told = [case for case in STORY if only in (None, case.__name__)]
        return run_suite(unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in told))
    finally:
        machine.remove()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--build", type=Path, default=rig.ROOT / ".build/release")
    parser.add_argument("--only", help="one part of the story, on a machine with the packages freshly installed")
    arguments = parser.parse_args()
    missing = [tool for tool in NEEDS if not shutil.which(tool)]
    if os.geteuid() or missing:
        print(f"needs {'root' if os.geteuid() else ', '.join(missing)}", file=sys.stderr)
        return 2
    machines.enter_own_mounts()
    with tempfile.TemporaryDirectory(prefix="wvg-packages-") as directory:
        packages = arguments.packages or Path(directory)
        if not arguments.packages:
            make_packages(arguments.build.resolve(), packages)
        return follow(packages.resolve(), arguments.only)


if __name__ == "__main__":
    sys.exit(main())
