"""Random events and calls with every member of the interface, valid and not, about what a configuration speaks of."""

from collections.abc import Callable
from random import Random
from typing import Any

from configurations import Vocabulary

EVENTS = (
    "navigate", "copy", "paste", "clipboardChanged", "dragEnd", "download", "upload", "save", "open", "receive", "share",
    "print", "capture", "notify", "openURL", "exchange", "index",
)  # fmt: skip
# How often each is drawn: what pages and clipboards do has the most paths.
WEIGHTS = (10, 7, 9, 4, 1, 2, 2, 3, 3, 2, 2, 1, 2, 1, 2, 2, 1)
VIEWERS = ("v0", "v1", "v2", "v3", "v4", "v5", "v6")
WINDOWS = ("main", "home", "third", "fourth")
ODD_URLS = (
    "http://[::1]:8443/x", "https://b\u00fccher.example/", "tel:+123", "mailto:a@b.example?body=x", "sms:1", "market://x",
    "about:blank", "data:text/html,x", "blob:https://www.contoso.com/1", "javascript:void 0", "nonsense", "", "file:///etc/x",
    "https://exa mple/", "https://u:p@www.contoso.com:444/a%2fb?q=1#f", "contoso-portal:open", "HTTPS://WWW.CONTOSO.COM./",
    "https://contoso.com.evil.example/", "view-source:https://www.contoso.com/", "ws://www.contoso.com/",
)  # fmt: skip
HOSTS = ("www.contoso.com", "docs.contoso.com", "news.example", "share.example", "maps.example", "xn--bcher-kva.example")
PLACES = (
    "other", "oneDriveForBusiness", "sharePoint", "box", "dropbox", "googleDrive", "iManage", "egnyte", "accountDocument",
    "localStorage", "photoLibrary", "camera",
)  # fmt: skip
CHANNELS = (
    "unknown", "nativeMessaging", "assistant", "automation", "writingTools", "inputMethod", "contacts", "widgets", "backup",
)  # fmt: skip
INSPECTIONS = ("none", "passed", "blocked", "tooLarge", "offline", "cancelled")
PROGRAMS = ("com.contoso.Reader.desktop", "com.microsoft.Edge.desktop", "org.example.chat.desktop", "com.contoso.unknown")
KINDS = ("embedded", "container", "window", "popup", "auth", "ephemeral")
POLICIES = ("unset", "unmanaged", "currentIdentity", "currentIdentityBlockUpload")
RESULTS = ("success", "canceled", "notAllowed", "failed")
LENGTHS = (0, 1, 5, 12, 13, 40, 300, 5000)
FORMATS = (["text/plain"], ["text/html", "text/plain;charset=utf-8"], ["image/png"], [], ["text/uri-list"])
# What stands where a value of the right kind belongs.
WRONG = (None, True, -1, 3.5, 1 << 70, "telepathy", "", [], ["x"], {}, {"x": 1})


