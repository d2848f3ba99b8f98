"""Files as their owner's policy wants them stored: labelled before the first byte, and sealed unless they lie encrypted
anyway. Nothing of them is on the disk under a readable name before."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, BinaryIO, Protocol

from webviewguard import _file_facts as file_facts
from webviewguard._accounts import Accounts
from webviewguard._file_owner import FileOwner, Labelled
from webviewguard._file_problems import problems
from webviewguard._ids import same_account
from webviewguard._private_places import PrivatePlace, memory
from webviewguard._sealed_files import Path, replacing
from webviewguard._sealed_streams import PIECE, SealedReader, new_object_id
from webviewguard._volumes import Encrypted, volume_encryption
from webviewguard.errors import FileProtectionError, GuardError
from webviewguard.sealing import Sealing, file_protection_info

# A sealed file whose label is lost, and of which nobody can say whose it is, has this one: it goes nowhere.
BROKEN = b""

# Says who owns an open file that was just created.
Labelling = Callable[[int], Labelled]


class Target(Protocol):
    """Where a stored file's bytes go."""

    def write(self, data: Any, /) -> int | None: ...


class Stored:
    """A file that is being stored: it appears at its place when `stored` ends, whole or not at all."""

    def __init__(self, target: Target, said: Labelled, is_sealed: bool) -> None:
        self.target, self.said, self.is_sealed = target, said, is_sealed


class Storage:
    """Stores files of all accounts of an app."""

    def __init__(self, accounts: Accounts, sealing: Sealing) -> None:
        self._accounts, self._sealing = accounts, sealing

    @contextmanager
    def stored(self, path: Path, label: Labelling) -> Iterator[Stored]:
        """A new file at the place of an old one. Error 102 where neither a label nor a seal can keep its owner."""
        with replacing(path) as file:
            said = label(file.fileno())
            has_label = said.label is None or _set(file.fileno(), said.label)
            if not self._must_seal(said, has_label, os.path.dirname(os.path.realpath(path))):
                with io.BufferedWriter(_Lent(file), PIECE) as plain:
                    yield Stored(plain, said, is_sealed=False)
                return
            if said.owner.account is None:
                raise FileProtectionError(102, "nobody can say whose the file is, and it may not be stored in plain")
            with self._sealing.writer(file, said.owner.account) as sealed:
                yield Stored(sealed, said, is_sealed=True)

    def directory(self, account: str) -> str | None:
        """Where the account's files are encrypted as they are written; None while there is no such place."""
        with suppress(GuardError):
            found = self._accounts.open_directory(account)
            return os.path.realpath(found.path) if found.is_open and found.path else None
        return None

    def way(self, account: str) -> str:
        """How the account's files have to be encrypted; where nobody says, they are sealed."""
        listed = self._accounts.list().accounts
        said = next((one.encryption for one in listed if same_account(one.account, account)), None)
        return said or "envelope"

    def sealed_for(self, account_id: str) -> str | None:
        """The managed account whose id an envelope names."""
        for listed in self._accounts.list().accounts:
            with suppress(GuardError):
                if listed.managed:
                    key = self._accounts.data_key(listed.account, "write", new_object_id().hex())
                    if key.account_id == account_id:
                        return listed.account
        return None

    def unsealed(self, path: Path) -> SealedReader:
        return self._sealing.open(path)

    def _must_seal(self, said: Labelled, has_label: bool, folder: str) -> bool:
        owner = said.owner
        if said.must_seal or not has_label:
            return True
        must_encrypt = owner.must_encrypt or owner.account is None
        return owner.is_managed and must_encrypt and not self._lies_encrypted(owner.account, folder)

    def _lies_encrypted(self, account: str | None, folder: str) -> bool:
        """Whether what is written there is encrypted in the way that the policy asks for. This machine is looked at: the
        word `volume` is no proof, and neither is a path."""
        way = self.way(account) if account else "envelope"
        if way == "volume":
            return _is_encrypted(folder)
        if way not in ("fscrypt", "gocryptfs") or account is None:
            return False
        own = self.directory(account)
        return own is not None and os.path.commonpath((own, folder)) == own and _is_encrypted(folder)


