"""Files that know their owner (docs/labels.md):

    with guard.files.create("report.txt") as file:        # the label is there before the first byte
        file.write(b"...")
    guard.files.get_owner("report.txt").account           # "work@contoso.com"
    guard.upload(viewer="v1", url=url, **guard.files.facts("report.txt"))

    with guard.files.save("report.txt") as file:          # labelled, and sealed where the policy wants it so
        file.write(b"...")
    download = guard.files.incoming("plan.pdf", decision.set_owner)    # for an engine that writes files by itself
    ...                                                   # the engine writes `download.path`
    download.keep()

The daemon makes and reads labels; this client alone touches files. Where a file system has no attributes the daemon keeps the
owner in a table, and where it cannot know a file again `create` is error 102: `save` and `incoming` seal such a file.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, BinaryIO, cast

from webviewguard import _file_facts as file_facts
from webviewguard import _private_places as private_places
from webviewguard._accounts import INTERFACE, AccountCall, Accounts, Ask
from webviewguard._file_problems import problems
from webviewguard._file_owner import FileOwner, Labelled, read_labelled, read_owner
from webviewguard._sealed_files import Path
from webviewguard._sealed_keys import asking
from webviewguard._stored_files import BROKEN, Incoming, Readable, Storage, Target, sealed_id
from webviewguard.errors import FileProtectionError, GuardError
from webviewguard.sealing import Sealing

__all__ = ["FileOwner", "FileProtectionError", "Files", "Incoming", "Readable"]


class Files:
    """Labels files and reads labels. Errors are FileProtectionError, with the SDK's numbers 100 to 107."""

    def __init__(self, ask: Ask[Any]) -> None:
        self._ask = ask
        self._accounts = accounts = Accounts(ask)
        keys = asking(lambda said: accounts.data_key(said.account, said.use, said.object_id, said.key_id))
        self._storage = Storage(accounts, Sealing(keys))

    @contextmanager
    def create(self, path: Path) -> Iterator[BinaryIO]:
        """A new file, or an old one emptied, to be written. Its owner is the account that the program's files belong to; it
        is labelled before the first byte. Nothing is created, or emptied, for a file that has to be sealed."""
        with problems():
            descriptor, is_new = _opened(path)
        try:
            with problems():
                self._label_new(descriptor, path)
        except BaseException:
            os.close(descriptor)
            if is_new:
                with suppress(OSError):
                    os.unlink(path)
            raise
        with open(descriptor, "wb") as file:
            yield file

    def create_directory(self, path: Path) -> FileOwner:
        """A new directory with an owner, which it hands on to what is created in it."""
        with problems():
            os.mkdir(path)
            try:
                with _readable(path) as descriptor:
                    return self._label_new(descriptor, path)
            except BaseException:
                os.rmdir(path)
                raise

    def created(self, file: int, path: Path) -> FileOwner:
        """Labels an open file that was just created or emptied, before anything is written. Error 102: seal it, or do not
        write it."""
        with problems():
            return self._label_new(file, path)

    @contextmanager
    def save(self, path: Path) -> Iterator[Target]:
        """As `create`, and as the policy wants the content stored: sealed, or in plain where that is enough or the disk is
        encrypted, which is looked at. The file takes the place of an old one at the end, if nothing was raised. Read it
        with `readable`. This is for what an app writes in the background: no window has a say in whose it is."""
        stack = ExitStack()
        with problems():
            stored = stack.enter_context(self._storage.stored(path, lambda file: self._new_label(file, path)))
        with stack:
            yield stored.target

    def incoming(self, path: Path, account: str | None, *, size: int | None = None) -> Incoming:
        """A file of an account that an engine writes by itself, such as a download: `account` is `set_owner` of the
        decision. A file that is nobody's is written in its place; one of the organisation in a directory of this program
        alone, from which `keep` takes it to its place, labelled and sealed as `save` does it. A `size` that is known helps
        to find room."""
        with problems():
            return Incoming(self._storage, path, lambda file: self._owned(file, path, account or ""), size)

    def readable(self, path: Path) -> Readable:
        """A file for an engine that reads it by its path, as uploads are. Close it when nobody needs it any more."""
        with problems():
            facts, account_id = self.facts(path), sealed_id(path)
            if account_id is not None and "label" not in facts:
                facts["label"] = self._lost_label(account_id).hex()
            return Readable(self._storage, path, facts, account_id is not None)

    def account_directory(self, account: str, seconds: float = 10) -> str | None:
        """Where the account's files go, if the policy has them in an encrypted directory (docs/directories.md); None
        where it does not. Waits until it is open; error 102 when it does not open in time."""
        with problems():
            if not account or self._storage.way(account) not in ("fscrypt", "gocryptfs"):
                return None
            deadline = time.monotonic() + seconds
            while (found := self._storage.directory(account)) is None:
                if time.monotonic() > deadline:
                    raise FileProtectionError(102, "the account's directory cannot be opened now")
                time.sleep(0.05)
            return found

    def clear_leftovers(self) -> None:
        """Removes what programs of this user that were killed left of `incoming` and `readable`. A program calls it at
        its start; each of these two does it in its own place as well."""
        for place in private_places.places():
            private_places.clear(place)

    def get_owner(self, path: Path) -> FileOwner:
        """Whose the file or directory is; error 104 when there is none."""
        with problems(), _readable(path) as descriptor:
            return self._owner(file_facts.facts(descriptor))

    def protection_info(self, path: Path) -> FileOwner | None:
        """As `get_owner`; None when there is no such file, or when it is nobody's (ledger FO-05)."""
        try:
            owner = self.get_owner(path)
        except FileProtectionError as error:
            if error.code == 104:
                return None
            raise
        return owner if owner.is_managed else None

    def set_owner(self, path: Path, account: str) -> FileOwner:
        """Gives a file or directory that is nobody's to an account, and leaves alone one that is the account's already. Error
        102 for one of another account, 106 for an account that is not managed. An empty account is nobody."""
        with problems(), _readable(path) as descriptor:
            known = file_facts.facts(descriptor)
            store, file = file_facts.place(descriptor)
            known |= {} if file is None else {"file": file}
            said = cast(Labelled, self._ask(_call("SetOwner", read_labelled, account=account, store=store, **known)))
            if said.owner.is_managed:
                _keep(descriptor, said)
            elif account:
                raise FileProtectionError(106)
            return said.owner

    def facts(self, path: Path) -> dict[str, str]:
        """The members `label`, `file` and `origin` of an event about this file: hand them over with every `open`, `upload`,
        `receive` and `share`."""
        with problems(), _readable(path) as descriptor:
            return file_facts.facts(descriptor)

    def _owner(self, known: Mapping[str, str]) -> FileOwner:
        return cast(FileOwner, self._ask(_call("ReadLabel", read_owner, **known)))

    def _new_label(self, descriptor: int, path: Path) -> Labelled:
        store, file = file_facts.place(descriptor)
        above = _directory_label(path)
        return cast(Labelled, self._ask(_call("FileCreated", read_labelled, directory=above, store=store, file=file)))

    def _owned(self, descriptor: int, path: Path, account: str) -> Labelled:
        """The label of a new file of an account. One that is nobody's belongs to the owner of its directory."""
        store, file = file_facts.place(descriptor)

        def given(account: str) -> Labelled:
            return cast(Labelled, self._ask(_call("SetOwner", read_labelled, account=account, store=store, file=file)))

        with _unless_unmanaged():
            if account and (said := given(account)).owner.is_managed:
                return said
        above = _directory_label(path)
        owner = FileOwner("unmanaged") if above is None else self._owner({"label": above})
        if owner.account is not None and above is not None:
            return given(owner.account)
        return Labelled(owner, BROKEN if owner.is_managed else None, must_seal=False)

    def _lost_label(self, account_id: str) -> bytes:
        """The label that a sealed file had: its envelope names its account."""
        account = self._storage.sealed_for(account_id)
        said = account and self._ask(_call("SetOwner", read_labelled, account=account, store="attribute"))
        return (said.label if said else None) or BROKEN

    def _label_new(self, descriptor: int, path: Path) -> FileOwner:
        """Old content goes under its old label, and what had none is labelled before: killed at any step, it is nobody
        else's. Nothing is emptied where no label can be set."""
        said = self._new_label(descriptor, path)
        if said.must_seal or (said.owner.is_managed and "label" not in file_facts.facts(descriptor)):
            _keep(descriptor, said)
        _empty(descriptor)
        if said.owner.is_managed:
            _keep(descriptor, said)
        else:
            _unlabel(descriptor)
        return said.owner