class Words:
    """Draws from one random source. `ids` gives an id of a kind that was answered before, or one that never was."""

    def __init__(self, choices: Random, vocabulary: Vocabulary, ids: Callable[[str], Any]) -> None:
        self.random = choices
        self.ids = ids
        self.accounts = [*vocabulary.accounts, "work@contoso.com", "me@example.org", "WORK@contoso.com", ""]
        self.classes = [*vocabulary.classes, *vocabulary.classes, "odd"]
        self.rule_sets = [*vocabulary.rule_sets, *vocabulary.rule_sets, "missing"]
        self.hosts = [*vocabulary.hosts, *HOSTS]
        self.peers = [*vocabulary.apps, *PROGRAMS]
        self._actions = 0

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def one(self, values: Any) -> Any:
        return self.random.choice(values)

    def account(self) -> str:
        # Rarely one that the policy does not know: of refusals only the first 32 are recorded, then some a second.
        return "who@unknown.example" if self.chance(0.01) else str(self.one(self.accounts))

    def url(self) -> str:
        if self.chance(0.2):
            return str(self.one(ODD_URLS))
        scheme, sub = self.one(("https", "https", "https", "http")), self.one(("", "", "www.", "a.b."))
        path = self.one(("/", "/a", "/work/1", "/old/x?y=z#t", "/%7euser/..", "/x" * 40))
        url = f"{scheme}://{sub}{self.one(self.hosts)}{path}"
        return url + "y" * self.one((3000, 70_000)) if self.chance(0.003) else url

    # Events

    def kind(self) -> str:
        return self.random.choices(EVENTS, WEIGHTS)[0]

    def event(self, kind: str) -> dict[str, Any]:
        """An event of a kind: what it needs, some of what it may have, now and then a member that it has not."""
        event: dict[str, Any] = {"viewer": self.one(VIEWERS if self.chance(0.95) else ("nobody", "", "\u202e"))}
        for name, (share, make) in self._members(kind).items():
            if self.chance(share):
                event[name] = make()
        if self.chance(0.03):
            name, (_, make) = self.one(list(self._members(self.kind()).items()) or [("display", (1, lambda: ":0"))])
            event[name] = make()
        if self.chance(0.02):
            event[self.one([*event, "colour", "frame"])] = self.one(WRONG)
        return event

    def _members(self, kind: str) -> dict[str, tuple[float, Callable[[], Any]]]:
        one, many = self.one, self._any
        if kind == "navigate":
            return {
                "url": (0.98, self.url), "from": (0.3, self.url), "frame": (0.8, many("main", "main", "sub", "resource", "unknown")),
                "hop": (0.2, many(True, False)), "method": (0.2, many("GET", "POST", "X Y")), "newWindow": (0.1, many(True, False)),
                "gesture": (0.2, many("yes", "no", "unknown")), "sameDocument": (0.1, many(True, False)),
                "surface": (0.1, many("content", "chrome")), "action": (0.3, self._action), "deadline": (0.02, many(0, 1 << 52)),
            }  # fmt: skip
        if kind in ("copy", "paste", "clipboardChanged", "dragEnd"):
            return self._clipboard(kind)
        files = {"url": (0.7, self.url), "location": (0.8, many(*PLACES)), "locationAccount": (0.4, self.account),
                 "path": (0.3, many("/tmp/x", "/nowhere/y", "relative", "/home/u/\u202e", "/" + "p" * 300))}  # fmt: skip
        if kind in ("save", "open", "download", "upload"):
            more = {"owner": (0.4, self.account), "inPlace": (0.1, many(True, False)), "chooser": (0.2, many(True, False))}
            return files | (more if kind in ("save", "open") else {"from": (0.2, self.url)})
        if kind in ("share", "receive"):
            return {"peer": (0.9, lambda: one(self.peers)), "peerAccount": (0.5, self.account), "owner": (0.3, self.account)}
        return {
            "print": {"path": (0.3, many("/tmp/p.pdf")), "location": (0.2, many(*PLACES))},
            "capture": {"capture": (0.9, many("unknown", "screenshot", "recording", "ownImage"))},
            "openURL": {"url": (0.98, self.url), "gesture": (0.3, many("yes", "no"))},
            "exchange": {"channel": (0.95, many(*CHANNELS)), "peer": (0.3, lambda: one(self.peers))},
        }.get(kind, {})

    def _clipboard(self, kind: str) -> dict[str, tuple[float, Callable[[], Any]]]:
        many = self._any
        members: dict[str, tuple[float, Callable[[], Any]]] = {
            "display": (0.2, many(":0", ":0", "wayland-1")),
            "selection": (0.97, many("clipboard", "clipboard", "clipboard", "primary", "drag", "unknown")),
        }
        if kind == "dragEnd":
            return members
        members |= {"length": (0.8, many(*LENGTHS)), "formats": (0.4, many(*FORMATS))}
        if kind == "copy":
            more = {"cut": (0.2, many(True, False)), "inspection": (0.4, many(*INSPECTIONS)), "from": (0.2, self.url)}
            return members | more
        if kind == "paste":
            members |= {"from": (0.3, self.url), "probe": (0.2, many(True, False))}
            return members | {"clip": (0.4, lambda: self.ids("clip")), "proposal": (0.05, lambda: self.ids("proposal"))}
        more = {"selfOwned": (0.6, many(True, True, False)), "owner": (0.1, self.account)}
        handed = {"clip": (0.3, lambda: self.ids("clip")), "proposal": (0.5, lambda: self.ids("proposal"))}
        return members | more | handed

    def _any(self, *values: Any) -> Callable[[], Any]:
        return lambda: self.one(values)

    def _action(self) -> str:
        # Asked again at once or not at all: after ten seconds it would be another action.
        self._actions += self.chance(0.4)
        return f"click-{self._actions}"

    # Calls

    def question(self) -> dict[str, Any]:
        kind = self.kind()
        return {"kind": kind if self.chance(0.99) else self.one(WRONG), "event": self.event(kind)}

    def hint(self) -> tuple[str, dict[str, Any]]:
        draw = self.random.random()
        if draw < 0.6:
            return "DecideMany", {"questions": [self.question() for _ in range(self.random.randint(0, 6))]}
        event = {"viewer": self.one(VIEWERS), **({"owner": self.account()} if self.chance(0.3) else {})}
        if draw < 0.8:
            return "DecideLocations", {"kind": self.one(("save", "open", "save", "open", "print")), "event": event}
        return "DecidePeers", {"peers": self.random.sample(self.peers, min(3, len(self.peers))), "event": event}

    def change(self) -> tuple[str, dict[str, Any]]:
        """A call that changes what the daemon knows of the instance, or asks about it."""
        viewer, one = self.one(VIEWERS), self.one
        draw = self.random.random()
        if draw < 0.3:
            return "RegisterViewer", self._registration(viewer)
        if draw < 0.5:
            return "SetIdentity", self._identity()
        return one(
            (
                ("SetDocument", {"viewer": viewer, **one(({}, {"document": self.url()}, {"document": None}))}),
                ("SetDocument", {"viewer": viewer, "document": self.url()}),
                ("ForgetViewer", {"viewer": viewer}),
                ("SetWebViewPolicy", {"viewer": viewer, "policy": one((*POLICIES, "odd"))}),
                ("SetExternalURLRules", {"viewer": viewer, "ruleSet": one([*self.rule_sets, None])}),
                ("Identities", one(({}, {"account": self.account()}))),
                ("Answer", {"request": self.ids("request"), "result": one(RESULTS)}),
                ("Answer", {"request": self.ids("request"), "result": "success"}),
            )
        )

    def _registration(self, viewer: str) -> dict[str, Any]:
        given: dict[str, tuple[float, Callable[[], Any]]] = {
            "class": (0.8, lambda: self.one(self.classes)), "parent": (0.15, self._any(*VIEWERS)), "window": (0.5, self._any(*WINDOWS)),
            "opener": (0.15, self._any(*VIEWERS)), "kind": (0.3, self._any(*KINDS)), "document": (0.3, self.url),
            "policy": (0.15, self._any(*POLICIES)), "ruleSet": (0.15, lambda: self.one(self.rule_sets)),
        }  # fmt: skip
        return {"viewer": viewer, **{name: make() for name, (share, make) in given.items() if self.chance(share)}}

    def _identity(self) -> dict[str, Any]:
        level = self.one(("process", "process", "window", "window", "scope"))
        said: dict[str, Any] = {"level": level}
        if level == "window" or self.chance(0.02):
            said["window"] = self.one(WINDOWS)
        if self.chance(0.1):
            said["accounts"] = [self.account() for _ in range(self.random.randint(0, 3))]
        elif self.chance(0.9):
            said["account"] = self.account() if self.chance(0.93) else None
        return said | ({"gates": self.one(RESULTS)} if self.chance(0.1) else {})
