"""Random calls of one app, as honest clients send them: every kind, every member, known names and unknown ones."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from policies import OTHER, PERSONAL, WORK

ACCOUNTS = (None, "", WORK, WORK, OTHER, PERSONAL, "who@unknown.example")
VIEWERS = ("v0", "v1", "v2", "v3", "v4", "v5", "nobody")
WINDOWS = (None, "main", "home", "third")
PLACES = (None, "other", "sharePoint", "box", "photoLibrary", "camera", "localStorage", "accountDocument", "moonBase")
PROGRAMS = (None, "com.contoso.mail", "com.contoso.viewers", "com.microsoft.Edge.desktop", "org.example.chat.desktop")
URLS = (
    "https://www.contoso.com/", "https://www.contoso.com/a?b=c#d", "http://www.contoso.com/",
    "https://contoso.com.evil.example/", "https://news.example/", "https://files.example/up",
    "https://search.example/work/1", "https://search.example/",
    "https://[::1]:8443/x", "https://b\u00fccher.example/", "tel:+123", "mailto:a@b.example", "market://x",
    "about:blank", "data:text/html,x", "blob:https://www.contoso.com/1", "javascript:void 0", "nonsense", "",
    "https://exa mple/",
)  # fmt: skip
FILES = ("save", "open", "download", "upload")
PROGRAM_EVENTS = ("share", "receive")
CLIPBOARD_EVENTS = ("copy", "copy", "paste", "paste", "paste", "clipboardChanged", "dragEnd")
PLAIN_EVENTS = ("print", "notify", "index")
POLICIES = ("unset", "unmanaged", "currentIdentity")
KINDS = (None, None, "container", "popup", "auth", "ephemeral")
CLASSES = (None, "documents", "public", "free", "odd")
RESULTS = ("success", "canceled", "notAllowed", "failed")


@dataclass(frozen=True)
class Reference:
    """An id that an earlier answer gave, by the number of its call: each judge gives ids of its own."""

    kind: str
    call: int


@dataclass
class Call:
    """A method with its parameters, in which ids may stand by reference."""

    method: str
    parameters: dict[str, Any]
    oneway: bool = False

    @property
    def is_event(self) -> bool:
        return "event" in self.parameters and not self.method.startswith("Decide")

    def resolved(self, ids: dict[Reference, str]) -> dict[str, Any]:
        """The parameters with one judge's ids in place of the references."""
        return {key: _resolved(value, ids) for key, value in self.parameters.items()}


def _resolved(value: Any, ids: dict[Reference, str]) -> Any:
    if isinstance(value, Reference):
        return ids.get(value, f"{value.kind}-of-nothing")
    if isinstance(value, dict):
        return {key: _resolved(member, ids) for key, member in value.items()}
    if isinstance(value, list):
        return [_resolved(member, ids) for member in value]
    return value


