"""A site that is let in for a time and kept out again, by turns and across restarts; nobody else asks for it."""

from pathlib import Path
from random import Random
from typing import Any

from guest import Disagreement
from policies import WORK
from wire import ADMIN, GUARD, Wire

SITE = "excepted.example"
EXCEPTION = "exception"


class Excepted:
    """An app of the soak's own. What it is answered follows the list of exceptions at once."""

    def __init__(self, guard: Path, admin: Path, random: Random, answered: Path) -> None:
        self.guard = guard
        self.admin = admin
        self.random = random
        self.answered = answered
        self.id: str | None = None
        self.is_kept = False
        self.turns = 0
        self._connect()
        # What the rules say of the site.
        self.without = self._ask()
        if self.without == ("allow", EXCEPTION):
            raise Disagreement("an exception holds before any was granted")

    def step(self) -> None:
        """Grants one, or takes it back; both hold for the very next question."""
        if self.id is None:
            self._grant()
        else:
            self._administer("RemoveException", id=self.id)
            self.id = None
        self.turns += 1
        self._check()

    def come_back(self) -> None:
        """The daemon is another one. What it had to keep holds, what was to end with it does not."""
        self._connect()
        if not self.is_kept:
            self.id = None
        self._check()

    def leave(self) -> None:
        self.wire.socket.close()

    def _connect(self) -> None:
        self.wire = Wire(self.guard, 60.0)
        self._call("Attach", features=[])
        self._call("SetIdentity", level="process", account=WORK)
        self._call("RegisterViewer", viewer="v0", **{"class": "documents"})

    def _grant(self) -> None:
        self.is_kept = self.random.random() < 0.7
        words: dict[str, Any] = {} if self.is_kept else {"untilRestart": True}
        made = self._administer("AddException", host=SITE, seconds=3600, reason="soak", **words)
        self.id = made["exception"]["id"]

    def _check(self) -> None:
        listed = [one["id"] for one in self._administer("ListExceptions")["exceptions"]]
        if listed != ([self.id] if self.id else []):
            raise Disagreement(f"the exceptions in force are {listed} instead of {self.id}")
        due = ("allow", EXCEPTION) if self.id else self.without
        said = self._ask()
        if said != due:
            raise Disagreement(f"{SITE} was answered {said} instead of {due}")

    def _ask(self) -> tuple[str, str]:
        event = {"viewer": "v0", "url": f"https://{SITE}/", "frame": "main", "gesture": "yes"}
        decision = self._call("Navigate", event=event)["decision"]
        with open(self.answered, "a", encoding="utf-8") as answered:
            answered.write(f"{decision['id']} {decision['outcome']} {decision['reason']}\n")
        return decision["outcome"], decision["reason"]

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return _parameters(method, self.wire.call(f"{GUARD}.{method}", **parameters))

    def _administer(self, method: str, **parameters: Any) -> dict[str, Any]:
        with Wire(self.admin, 60.0) as wire:
            return _parameters(method, wire.call(f"{ADMIN}.{method}", **parameters))


def _parameters(method: str, reply: dict[str, Any]) -> dict[str, Any]:
    if "error" in reply:
        raise Disagreement(f"{method} was answered {reply}")
    return dict(reply["parameters"])
