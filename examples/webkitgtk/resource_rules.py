"""What the engine asks nobody about: images, scripts, fetch, beacons, WebSockets. WebKit gets the guard's own rules.

The daemon's rules are exported as a list of WebKit's content blocker, which is compiled into the engine and works without
the daemon. Pages and frames are asked about one by one, so the rules about those stay out: the daemon knows exceptions
that no rule does. Until there is a list, pages load nothing by themselves.
"""

import json
from collections.abc import Callable, Sequence

from gi.repository import Gio, GLib, WebKit2

FILTER = "webviewguard"
RESOURCES = ["image", "style-sheet", "script", "font", "raw", "svg-document", "media", "ping"]
NOTHING = [
    {"trigger": {"url-filter": f"^{scheme}:", "resource-type": RESOURCES}, "action": {"type": "block"}}
    for scheme in ("https?", "wss?", "ftp")
]


class ResourceRules:
    """Keeps the filter of every managed page up to date. `export` is the command that prints the rules."""

    def __init__(self, directory: str, export: Sequence[str], report: Callable[[str], None]) -> None:
        self._store = WebKit2.UserContentFilterStore.new(directory)
        self._export, self._report = list(export), report
        self._contents: list[WebKit2.UserContentManager] = []
        self._ready: list[Callable[[], None]] = []
        self._filter: WebKit2.UserContentFilter | None = None
        # One at a time: the store keeps one file.
        self._is_busy = self._is_stale = False

    def guard(self, content: WebKit2.UserContentManager, ready: Callable[[], None]) -> None:
        """Puts the rules into a page's content manager. Pages are loaded when `ready` is called, not before."""
        self._contents.append(content)
        if self._filter is not None:
            content.add_filter(self._filter)
            ready()
            return
        self._ready.append(ready)
        self.renew()

    def renew(self) -> None:
        """Exports the rules again: the policy is another one."""
        self._is_stale = True
        if self._is_busy or not self._contents:
            return
        self._is_busy, self._is_stale = True, False
        flags = Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_PIPE
        try:
            Gio.Subprocess.new(self._export, flags).communicate_async(None, None, self._exported)
        except GLib.Error as problem:
            self._failed(problem.message)

    def _exported(self, process: Gio.Subprocess, result: Gio.AsyncResult) -> None:
        _, rules, said = process.communicate_finish(result)
        if process.get_successful():
            self._compile(GLib.Bytes.new(of_resources(bytes(rules.get_data() or b"[]"))))
        else:
            self._failed(bytes(said.get_data() or b"").decode(errors="replace").strip() or "the command failed")

    def _failed(self, problem: str) -> None:
        """What was exported before stays; without any, pages load nothing by themselves."""
        self._report(f"the rules cannot be exported: {problem}")
        if self._filter is None:
            self._compile(GLib.Bytes.new(json.dumps(NOTHING).encode()))
        else:
            self._done()

    def _compile(self, rules: GLib.Bytes) -> None:
        self._store.save(FILTER, rules, None, self._compiled)

    def _compiled(self, store: WebKit2.UserContentFilterStore, result: Gio.AsyncResult) -> None:
        try:
            self._filter = store.save_finish(result)
        except GLib.Error as problem:
            self._failed(problem.message)
            return
        for content in self._contents:
            content.remove_all_filters()
            content.add_filter(self._filter)
        self._done()

    def _done(self) -> None:
        self._is_busy = False
        ready, self._ready = self._ready, []
        for call in ready:
            call()
        if self._is_stale:
            self.renew()


def of_resources(rules: bytes) -> bytes:
    """What the rules say of anything but documents."""
    kept = []
    for rule in json.loads(rules):
        kinds = [kind for kind in rule["trigger"].get("resource-type", RESOURCES) if kind != "document"]
        if kinds:
            kept.append(rule | {"trigger": rule["trigger"] | {"resource-type": kinds}})
    # The engine takes no empty list.
    return json.dumps(kept or [{"trigger": {"url-filter": "^$"}, "action": {"type": "ignore-previous-rules"}}]).encode()
