"""The life of accounts, `org.webviewguard.Accounts`: who is signed in, may work, and must leave."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar, cast, get_args

from webviewguard._config import AccountConfig
from webviewguard._config import read as read_config
from webviewguard._results import enrollment_number, is_success, may_work, must_remove
from webviewguard._sealed_keys import DataKey, read_data_key
from webviewguard._words import DataFate, DataKeyUse, DirectoryState, LifeState, RequestResult

INTERFACE = "org.webviewguard.Accounts"
LIVES: tuple[str, ...] = get_args(LifeState)
DIRECTORIES: tuple[str, ...] = get_args(DirectoryState)

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Reply = Mapping[str, Any]


@dataclass(frozen=True)
class AccountStatus:
    """What came of an enrolment or of its end. A state that this client does not know is `blocked`; `raw` has the word."""

    # As the policy spells it; empty for none.
    account: str
    state: LifeState
    # An EnrollmentResult. A word that this client does not know is kept, and is a failure.
    result: str
    raw: Reply = field(default_factory=dict, repr=False, compare=False)

    @property
    def number(self) -> int | None:
        """The SDK's number of the result."""
        return enrollment_number(self.result)

    @property
    def is_success(self) -> bool:
        """The result is no failure. The account may work only if `may_work` says so."""
        return is_success(self.result)

    @property
    def must_remove(self) -> bool:
        """The app should remove the account: it can never be enrolled here."""
        return must_remove(self.result)

    @property
    def may_work(self) -> bool:
        """The app may use the account now."""
        return may_work(self.state)


@dataclass(frozen=True)
class ListedAccount:
    """An account of this app and person. Times are milliseconds since 1970."""

    account: str
    state: LifeState
    managed: bool
    protection: str | None = None
    sources: tuple[str, ...] = ()
    result: str | None = None
    registered: int | None = None
    enrolled: int | None = None
    checked_in: int | None = None
    retry: int | None = None
    # The request of the look that is under way, and a ComplianceStatus: what came of the latest one.
    remediation: str | None = None
    compliance: str | None = None
    # How the app has to encrypt the account's files, a FileEncryption; None from a daemon that does not say.
    encryption: str | None = None
    raw: Reply = field(default_factory=dict, repr=False, compare=False)

    @property
    def must_encrypt(self) -> bool:
        """The app has to encrypt the account's files. A way that this client does not know is one; where the daemon does not
        say, a managed account has to be encrypted."""
        return self.managed if self.encryption is None else self.encryption != "none"

    @property
    def number(self) -> int | None:
        """The SDK's number of the latest result."""
        return enrollment_number(self.result)

    @property
    def may_work(self) -> bool:
        """The app may use the account now."""
        return may_work(self.state)


@dataclass(frozen=True)
class AccountList:
    """All accounts of this app and person."""

    accounts: tuple[ListedAccount, ...] = ()
    # The one that is enrolled; None when none is, or several are.
    enrolled: str | None = None


@dataclass(frozen=True)
class SignIn:
    """Whether somebody may sign in with an account, and what to tell who may not."""

    allowed: bool
    state: LifeState
    reason: str | None = None
    text: str | None = None


@dataclass(frozen=True)
class AllowedAccounts:
    """The accounts that the app takes, by names and patterns such as `*@contoso.com`; None for all."""

    accounts: tuple[str, ...] | None
    must_sign_out: tuple[str, ...]


@dataclass(frozen=True)
class AccountDirectory:
    """The directory of an account's files (docs/directories.md). A state that this client does not know is `failed`."""

    state: DirectoryState
    # Where it is; None while the service does not know.
    path: str | None = None
    # Why it cannot be opened, for people.
    problem: str | None = None

    @property
    def is_open(self) -> bool:
        """Files can be read and written below `path` now."""
        return self.state == "open" and self.path is not None


@dataclass(frozen=True)
class AccountCall(Generic[T]):
    """One call, and how its reply is read; that raises TypeError or KeyError for a reply that is none."""

    method: str
    parameters: Mapping[str, Any]
    read: Callable[[Reply], T]


class Ask(Protocol[T_co]):
    """Makes a call, and gives what comes of it, or what can be awaited for that."""

    def __call__(self, call: AccountCall[Any]) -> T_co: ...


