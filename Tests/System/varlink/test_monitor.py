"""`Monitor`: decisions as they are taken, told to whoever watches."""

import queue
import threading
from typing import Any

from daemon import eventually
from session import DaemonCase, Handler, methods_called
from shown import as_administrators_see
from wire import ADMIN, GUARD, Wire, frame

PATIENCE_SECONDS = 120.0


class Watcher:
    """Reads a `Monitor` stream of the library in a thread of its own."""

    def __init__(self, handler: Handler) -> None:
        self.seen: queue.Queue[dict[str, Any]] = queue.Queue()
        methods_called.add(f"{ADMIN}.Monitor")
        self._handler = handler
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            for reply in self._handler.library.Monitor(_more=True):
                self.seen.put(reply)
        except (OSError, ValueError):
            pass

    def next(self) -> dict[str, Any]:
        return self.seen.get(timeout=PATIENCE_SECONDS)

    def sees(self, decision: str) -> bool:
        """Reads on until a decision comes; false when for some time none does."""
        try:
            while self.next()["decision"]["id"] != decision:
                pass
        except queue.Empty:
            return False
        return True


class Monitoring(DaemonCase):
    def test_decisions_of_another_connection_are_seen_in_order(self) -> None:
        handler, watcher = self.managed(), Watcher(self.admin())
        self._wait_for(watcher, handler)
        asked = [self.navigate(handler, f"https://example.net/{number}?secret#x") for number in range(20)]
        asked.append(self.decide(handler, "Copy", viewer="docs", selection="clipboard", length=3))
        seen = [watcher.next() for _ in asked]
        shown = [reply["decision"] for reply in seen]
        self.assertEqual(shown, [as_administrators_see(one, two) for one, two in zip(asked, shown, strict=True)])
        self.assertEqual([reply["event"] for reply in seen], ["navigate"] * 20 + ["copy"])
        self.assertEqual({(reply["app"], reply["viewer"]) for reply in seen}, {("com.contoso.portal", "docs")})
        self.assertEqual(seen[3]["url"], "https://example.net/3")
        self.assertEqual(sorted(reply["time"] for reply in seen), [reply["time"] for reply in seen])

    def test_two_watchers_see_the_same(self) -> None:
        handler, watchers = self.managed(), [Watcher(self.admin()) for _ in range(2)]
        for watcher in watchers:
            self._wait_for(watcher, handler)
        asked = self.navigate(handler, "https://example.net/both")["id"]
        for watcher in watchers:
            self.assertTrue(watcher.sees(asked))

    def test_a_watcher_that_leaves_is_forgotten(self) -> None:
        handler, admin = self.managed(), self.admin()
        self._wait_for(Watcher(admin), handler)
        admin.close()
        self.assertEqual(self.navigate(handler, "https://contoso.com/")["reason"], "internal")
        self.assert_daemon_lives()

    def test_a_watcher_that_does_not_read_is_told_what_it_missed(self) -> None:
        wire = self.wire(self.daemon.admin_socket)
        wire.send(frame(f"{ADMIN}.Monitor", flags={"more": True}))
        self.assertIn("parameters", wire.call(f"{ADMIN}.Status"))
        asking, count = self._asking(), 5_000
        for _ in range(count // 100):
            asking.send(self._question() * 100)
            asking.replies(100)
        seen = self._drained(wire)
        self.assertLess(seen, count)
        asking.send(self._question())
        asking.reply()
        type(self).asked += count + 1
        self.assertEqual(wire.reply()["parameters"]["skipped"], count - seen)

    @staticmethod
    def _drained(wire: Wire) -> int:
        """How many replies come until for half a second none does."""
        wire.socket.settimeout(0.5)
        count = 0
        try:
            while wire.reply()["continues"]:
                count += 1
        except TimeoutError:
            pass
        wire.socket.settimeout(PATIENCE_SECONDS)
        return count

    def _wait_for(self, watcher: Watcher, handler: Handler) -> None:
        """Asks until the watcher sees a decision, then drops what was asked for that."""

        def is_watching() -> bool:
            asked = self.navigate(handler, "https://example.net/is-anybody-there")["id"]
            try:
                while watcher.seen.get(timeout=0.2)["decision"]["id"] != asked:
                    pass
            except queue.Empty:
                return False
            return True

        eventually(is_watching, "the watcher watches")

    def _asking(self) -> Wire:
        wire = self.wire()
        wire.call(f"{GUARD}.Attach")
        return wire

    def _question(self) -> bytes:
        return frame(f"{GUARD}.Navigate", event={"viewer": "x", "url": "https://example.net/"})
