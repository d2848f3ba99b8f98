"""The life of accounts in plain words: what people and administrators did to them, and where each stands since.

The soak's accounts are bound by a protection, but for those in `STRANGERS`. Wipes may destroy by order of
administrators and of apps; nothing else of the policy has a say in their life.
"""

import copy
from dataclasses import dataclass, field

from policies import BLOCKED, BROKER_APP, LIFE_APPS, OBJECT_ID, PERSONAL, TEMPORARY

FIRST = "ann@contoso.com"
BOUND = (FIRST, "bea@contoso.com", TEMPORARY, BLOCKED)
PRIVATE = "someone@private.example"
# Names that no protection binds: the account's name in answers, and the result of its registration.
STRANGERS = {PERSONAL: "notTargeted", PRIVATE: "noPolicy"}
UNKNOWN = ("ghost", "nobody@example.org")
# Other spellings of an account.
TENANT = "0f1e2d3c-4b5a-4678-9abc-def012345678"
SPELLINGS = {
    FIRST: (FIRST.upper(), OBJECT_ID, f"{OBJECT_ID}.{TENANT}"),
    "bea@contoso.com": ("Bea@Contoso.COM",),
}

# The reasons of decisions about an account that stands so; an enrolled one may have any other.
REASONS = {
    "policyRequired": "policyRequired", "registered": "policyRequired", "suspended": "policyRequired",
    "blocked": "accountBlocked", "wipePending": "accountBlocked", "wiped": "accountWiped",
}  # fmt: skip

Holder = tuple[int, str]


@dataclass
class Member:
    """An account that an app has or had."""

    status: str
    by_app: bool


@dataclass
class Wipe:
    """A wipe that is under way. The daemon's name for it is known once administrators have looked."""

    uid: int
    app: str | None
    account: str
    cause: str
    # `pending`, `asking`, or `waiting`, which is `locked` or `pending`: apps' wipes of one person take turns, by the
    # daemon's ticks.
    phase: str
    id: str = ""
    # What each app that it reaches has answered: empty while it owes the answer.
    answers: dict[str, str] = field(default_factory=dict)

    def covers(self, holder: Holder, account: str) -> bool:
        return self.account == account and self.uid == holder[0] and self.app in (None, holder[1])

    @property
    def states(self) -> set[str]:
        return {"pending": {"wipePending"}, "asking": {"wiped"}}.get(self.phase, {"wipePending", "blocked"})


