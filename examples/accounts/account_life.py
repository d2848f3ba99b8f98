"""What a browser does when its accounts come, change and go: it obeys the daemon's news.

The browser shows it: a `Face` signs out, switches and tells. Nothing here knows a toolkit.
"""

import logging
from collections.abc import Collection
from typing import Protocol

import browser_settings
from browser_settings import BrowserSettings
from profiles import Profiles
from webviewguard import Guard, GuardError, NewsItem, same_account

# What people read when the daemon brings no text of its own. Each says what they can do.
TEXTS = {
    "blocked": "Your organization blocked this account. Ask your administrator.",
    "nonCompliant": "This computer does not meet your organization's conditions. Ask your administrator.",
    "policyRequired": "Sign in with this account again.",
    "notAllowed": "This program does not accept this account. Sign in with another one.",
    "notChecked": "This computer was not checked for some time. Connect it to your organization. Nothing was deleted.",
    "locked": "Unlock this account first.",
    "suspended": "This account is signed out.",
    "wipePending": "Your organization will remove its data of this account here. A mistake? Ask your administrator.",
    "wiped": "Your organization removed its data of this account here.",
}
RESTART_TEXT = "Close this program and open it again: your organization changed its rules."
OTHER_TEXT = "This account may not be used at the moment. Try again, or ask your administrator."

log = logging.getLogger(__name__)


class Face(Protocol):
    """What the browser can do with an account."""

    def shown(self) -> Collection[str]:
        """The accounts that windows show."""

    def sign_out(self, account: str) -> None:
        """Closes all windows of an account, and lets go of its profile, before it returns."""

    def switch(self, account: str, window: str | None) -> bool:
        """Shows an account in a window, or in the whole program; whether it does now."""

    def tell(self, account: str, text: str) -> None:
        """Says something where the account is shown. An empty text takes back what was said."""

    def configure(self, account: str, settings: BrowserSettings) -> None:
        """Has the windows of an account look and work as its administrator wants."""

    def announce(self, text: str) -> None:
        """Says once, in the windows that are left, what became of an account that is shown no longer."""


