"""Files that know their owner (docs/labels.md):

    with guard.files.create("report.txt") as file:        # the label is there before the first byte
        file.write(b"...")
    guard.files.get_owner("report.txt").account           # "work@contoso.com"
    guard.upload(viewer="v1", url=url, **guard.files.facts("report.txt"))

The daemon makes and reads labels; this client alone touches files. Where a file system has no attributes the daemon keeps the
owner in a table, and where it cannot know a file again there is error 102: seal such a file (`guard.sealing`).
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, cast, get_args

from webviewguard import _file_facts as file_facts
from webviewguard._accounts import INTERFACE, AccountCall, Ask
from webviewguard._words import FileStanding
from webviewguard.errors import FileProtectionError, GuardError

__all__ = ["FileOwner", "FileProtectionError", "Files"]

Path = str | os.PathLike[str]

_STANDINGS: tuple[str, ...] = get_args(FileStanding)
# Errors of the daemon that say that it has nothing to do with this app, and those that keep a file from an owner.
_STRANGE = frozenset({"NoApp", "AppAmbiguous", "AppMismatch", "NotAttached", "NoPolicy"})
_UNPROTECTED = frozenset({
    "OwnerStays", "KeyWithheld", "KeysUnavailable", "StateUnavailable", "LogUnavailable", "LimitReached",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class FileOwner:
    """Whose a file is. A standing that this client does not know is `unknown`."""

    standing: FileStanding
    # As the policy spells it; None unless the standing is `mine` or `managed`.
    account: str | None = None
    must_encrypt: bool = False

    @property
    def is_managed(self) -> bool:
        """The organisation's, also when nobody can say which account's."""
        return self.standing != "unmanaged"


@dataclass(frozen=True, slots=True)
class _Labelled:
    owner: FileOwner
    label: bytes | None
    must_seal: bool


class Files:
    """Labels files and reads labels. Errors are FileProtectionError, with the SDK's numbers 100 to 107."""

    def __init__(self, ask: Ask[Any]) -> None:
        self._ask = ask

    @contextmanager
    def create(self, path: Path) -> Iterator[BinaryIO]:
        """A new file, or an old one emptied, to be written. Its owner is the account that the program's files belong to; it
        is labelled before the first byte. Nothing is created, or emptied, for a file that has to be sealed."""
        with _problems():
            descriptor, is_new = _opened(path)
        try:
            with _problems():
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
        with _problems():
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
        with _problems():
            return self._label_new(file, path)

    def get_owner(self, path: Path) -> FileOwner:
        """Whose the file or directory is; error 104 when there is none."""
        with _problems(), _readable(path) as descriptor:
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
        with _problems(), _readable(path) as descriptor:
            known = file_facts.facts(descriptor)
            store, file = file_facts.place(descriptor)
            known |= {} if file is None else {"file": file}
            said = cast(_Labelled, self._ask(_call("SetOwner", _labelled, account=account, store=store, **known)))
            if said.owner.is_managed:
                _keep(descriptor, said)
            elif account:
                raise FileProtectionError(106)
            return said.owner

    def facts(self, path: Path) -> dict[str, str]:
        """The members `label`, `file` and `origin` of an event about this file: hand them over with every `open`, `upload`,
        `receive` and `share`."""
        with _problems(), _readable(path) as descriptor:
            return file_facts.facts(descriptor)

    def _owner(self, known: Mapping[str, str]) -> FileOwner:
        return cast(FileOwner, self._ask(_call("ReadLabel", _file_owner, **known)))

    def _label_new(self, descriptor: int, path: Path) -> FileOwner:
        """Old content goes under its old label, and what had none is labelled before: killed at any step, it is nobody
        else's. Nothing is emptied where no label can be set."""
        store, file = file_facts.place(descriptor)
        above = _directory_label(path)
        said = self._ask(_call("FileCreated", _labelled, directory=above, store=store, file=file))
        if said.must_seal or (said.owner.is_managed and "label" not in file_facts.facts(descriptor)):
            _keep(descriptor, said)
        _empty(descriptor)
        if said.owner.is_managed:
            _keep(descriptor, said)
        else:
            _unlabel(descriptor)
        return cast(FileOwner, said.owner)


def _keep(descriptor: int, said: _Labelled) -> None:
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
def _problems() -> Iterator[None]:
    """What goes wrong, by the SDK's numbers (ledger FO-06)."""
    try:
        yield
    except GuardError as error:
        code = 100 if error.name in _STRANGE else 102 if error.name in _UNPROTECTED else 107
        code = 101 if error.name == "UnknownAccount" else 106 if error.name == "NotManaged" else code
        raise FileProtectionError(code, str(error)) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileProtectionError(104, str(error)) from error
    except IsADirectoryError as error:
        raise FileProtectionError(105, str(error)) from error
    except (ValueError, TypeError) as error:
        raise FileProtectionError(101, str(error)) from error
    except OSError as error:
        raise FileProtectionError(107, str(error)) from error


def _call(method: str, read: Any, **said: str | None) -> AccountCall[Any]:
    return AccountCall(f"{INTERFACE}.{method}", {name: value for name, value in said.items() if value is not None}, read)


def _file_owner(reply: Mapping[str, Any]) -> FileOwner:
    standing, account, encrypts = reply["standing"], reply.get("owner"), reply["mustEncrypt"]
    if not isinstance(standing, str) or not isinstance(encrypts, bool) or not isinstance(account, str | None):
        raise TypeError
    return FileOwner(cast(FileStanding, standing if standing in _STANDINGS else "unknown"), account, encrypts)


def _labelled(reply: Mapping[str, Any]) -> _Labelled:
    label, must_seal = reply.get("label"), reply["mustSeal"]
    if not isinstance(label, str | None) or not isinstance(must_seal, bool):
        raise TypeError
    try:
        return _Labelled(_file_owner(reply), None if label is None else bytes.fromhex(label), must_seal)
    except ValueError:
        raise TypeError from None
