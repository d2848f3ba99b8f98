"""A program of a user that shows accounts in viewers, and says all of it again after it lost the daemon, as clients do."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from person import Link, Person
from wire import GUARD


class Refused(Exception):
    """An error that the daemon replied, without `org.webviewguard.Guard.`; its parameters are in `parameters`."""

    def __init__(self, error: str, parameters: dict[str, Any]) -> None:
        super().__init__(error.removeprefix(f"{GUARD}."))
        self.parameters = parameters


class Program:
    """One instance. What it told the daemon it remembers in order, so that `reconnect` can tell it again."""

    def __init__(
        self,
        person: Person,
        socket: Path,
        app: str | None = None,
        features: Sequence[str] = (),
        token: str = "",
        **attach: Any,
    ) -> None:
        self.person = person
        self.socket = socket
        self.attach = {**({"app": app} if app else {}), "features": list(features), **attach}
        self.told: list[tuple[str, dict[str, Any]]] = []
        self.token = token
        self.clip: str | None = None
        self.link = self._attached()

    # Connections

    def _attached(self) -> Link:
        link = self.person.link(self.socket)
        known = {"instance": self.token} if self.token else {}
        reply = link.call(f"{GUARD}.Attach", **self.attach, **known)
        if reply.get("error") == f"{GUARD}.UnknownInstance":
            reply = link.call(f"{GUARD}.Attach", **self.attach)
        self.token = _answered(reply)["instance"]
        return link

    def second(self) -> "Program":
        """Another connection of the same instance, as of its second thread or process. What it tells, it remembers
        itself."""
        twin = Program.__new__(Program)
        twin.__dict__ |= self.__dict__ | {"told": []}
        twin.link = twin._attached()
        return twin

    def reconnect(self) -> None:
        """Comes back to the daemon, as an instance that it knows or as a new one, and says again what it said."""
        self.link = self._attached()
        for method, parameters in self.told:
            self.link.call(f"{GUARD}.{method}", **parameters)

    def leave(self) -> None:
        """Closes the connection; the process lives on."""
        self.link.close()

    def end(self) -> None:
        """Ends the process, as a kill does."""
        self.person.end()

    # Saying what it shows

    def tell(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A call that `reconnect` makes again; what was refused is said again as well, as a hostile program would."""
        self.told.append((method, parameters))
        return self.call(method, **parameters)

    def show(self, account: str, window: str | None = None, level: str | None = None) -> None:
        """Shows an account, in a window or in the whole process."""
        named = {"window": window} if window else {}
        self.tell("SetIdentity", level=level or ("window" if window else "process"), account=account, **named)

    def register(self, viewer: str, viewer_class: str | None = None, **more: Any) -> dict[str, Any]:
        return self.tell("RegisterViewer", viewer=viewer, **({"class": viewer_class} if viewer_class else {}), **more)

    # Asking

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The reply's parameters; `Refused` when it is an error."""
        return _answered(self.link.call(f"{GUARD}.{method}", **parameters))

    def ask(self, question: str, viewer: str, **event: Any) -> dict[str, Any]:
        """The decision on an event: `ask("Navigate", "docs", url=…, frame="main")`."""
        return self.call(question, event={"viewer": viewer, **event})["decision"]

    def outcome(self, question: str, viewer: str, **event: Any) -> tuple[str, str]:
        """Outcome and reason; of an error, which every client takes for `block`, `block` and its name."""
        try:
            decision = self.ask(question, viewer, **event)
        except Refused as refused:
            return "block", str(refused)
        return decision["outcome"], decision["reason"]

    def copy(self, viewer: str, length: int = 12, selection: str = "clipboard", **event: Any) -> str | None:
        """Copies; returns the clip's id, if it got one."""
        self.clip = self.ask("Copy", viewer, selection=selection, length=length, **event).get("clip")
        return self.clip

    def paste(self, viewer: str, length: int = 12, selection: str = "clipboard", **event: Any) -> tuple[str, str]:
        return self.outcome("Paste", viewer, selection=selection, length=length, **event)

    def navigate(self, viewer: str, url: str, **event: Any) -> tuple[str, str]:
        return self.outcome("Navigate", viewer, url=url, **{"frame": "main", **event})


def _answered(reply: dict[str, Any]) -> dict[str, Any]:
    if "error" in reply:
        raise Refused(reply["error"], reply.get("parameters") or {})
    return reply.get("parameters") or {}