def _keep(descriptor: int, said: Labelled) -> None:
    """Sets the label. Error 102 where nothing keeps the owner."""
    if said.must_seal:
        raise FileProtectionError(102, "the file system keeps no owner: seal the file")
    if said.label is None:
        return
    try:
        os.setxattr(descriptor, file_facts.LABEL, said.label)
    except OSError as error:
        raise FileProtectionError(102, str(error)) from error


def _unlabel(descriptor: int) -> None:
    with suppress(OSError):
        os.removexattr(descriptor, file_facts.LABEL)


def _empty(descriptor: int) -> None:
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.ftruncate(descriptor, 0)


def _directory_label(path: Path) -> str | None:
    with _readable(os.path.dirname(os.path.realpath(path))) as above:
        return file_facts.facts(above).get("label")


def _opened(path: Path) -> tuple[int, bool]:
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_CREAT
    try:
        return os.open(path, flags | os.O_EXCL, 0o666), True
    except FileExistsError:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC), False


@contextmanager
def _readable(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _unless_unmanaged() -> Iterator[None]:
    """An account that the policy does not manage owns no file."""
    try:
        yield
    except GuardError as error:
        if error.name != "NotManaged":
            raise


def _call(method: str, read: Any, **said: str | None) -> AccountCall[Any]:
    return AccountCall(f"{INTERFACE}.{method}", {name: value for name, value in said.items() if value is not None}, read)