@dataclass
class Conversation:
    """Makes calls; what it knows of the answers are the ids that came with them."""

    random: Random
    # Tells this guest from others: the number of its user first, as in `2-5-17`. No judge hears what another instance of the
    # app showed before the daemon was killed, or what another person has on the same X display; both count for answers.
    key: str
    # What is on a clipboard is shared by all apps of a user, so that one guest of each user speaks of it.
    has_clipboard: bool
    clips: list[Reference] = field(default_factory=list)
    requests: list[Reference] = field(default_factory=list)

    @property
    def viewers(self) -> tuple[str, ...]:
        return tuple(f"{name}-{self.key}" for name in VIEWERS)

    @property
    def screen(self) -> str:
        return f":{1 + int(self.key.split('-')[0])}"

    def opening(self) -> list[Call]:
        """What an app says first."""
        return [
            Call("SetIdentity", {"level": "process", "account": WORK}),
            Call("SetIdentity", {"level": "window", "window": "home", "account": PERSONAL}),
            Call("RegisterViewer", {"viewer": self.viewers[0], "class": "documents", "window": "main"}),
            Call("RegisterViewer", {"viewer": self.viewers[1], "class": "public", "window": "home"}),
        ]

    def next(self) -> Call:
        draw = self.random.random()
        if draw < 0.70:
            kind = self._kind()
            call = Call(kind[0].upper() + kind[1:], {"event": self._event(kind)})
            call.oneway = self.random.random() < 0.03
            return call
        if draw < 0.80:
            return self._hint()
        return self._change()

    def note(self, number: int, reply: dict[str, Any]) -> None:
        """Remembers the ids that the answer to the call `number` brought."""
        decision = reply.get("parameters", {}).get("decision", {})
        if "clip" in decision:
            self.clips = [*self.clips[-7:], Reference("clip", number)]
        if "request" in decision:
            self.requests = [*self.requests[-7:], Reference("request", number)]

    # Events

    def _kind(self) -> str:
        draw = self.random.random()
        if draw < 0.4:
            return "navigate"
        if self.has_clipboard and draw < 0.7:
            return self.random.choice(CLIPBOARD_EVENTS)
        return self.random.choice((*FILES, *PROGRAM_EVENTS, *PLAIN_EVENTS, "openURL", "exchange", "capture"))

    def _event(self, kind: str) -> dict[str, Any]:
        event = self._members(kind)
        event["viewer"] = self.random.choice(self.viewers)
        return {key: value for key, value in event.items() if value is not None}

    def _members(self, kind: str) -> dict[str, Any]:
        choose = self.random.choice
        if kind == "navigate":
            return self._navigation()
        if kind in CLIPBOARD_EVENTS:
            return self._clipboard(kind)
        if kind in FILES:
            owner = choose(ACCOUNTS) if kind == "save" else None
            return {"url": self._url(), "location": choose(PLACES), "locationAccount": choose(ACCOUNTS), "owner": owner}
        if kind in PROGRAM_EVENTS:
            return {"peer": choose(PROGRAMS), "peerAccount": choose(ACCOUNTS), "owner": choose(ACCOUNTS)}
        if kind == "openURL":
            return {"url": self._url(), "gesture": choose((None, "yes", "no"))}
        if kind == "exchange":
            return {"channel": choose((None, "nativeMessaging", "assistant", "inputMethod", "contacts", "telepathy"))}
        if kind == "capture":
            return {"capture": choose((None, "screenshot", "recording", "ownImage"))}
        return {}

    def _navigation(self) -> dict[str, Any]:
        choose = self.random.choice
        return {
            "url": self._url(),
            "from": choose((None, None, "https://www.contoso.com/", "https://news.example/", "nonsense")),
            "frame": choose((None, "main", "main", "sub", "resource", "unknown")),
            "gesture": choose((None, "yes", "no")),
            "hop": choose((None, None, True, False)),
            "method": choose((None, None, "GET", "POST")),
            "newWindow": choose((None, None, True)),
            "action": choose((None, None, "click-1", "click-2")),
        }

    def _clipboard(self, kind: str) -> dict[str, Any]:
        choose = self.random.choice
        known = choose(self.clips) if self.clips and self.random.random() < 0.5 else choose((None, "clip-1", "x"))
        # What the app itself puts there without a name is its strictest identity's of the last ten seconds, which a judge that
        # is asked later counts otherwise.
        is_own = choose((True, False)) if kind == "clipboardChanged" and known else False
        return {
            "display": choose((None, self.screen, self.screen, "wayland-1", f"{self.screen}{self.random.randrange(40):02}")),
            "selection": choose(("clipboard", "clipboard", "primary", "drag", "unknown")),
            "length": choose((None, 0, 5, 12, 13, 5000)),
            "formats": choose((None, ["text/plain"], ["text/html", "text/plain;charset=utf-8"], [])),
            "clip": known if kind == "paste" or is_own else None,
            "cut": choose((None, True)) if kind == "copy" else None,
            "inspection": choose((None, None, "passed", "blocked", "offline")) if kind == "copy" else None,
            "selfOwned": is_own if kind == "clipboardChanged" else None,
        }

    def _url(self) -> str:
        url = self.random.choice(URLS)
        if self.random.random() < 0.1:
            at = self.random.randint(0, len(url))
            url = url[:at] + chr(self.random.choice((0x20, 0x2F, 0x25, 0x40, 0xE9, 0x1F600, 0x7F))) + url[at:]
        return url + "x" * self.random.choice((5000, 70_000)) if self.random.random() < 0.002 else url

    # Hints and changes

    def _hint(self) -> Call:
        choose = self.random.choice
        draw = self.random.random()
        if draw < 0.5:
            kinds = [self._kind() for _ in range(self.random.randint(0, 6))]
            return Call("DecideMany", {"questions": [{"kind": kind, "event": self._event(kind)} for kind in kinds]})
        event = {"viewer": choose(self.viewers)}
        if draw < 0.75:
            return Call("DecideLocations", {"kind": choose(("save", "open")), "event": event})
        return Call("DecidePeers", {"peers": [program for program in PROGRAMS if program], "event": event})

    def _change(self) -> Call:
        choose = self.random.choice
        viewer = choose(self.viewers[:-1])
        account = choose(ACCOUNTS)
        return choose(
            (
                lambda: self._register(viewer),
                lambda: self._register(viewer),
                lambda: _call("SetDocument", viewer=viewer, document=choose((None, self._url()))),
                lambda: _call("ForgetViewer", viewer=viewer),
                lambda: _call("SetWebViewPolicy", viewer=viewer, policy=choose(POLICIES)),
                lambda: _call("SetExternalURLRules", viewer=viewer, ruleSet=choose((None, "documents", "missing"))),
                lambda: _call("SetIdentity", level="process", account=account),
                lambda: _call("SetIdentity", level="window", window=choose(WINDOWS), account=account),
                lambda: _call("SetIdentity", level="scope", account=account),
                lambda: _call("SetIdentity", level="window", window="third", accounts=[WORK, PERSONAL]),
                lambda: _call("SetIdentity", level="process", account=account, gates=choose(RESULTS)),
                self._answer,
            )
        )()

    def _register(self, viewer: str) -> Call:
        choose = self.random.choice
        return _call(
            "RegisterViewer", viewer=viewer, parent=choose((None, None, None, *self.viewers[:3])), window=choose(WINDOWS),
            opener=choose((None, None, *self.viewers[:3])), kind=choose(KINDS),
            document=choose((None, None, self._url())), **{"class": choose(CLASSES)},
        )  # fmt: skip

    def _answer(self) -> Call:
        request = self.random.choice(self.requests) if self.requests else "switch-1-1"
        return Call("Answer", {"request": request, "result": self.random.choice(RESULTS)})


def _call(method: str, **parameters: Any) -> Call:
    return Call(method, {key: value for key, value in parameters.items() if value is not None})