class Incoming:
    """A file that a web engine writes by itself, such as a download. The engine writes it to `path`; then `keep` puts it in
    its place, or `discard` removes it. A label and a key are there before the engine begins, so `keep` asks nobody, and may
    run in another thread."""

    def __init__(self, storage: Storage, path: Path, label: Labelling, size: int | None) -> None:
        self._stack = ExitStack()
        self._stored = self._stack.enter_context(storage.stored(path, label))
        self._place: PrivatePlace | None = None
        self.path = os.fspath(path)
        try:
            if self._stored.said.owner.is_managed:
                self._place = self._private(path, size)
                self.path = os.path.join(self._place.directory, os.path.basename(path))
            else:
                self._abandon(_Discarded())
        except BaseException as problem:
            self._abandon(problem)
            raise

    @property
    def owner(self) -> FileOwner:
        return self._stored.said.owner

    @property
    def is_sealed(self) -> bool:
        return self._stored.is_sealed

    def keep(self) -> None:
        """Puts the whole file in its place, as its policy wants it; on an error nothing is there."""
        if self._place is None:
            return
        try:
            with problems(), self._stack, open(self.path, "rb", buffering=0) as file:
                while piece := file.read(PIECE):
                    self._stored.target.write(piece)
        finally:
            self._place.close()

    def discard(self) -> None:
        """Nothing of it stays. Harmless after `keep`."""
        if self._place is not None:
            self._place.close()
            self._abandon(_Discarded())

    def _private(self, path: Path, size: int | None) -> PrivatePlace:
        """What will lie in plain may do so beside its place. All else should not reach the disk at all."""
        base = memory(size) if self.is_sealed else os.path.dirname(os.path.realpath(path))
        return PrivatePlace(base, self._stored.said.label, file_facts.LABEL)

    def _abandon(self, problem: BaseException) -> None:
        self._stack.__exit__(type(problem), problem, None)


class Readable:
    """A file for something that reads files by their paths, such as a web engine: `path` is the file itself, or for a
    sealed one a copy that is unsealed when `path` is asked for, and goes with `close`. `facts` belong into the event,
    which comes first."""

    def __init__(self, storage: Storage, path: Path, facts: Mapping[str, str], is_sealed: bool) -> None:
        self.facts = dict(facts)
        self.is_sealed = is_sealed
        self._storage, self._file = storage, os.fspath(path)
        self._place: PrivatePlace | None = None

    @property
    def path(self) -> str:
        if not self.is_sealed:
            return self._file
        if self._place is None:
            with problems():
                self._place = self._copied()
        return os.path.join(self._place.directory, os.path.basename(self._file))

    def close(self) -> None:
        if self._place is not None:
            self._place.close()
            self._place = None

    def __enter__(self) -> "Readable":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _copied(self) -> PrivatePlace:
        """The copy is labelled before its first byte."""
        with self._storage.unsealed(self._file) as reader:
            label = bytes.fromhex(self.facts["label"]) if "label" in self.facts else None
            place = PrivatePlace(memory(reader.size), label, file_facts.LABEL)
            try:
                with open(os.path.join(place.directory, os.path.basename(self._file)), "xb", buffering=0) as copy:
                    if label is not None:
                        _set(copy.fileno(), label)
                    for piece in iter(lambda: reader.read(PIECE), b""):
                        _write(copy, piece or b"")
            except BaseException:
                place.close()
                raise
        return place


def sealed_id(path: Path) -> str | None:
    """The account id of a sealed file; None for every other one."""
    if os.path.getsize(path) == 0:
        return None
    info = file_protection_info(path)
    return info.account_id if info and info.is_sealed else None


class _Discarded(Exception):
    """Ends a file that is not wanted any more."""


class _Lent(io.RawIOBase):
    """A file that stays open when the writer in front of it is closed."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int | None:
        return self._file.write(data)


def _set(descriptor: int, label: bytes) -> bool:
    try:
        os.setxattr(descriptor, file_facts.LABEL, label)
    except OSError:
        return False
    return True


def _write(file: Any, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def _is_encrypted(folder: str) -> bool:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return isinstance(volume_encryption(descriptor), Encrypted)
    finally:
        os.close(descriptor)
