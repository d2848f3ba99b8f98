"""Whether the files of a directory lie encrypted on the disk: looked at, not believed.

    volume_encryption(descriptor)    # Encrypted(by="CRYPT-LUKS2"), or Plain(why="/dev/vda1"), or Unknown(why="nfs4 …")

Only `Encrypted` says yes. Trap: it says nothing about who may read the files while the machine runs. The daemon's `doctor`
follows the same rules (Sources/Platform/MountedVolume.swift, Sources/AccountDirectories/VolumeEncryption.swift).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Union
from contextlib import suppress
from dataclasses import dataclass

from webviewguard._file_facts import is_encrypted_by_file_system

# The kinds of cryptsetup that encrypt. Others only check what is read: `CRYPT-VERITY`, `CRYPT-INTEGRITY`.
_CIPHERS = frozenset({"LUKS1", "LUKS2", "PLAIN", "BITLK", "FVAULT2", "TCRYPT", "LOOPAES"})
# A device that lies on more layers than this is taken for one that is not encrypted.
_DEEPEST = 8


@dataclass(frozen=True)
class Encrypted:
    """By a file system (`fscrypt`), a mounted program (`gocryptfs`), or a layer of the device mapper (`CRYPT-LUKS2`)."""

    by: str


@dataclass(frozen=True)
class Plain:
    """A device below the directory is not encrypted."""

    why: str


@dataclass(frozen=True)
class Unknown:
    """Nobody can say: a network, an overlay, a file system in memory."""

    why: str


@dataclass(frozen=True)
class Mount:
    """A line of mountinfo(5)."""

    kind: str
    # `253:0`; `0:…` is no device's number.
    device: str
    source: str


VolumeEncryption = Union[Encrypted, Plain, Unknown]


def volume_encryption(directory: int, root: str = "") -> VolumeEncryption:
    """Of an open directory. `root` is the directory of the system's files; another one in tests."""
    if is_encrypted_by_file_system(directory):
        return Encrypted("fscrypt")
    found = mount(_mount_id(directory, root), root)
    if found is None:
        return Unknown("no mount holds it")
    return encryption_of(found, root)


def encryption_of(found: Mount, root: str = "") -> VolumeEncryption:
    """Of what is mounted."""
    if found.kind == "fuse.gocryptfs":
        return Encrypted("gocryptfs")
    of_all = _of_all(_devices(found, root), 0)
    return of_all or Unknown(f"`{found.kind}` does not say on which device its files lie")


def mount(number: str | None, root: str = "") -> Mount | None:
    """The mount of a number; no path is compared, so neither links nor mounts in one place lead astray."""
    for line in _text(f"{root}/proc/self/mountinfo").splitlines():
        fields = line.split(" ")
        if number is None or fields[0] != number or "-" not in fields[6:]:
            continue
        dash = fields.index("-", 6)
        if len(fields) > dash + 2:
            return Mount(fields[dash + 1], fields[2], fields[dash + 2])
    return None


def _mount_id(file: int, root: str) -> str | None:
    for line in _text(f"{root}/proc/self/fdinfo/{file}").splitlines():
        name, _, value = line.partition(":")
        if name == "mnt_id":
            return value.strip()
    return None


def _devices(found: Mount, root: str) -> list[str]:
    """Directories of sysfs; several where a file system spans several, none where they are not known."""
    if not found.device.startswith("0:"):
        block = f"{root}/sys/dev/block/{found.device}"
        return [block] if os.path.exists(block) else []
    name = _device_name(found.source, root) if found.kind == "btrfs" else None
    return [f"{root}/sys/class/block/{member}" for member in _members(name, root)] if name else []


def _device_name(path: str, root: str) -> str | None:
    """`/dev/mapper/luks-1` is `dm-0`; None where no device has that name."""
    if not path.startswith("/dev/") or "/../" in path:
        return None
    name, blocks = path.removeprefix("/dev/"), f"{root}/sys/class/block"
    if not name.startswith("mapper/"):
        return name if os.path.exists(f"{blocks}/{name}") else None
    mapped = name.removeprefix("mapper/")
    numbers = (number for number in _names(blocks) if number.startswith("dm-"))
    return next((number for number in numbers if _text(f"{blocks}/{number}/dm/name").strip() == mapped), None)


def _members(name: str, root: str) -> Sequence[str]:
    """All devices of the btrfs file system of which one is known."""
    place = f"{root}/sys/fs/btrfs"
    found = (_names(f"{place}/{number}/devices") for number in _names(place))
    return next((members for members in found if name in members), [name])


def _of_all(devices: Sequence[str], depth: int) -> Encrypted | Plain | None:
    """What all of them are: the first that is not encrypted decides. None for no devices."""
    found: Encrypted | Plain | None = None
    for device in devices:
        found = _of_device(device, depth)
        if isinstance(found, Plain):
            return found
    return found


def _of_device(device: str, depth: int) -> Encrypted | Plain:
    """A device is encrypted when the device mapper encrypts it, or everything that it lies on."""
    words = _text(f"{device}/dm/uuid").strip().split("-")
    if len(words) > 1 and words[0] == "CRYPT" and words[1] in _CIPHERS:
        return Encrypted(f"CRYPT-{words[1]}")
    # A partition has its slaves at its disk, and neither is encrypted.
    below = _names(f"{device}/slaves") if depth < _DEEPEST else []
    found = _of_all([f"{device}/slaves/{name}" for name in below], depth + 1)
    return found or Plain(_shown(device))


def _shown(device: str) -> str:
    lines = _text(f"{device}/uevent").splitlines()
    return next((f"/dev/{line[8:]}" for line in lines if line.startswith("DEVNAME=")), device)


def _names(directory: str) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []


def _text(path: str) -> str:
    with suppress(OSError), open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()
    return ""
