"""What the engine asks nobody about: images, scripts, fetch, beacons, WebSockets. WebKit gets the guard's own rules.

The daemon's explicit rules are exported as a list of WebKit's content blocker, which is compiled into the engine and
works without the daemon. Until there is one, pages load nothing by themselves.
"""

import json
from collections.abc import Callable, Sequence

from gi.repository import Gio, GLib, WebKit2

FILTER = "webviewguard"
RESOURCES = ["image", "style-sheet", "script", "font", "raw", "svg-document", "media", "ping", "websocket", "fetch", "other"]
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
        self._filter: WebKit2.UserContentFilter | None = None
        self._ready: list[Callable[[], None]] = []
        self._is_new = True

    def guard(self, content: WebKit2.UserContentManager, ready: Callable[[], None]) -> None:
        """Puts the rules into a page's content manager. Pages are loaded when `ready` is called, not before."""
        self._contents.append(content)
        if self._filter is not None:
            content.add_filter(self._filter)
            ready()
            return
        self._ready.append(ready)
        if len(self._ready) == 1:
            self.renew()

    def renew(self) -> None:
        """Exports the rules again: the policy is another one."""
        flags = Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_PIPE
        try:
            process = Gio.Subprocess.new(self._export, flags)
        except GLib.Error as problem:
            self._failed(problem.message)
            return
        process.communicate_async(None, None, self._exported)

    def _exported(self, process: Gio.Subprocess, result: Gio.AsyncResult) -> None:
        _, rules, problem = process.communicate_finish(result)
        if process.get_successful():
            self._compile(rules)
        else:
            self._failed(bytes(problem.get_data()).decode(errors="replace").strip())

    def _failed(self, problem: str) -> None:
        """What was exported before stays; without any, pages load nothing by themselves."""
        self._report(f"the rules cannot be exported: {problem}")
        if self._filter is None:
            self._compile(GLib.Bytes.new(json.dumps(NOTHING).encode()))

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
        ready, self._ready = self._ready, []
        for call in ready:
            call()