class Accounts:
    """Calls that wait for their answers, as long as a question does. They raise GuardError, also when nobody answers:
    nothing of this is said later by itself."""

    def __init__(self, ask: Ask[Any]) -> None:
        self._ask = ask

    def register(self, account: str | None) -> AccountStatus:
        """Somebody signed in. The account is enrolled at once, or tried again later; the app goes on."""
        return cast(AccountStatus, self._ask(_register(account)))

    def deregister(self, account: str, data: DataFate | None = None) -> AccountStatus:
        """The app ends its access, before it forgets the account's tokens. Data that was managed stays managed."""
        return cast(AccountStatus, self._ask(_deregister(account, data)))

    def list(self) -> AccountList:
        """All accounts of this app and person."""
        return cast(AccountList, self._ask(_list()))

    def device_account(self) -> str | None:
        """The account of the person itself; None when none is known."""
        return cast("str | None", self._ask(_device_account()))

    def may_sign_in(self, account: str) -> SignIn:
        """May somebody sign in to this app with the account? Ask before the sign-in begins."""
        return cast(SignIn, self._ask(_may_sign_in(account)))

    def allowed(self) -> AllowedAccounts:
        """The accounts that this app takes, and those that it has and that must sign out."""
        return cast(AllowedAccounts, self._ask(_allowed()))

    def config(self, accounts: Sequence[str] | None = None) -> tuple[AccountConfig, ...]:
        """The values that the policy has for this app; None asks for all accounts that are enrolled."""
        return cast(tuple[AccountConfig, ...], self._ask(_config(accounts)))

    def remediate(self, account: str, *, silent: bool = False) -> str | None:
        """Has the daemon look whether an account meets its conditions; `silent` asks nobody. What comes of it is news of
        `compliance`, with the request that this gives; the app waits for them before it asks for a token again. None where
        there is nothing to look at: no protection binds the account, and no news come."""
        return cast("str | None", self._ask(_remediate(account, silent)))

    def complete(self, request: str, result: RequestResult) -> AccountStatus:
        """Says what came of a request of news, once: with `done` the account and its data are gone from the app."""
        return cast(AccountStatus, self._ask(_complete(request, result)))

    def data_key(self, account: str, use: DataKeyUse, object_id: str, key_id: str | None = None) -> DataKey:
        """The key of one object, for `guard.sealing`, which apps use instead: docs/sealed-data.md."""
        return cast(DataKey, self._ask(_data_key(account, use, object_id, key_id)))

    def open_directory(self, account: str) -> AccountDirectory:
        """Wants the encrypted directory of an account: ask again while it is `opening`. It closes by itself when the account
        may work no longer."""
        return cast(AccountDirectory, self._ask(_open_directory(account)))


class AsyncAccounts:
    """As `Accounts`, awaited."""

    def __init__(self, ask: Ask[Awaitable[Any]]) -> None:
        self._ask = ask

    def register(self, account: str | None) -> Awaitable[AccountStatus]:
        return self._ask(_register(account))

    def deregister(self, account: str, data: DataFate | None = None) -> Awaitable[AccountStatus]:
        return self._ask(_deregister(account, data))

    def list(self) -> Awaitable[AccountList]:
        return self._ask(_list())

    def device_account(self) -> Awaitable[str | None]:
        return self._ask(_device_account())

    def may_sign_in(self, account: str) -> Awaitable[SignIn]:
        return self._ask(_may_sign_in(account))

    def allowed(self) -> Awaitable[AllowedAccounts]:
        return self._ask(_allowed())

    def config(self, accounts: Sequence[str] | None = None) -> Awaitable[tuple[AccountConfig, ...]]:
        return self._ask(_config(accounts))

    def remediate(self, account: str, *, silent: bool = False) -> Awaitable[str | None]:
        return self._ask(_remediate(account, silent))

    def complete(self, request: str, result: RequestResult) -> Awaitable[AccountStatus]:
        return self._ask(_complete(request, result))

    def data_key(self, account: str, use: DataKeyUse, object_id: str, key_id: str | None = None) -> Awaitable[DataKey]:
        return self._ask(_data_key(account, use, object_id, key_id))

    def open_directory(self, account: str) -> Awaitable[AccountDirectory]:
        return self._ask(_open_directory(account))


def _register(account: str | None) -> AccountCall[AccountStatus]:
    return _call("Register", _status, account=account)