class AccountLife:
    """Handlers for the news of accounts. They run where `guard.process` is called, which is the browser's own thread."""

    def __init__(self, guard: Guard, profiles: Profiles, face: Face) -> None:
        self._guard, self._profiles, self._face = guard, profiles, face
        self._listening = guard.listen(
            account=self._standing, enrollment=self._standing, identity=self._switch, compliance=self._comply,
            allowed_accounts=lambda _: self._sign_out_strangers(), config=lambda _: self.configure(), wipe=self._wipe,
            restart=self._restart, missed=lambda _: self.look_again(),
        )  # fmt: skip
        # By the account as the browser spells it. What was read holds while an account has no values.
        self._settings: dict[str, BrowserSettings] = {}

    def begin(self) -> None:
        """The windows are open: registers the accounts that the daemon does not know of this app (EN-11), and asks for all
        that it says of them."""
        try:
            listed = [account.account for account in self._guard.accounts.list().accounts]
        except GuardError as problem:
            log.warning("%s", problem)
            return
        for account in list(self._face.shown()):
            is_listed = any(same_account(account, other) for other in listed)
            if account and not is_listed and not self.register(account):
                self._face.sign_out(account)
        self.look_again()

    def close(self) -> None:
        self._listening.close()

    def register(self, account: str) -> bool:
        """Somebody signed in. Whether the account may be shown: one that can never be enrolled here is forgotten."""
        try:
            if not self._guard.accounts.may_sign_in(account).allowed:
                return False
            return not self._guard.accounts.register(account).must_remove
        except GuardError as problem:
            # A daemon that is not there blocks each question; it is told when it asks for all accounts.
            log.warning("%s", problem)
            return True

    def leave(self, account: str) -> None:
        """The person signs out: the daemon hears it before the account's tokens are forgotten, and its data goes."""
        self._end_access(account)
        self._face.sign_out(account)
        self._profiles.wipe(account)

    def look_again(self) -> None:
        """News may be lost: asks how all accounts stand. Of what must be wiped the daemon asks once more by itself."""
        try:
            accounts = self._guard.accounts.list().accounts
        except GuardError as problem:
            log.warning("%s", problem)
            return
        for account in accounts:
            self._tell(account.account, account.state, account.may_work)
        self._sign_out_strangers()
        self.configure()

    def configure(self) -> None:
        """Reads the configuration of all accounts that are enrolled; the others keep what was read, or have none."""
        try:
            configs = self._guard.accounts.config()
        except GuardError as problem:
            # It names the problem, and no value.
            log.warning("%s", problem)
            return
        for config in configs:
            account = self._shown(config.account)
            if account and config.state == "enrolled":
                self._settings[account] = browser_settings.read(config)
                self._face.configure(account, self._settings[account])

    def settings(self, account: str) -> BrowserSettings:
        """What was read for an account, for a window that opens later."""
        return self._settings.get(account, BrowserSettings())

    # News

    def _standing(self, news: NewsItem) -> None:
        """What may not work says why. Its data stays: only a wipe that the daemon asks for takes that."""
        if news.account:
            self._tell(news.account, news.life or news.state or "", news.may_work)
            # Only an enrolled account has a configuration: it may have one since now.
            if news.may_work:
                self.configure()

    def _switch(self, news: NewsItem) -> None:
        if news.request is None or news.account is None:
            return
        # An account that may not work stays in its window, where everything is blocked, and says why: it goes on there as soon
        # as it may.
        is_stopped = news.account == "" and news.cause == "cancelConditionalLaunch"
        was_shown = not is_stopped and self._face.switch(news.account, news.window)
        try:
            self._guard.answer(news.request, "success" if was_shown else "failed")
        except GuardError as problem:
            # The account that the new window states is an answer as well.
            if problem.name != "UnknownRequest":
                log.warning("%s", problem)

    def _comply(self, news: NewsItem) -> None:
        """The text of the organisation, in the language of its user."""
        words = [news.raw.get(name) for name in ("title", "text")]
        text = " ".join(word for word in words if isinstance(word, str))
        if account := self._shown(news.account):
            self._face.tell(account, "" if news.raw.get("status") == "compliant" else text or OTHER_TEXT)

    def _sign_out_strangers(self) -> None:
        """The accounts that this app takes no longer go; their data stays, and is not shown."""
        try:
            strangers = self._guard.accounts.allowed().must_sign_out
        except GuardError as problem:
            log.warning("%s", problem)
            return
        for stranger in strangers:
            self._end_access(stranger)
            if account := self._shown(stranger):
                self._face.sign_out(account)

    def _wipe(self, news: NewsItem) -> None:
        """Removes one account and its data. `done` is said only when nothing of it is left."""
        if news.request is None:
            return
        was_shown = self._shown(news.account) is not None
        is_done = bool(news.account) and self._remove(news.account or "")
        try:
            self._guard.accounts.complete(news.request, "done" if is_done else "failed")
        except GuardError as problem:
            log.warning("%s", problem)
        if is_done and was_shown:
            self._face.announce(f"{news.account}: {TEXTS['wiped']}")

    def _restart(self, news: NewsItem) -> None:
        """This browser leaves it to its person, who may have something to save: the windows say so, and the daemon has the
        session say it as well. A program that starts anew by itself would answer `done`."""
        if news.request is None:
            return
        self._face.announce(RESTART_TEXT)
        try:
            self._guard.accounts.complete(news.request, "refused")
        except GuardError as problem:
            log.warning("%s", problem)

    # Inside

    def _remove(self, account: str) -> bool:
        if shown := self._shown(account):
            self._face.sign_out(shown)
            self._settings.pop(shown, None)
        return self._profiles.wipe(account)

    def _tell(self, account: str, state: str, may_work: bool) -> None:
        if shown := self._shown(account):
            self._face.tell(shown, "" if may_work else TEXTS.get(state, OTHER_TEXT))

    def _shown(self, account: str | None) -> str | None:
        """The account as the browser spells it; None when it shows no such account."""
        return next((shown for shown in self._face.shown() if same_account(shown, account)), None)

    def _end_access(self, account: str) -> None:
        try:
            self._guard.accounts.deregister(account)
        except GuardError as problem:
            log.warning("%s", problem)