class Life:
    """All accounts of the soak's people. Each step says which states and results the daemon may answer."""

    def __init__(self) -> None:
        self.members: dict[Holder, dict[str, Member]] = {}
        # The accounts that the sign-in service of a person named last.
        self.words: dict[int, set[str]] = {}
        self.wipes: list[Wipe] = []
        # What running programs saw wiped.
        self.gone: set[tuple[Holder, str]] = set()

    def copy(self) -> "Life":
        return copy.deepcopy(self)

    # Facts

    def of(self, holder: Holder) -> dict[str, Member]:
        return self.members.setdefault(holder, {})

    def lock(self, holder: Holder, account: str) -> Wipe | None:
        return next((wipe for wipe in self.wipes if wipe.covers(holder, account)), None)

    def states(self, holder: Holder, account: str, *, of_program: bool = True) -> set[str]:
        """The states in which the account may be; mostly one. Administrators see no program's own memory."""
        if account in STRANGERS:
            return {"unmanaged"}
        if wipe := self.lock(holder, account):
            return wipe.states
        member = self.of(holder).get(account)
        if of_program and (holder, account) in self.gone and (member is None or member.status != "enrolled"):
            return {"blocked"} if account == BLOCKED else {"wiped"}
        if account == BLOCKED:
            return {"blocked"}
        words = {"registered": "registered", "enrolled": "enrolled", "ended": "suspended"}
        return {words[member.status] if member else "policyRequired"}

    def sources(self, holder: Holder, account: str) -> set[str]:
        member = self.of(holder).get(account)
        said = {"app"} if member and member.by_app else set()
        return said | ({"broker"} if account in self.words.get(holder[0], set()) else set())

    def _is_signed_in(self, holder: Holder, account: str) -> bool:
        by_word = holder[1] == BROKER_APP and account in self.words.get(holder[0], set())
        return self.of(holder)[account].by_app or by_word

    # Calls

    def register(self, holder: Holder, account: str) -> set[tuple[str, str]]:
        """The pairs of state and result that may be answered."""
        if account in STRANGERS:
            return {("unmanaged", STRANGERS[account])}
        if wipe := self.lock(holder, account):
            return {(state, "blocked" if state == "blocked" else "wipeReceived") for state in wipe.states}
        known = self.of(holder).get(account)
        if known and known.by_app and known.status != "ended":
            return {(state, "alreadyEnrolled") for state in self.states(holder, account)}
        before = known.status if known else "ended"
        self.of(holder)[account] = Member("registered" if before == "ended" else before, True)
        result = self._attempt(holder, account)
        return {(state, result) for state in self.states(holder, account)}

    def _attempt(self, holder: Holder, account: str) -> str:
        member = self.of(holder)[account]
        if member.status == "ended":
            return "notEnrolled"
        if account == BLOCKED:
            return "blocked"
        if not self._is_signed_in(holder, account):
            member.status = "registered"
            return "notSignedIn"
        was_enrolled, member.status = member.status == "enrolled", "enrolled"
        return "unchanged" if was_enrolled else "newPolicies"

    def deregister(self, holder: Holder, account: str, data: str) -> set[tuple[str, str]]:
        if account in STRANGERS:
            return {("unmanaged", "noPolicy")}
        member = self.of(holder).get(account)
        if member is None or member.status == "ended":
            return {(state, "notEnrolled") for state in self.states(holder, account)}
        was_enrolled = member.status == "enrolled"
        self._end(member)
        if data == "remove" and was_enrolled and not self.lock(holder, account):
            waits = any(wipe.uid == holder[0] and wipe.cause == "deregister" for wipe in self.wipes)
            phase = "waiting" if waits else "pending"
            self.wipes.append(Wipe(holder[0], holder[1], account, "deregister", phase))
        return {(state, "unenrolled") for state in self.states(holder, account)}

    def _end(self, member: Member) -> None:
        member.status, member.by_app = "ended", False

    def sign_in(self, uid: int, accounts: set[str]) -> None:
        """The sign-in service names these accounts and no others."""
        self.words[uid] = {account for account in accounts if account not in STRANGERS}
        for app in LIFE_APPS:
            self.come((uid, app))

    def come(self, holder: Holder) -> None:
        """A program of the app starts, or a source spoke: it takes up what is said, and tries each account."""
        for account in self.words.get(holder[0], set()) if holder[1] == BROKER_APP else ():
            self.of(holder).setdefault(account, Member("registered", False))
        for account in list(self.of(holder)):
            self._attempt(holder, account)

    def look(self, holder: Holder, account: str) -> None:
        """A look registers an account that the app has from nobody yet."""
        member = self.of(holder).get(account)
        is_new = member is None or (member.status == "registered" and not member.by_app)
        if is_new and not self.lock(holder, account):
            self.register(holder, account)

    # Orders

    def end_access(self, holder: Holder, account: str) -> str | None:
        """An administrator ends an app's access; the refusal."""
        if account in STRANGERS:
            return "unmanaged" if account == PERSONAL else "unknownAccount"
        member = self.of(holder).get(account)
        if member is None and account == TEMPORARY:
            return "unknownAccount"
        if member and member.status == "ended":
            return "ended"
        self.of(holder)[account] = Member("ended", False)
        return None

    def wipe_refusals(self, uid: int, app: str | None, account: str) -> set[str | None]:
        """The refusals that may be where an administrator wipes an account, None for none."""
        known = {wipe.phase for wipe in self.wipes if (wipe.uid, wipe.app, wipe.account) == (uid, app, account)}
        if known - {"waiting"}:
            return {"underWay"}
        is_pending = any(wipe.cause == "admin" and wipe.phase == "pending" for wipe in self.wipes)
        refusals: set[str | None] = {"wipePending" if is_pending else None}
        # One that only locks becomes the administrator's; it may be pending by now.
        return refusals | {"underWay"} if known else refusals

    def wipe(self, uid: int, app: str | None, account: str) -> None:
        """An administrator wipes an account."""
        self.wipes = [wipe for wipe in self.wipes if (wipe.uid, wipe.app, wipe.account) != (uid, app, account)]
        self.wipes.append(Wipe(uid, app, account, "admin", "pending"))

    def restore(self, uid: int, account: str) -> set[str | None]:
        """An administrator takes back what has not begun; the refusals that may be, None for none."""
        found = [wipe for wipe in self.wipes if (wipe.uid, wipe.account) == (uid, account)]
        if not found:
            return {"noWipe", "unknownAccount"}
        early = [wipe for wipe in found if wipe.phase != "asking"]
        self.wipes = [wipe for wipe in self.wipes if wipe not in early]
        return {None} if early else {"tooLate"}

    # Destruction

    def begin(self, wipe: Wipe, apps: set[str]) -> None:
        """It cannot be taken back from now on: these apps are asked."""
        wipe.phase = "asking"
        wipe.answers = dict.fromkeys(apps, "")

    def answer(self, wipe: Wipe, app: str, result: str) -> None:
        """An app has answered, or `cleaned` when the helper removed what it left; the wipe ends with the last one."""
        wipe.answers[app] = result
        if all(answer in ("done", "cleaned") for answer in wipe.answers.values()):
            self._complete(wipe)

    def _complete(self, wipe: Wipe) -> None:
        self.wipes.remove(wipe)
        if wipe.app is None:
            self.words.get(wipe.uid, set()).discard(wipe.account)
        for app in wipe.answers:
            holder = (wipe.uid, app)
            is_named = wipe.account in self.words.get(wipe.uid, set())
            if wipe.cause == "deregister" and is_named and wipe.account in self.of(holder):
                self._end(self.of(holder)[wipe.account])
            else:
                self.of(holder).pop(wipe.account, None)
            self.gone.add((holder, wipe.account))