def _deregister(account: str, data: DataFate | None) -> AccountCall[AccountStatus]:
    return _call("Deregister", _status, account=account, data=data)


def _list() -> AccountCall[AccountList]:
    return _call("List", _listed)


def _device_account() -> AccountCall[str | None]:
    return _call("DeviceAccount", lambda reply: _maybe(reply, "account", str))


def _may_sign_in(account: str) -> AccountCall[SignIn]:
    return _call("MaySignIn", _sign_in, account=account)


def _allowed() -> AccountCall[AllowedAccounts]:
    return _call("AllowedAccounts", _allowed_accounts)


def _config(accounts: Sequence[str] | None) -> AccountCall[tuple[AccountConfig, ...]]:
    said = {} if accounts is None else {"accounts": [*accounts]}
    return AccountCall(f"{INTERFACE}.Config", said, read_config)


def _remediate(account: str, silent: bool) -> AccountCall[str | None]:
    return _call("Remediate", lambda reply: _maybe(reply, "request", str), account=account, silent=silent or None)


def _complete(request: str, result: RequestResult) -> AccountCall[AccountStatus]:
    return _call("Complete", _status, request=request, result=result)


def _data_key(account: str, use: DataKeyUse, object_id: str, key_id: str | None) -> AccountCall[DataKey]:
    return _call("DataKey", read_data_key, account=account, use=use, object=object_id, keyId=key_id)


def _open_directory(account: str) -> AccountCall[AccountDirectory]:
    return _call("OpenDirectory", _directory, account=account)


def _call(method: str, read: Callable[[Reply], T], **said: str | bool | None) -> AccountCall[T]:
    parameters = {name: value for name, value in said.items() if value is not None}
    return AccountCall(f"{INTERFACE}.{method}", parameters, read)


def _status(reply: Reply) -> AccountStatus:
    account, result = _member(reply, "account", str), _member(reply, "result", str)
    return AccountStatus(account, _life(reply), result, dict(reply))


def _listed(reply: Reply) -> AccountList:
    accounts = tuple(_listed_account(account) for account in _member(reply, "accounts", list))
    return AccountList(accounts, _maybe(reply, "enrolled", str))


def _listed_account(account: Reply) -> ListedAccount:
    if not isinstance(account, dict):
        raise TypeError
    return ListedAccount(
        account=_member(account, "account", str),
        state=_life(account),
        managed=_member(account, "managed", bool),
        protection=_maybe(account, "protection", str),
        sources=_texts(_member(account, "sources", list)),
        result=_maybe(account, "result", str),
        registered=_maybe(account, "registered", int),
        enrolled=_maybe(account, "enrolled", int),
        checked_in=_maybe(account, "checkedIn", int),
        retry=_maybe(account, "retry", int),
        remediation=_maybe(account, "remediation", str),
        compliance=_maybe(account, "compliance", str),
        encryption=_maybe(account, "encryption", str),
        raw=dict(account),
    )


def _sign_in(reply: Reply) -> SignIn:
    texts = (_maybe(reply, "reason", str), _maybe(reply, "text", str))
    return SignIn(_member(reply, "allowed", bool), _life(reply), *texts)


def _allowed_accounts(reply: Reply) -> AllowedAccounts:
    accounts = _maybe(reply, "accounts", list)
    return AllowedAccounts(None if accounts is None else _texts(accounts), _texts(_member(reply, "mustSignOut", list)))


def _directory(reply: Reply) -> AccountDirectory:
    state = _member(reply, "state", str)
    known = cast(DirectoryState, state if state in DIRECTORIES else "failed")
    return AccountDirectory(known, _maybe(reply, "path", str), _maybe(reply, "problem", str))


def _life(reply: Reply) -> LifeState:
    state = _member(reply, "state", str)
    return cast(LifeState, state if state in LIVES else "blocked")


def _member(reply: Reply, name: str, kind: type[T]) -> T:
    value = reply[name]
    # A truth is a number for Python, and none on the wire.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError
    return value


def _maybe(reply: Reply, name: str, kind: type[T]) -> T | None:
    return None if reply.get(name) is None else _member(reply, name, kind)


def _texts(values: list[Any]) -> tuple[str, ...]:
    if not all(isinstance(value, str) for value in values):
        raise TypeError
    return tuple(values)
