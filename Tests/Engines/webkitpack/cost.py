#!/usr/bin/python3
"""What the library for WebKitGTK adds to loading a page, in one process: cost.py [--api 4.1|6.0] [COUNT] [FILE]."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# First, since it says where the other modules are.
from run import gtk_desktop  # isort: skip

from daemon import Daemon
from rig import cost


def load(view: Any) -> cost.Load:
    """From the call to the end of loading."""
    from toolkit import GLib, WebKit

    def loads(url: str) -> None:
        loop = GLib.MainLoop()

        def changed(_: Any, event: WebKit.LoadEvent) -> None:
            if event == WebKit.LoadEvent.FINISHED:
                loop.quit()

        handler = view.connect("load-changed", changed)
        view.load_uri(url)
        loop.run()
        view.disconnect(handler)

    return lambda url: cost.timed(lambda: loads(url))


@contextmanager
def engine(daemon: Daemon) -> Iterator[cost.Engine]:
    from pack import PackDriver
    from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
    from rig.policy import APP
    from webviewguard import Guard

    driver = PackDriver(daemon.guard_socket)
    work, left = driver.view(WORK_VIEWER), driver.windows[PRIVATE_VIEWER].left
    driver.guard.remove(driver.view(PRIVATE_VIEWER))
    # The same engine without a hook, in a window of the same size.
    bare = driver.make_view("bare")
    kept = driver._window(bare, left)
    asker = Guard(app=APP, path=driver.socket, instance=driver.guard.get_instance)
    asker.start()

    def asks(url: str) -> None:
        asker.decide("navigate", viewer=WORK_VIEWER, url=url, frame="main")

    loads = {"unguarded": load(bare), "guarded": load(work)}
    name = f"{driver.engine} for GTK {'4' if os.environ['WEBKITGTK_API'] == '6.0' else '3'}"
    yield name, {**loads, "question": lambda url: cost.timed(lambda: asks(url))}
    assert kept


def main() -> int:
    words = sys.argv[1:]
    api = words[words.index("--api") + 1] if "--api" in words else "4.1"
    rest = [word for word in words if word not in ("--api", api)]
    gtk_desktop.build(gtk_desktop.BUILD, [api])
    return gtk_desktop.start(__file__, api, gtk_desktop.BUILD, rest)


if __name__ == "__main__":
    if "WEBVIEWGUARD_WEBKIT" not in os.environ:
        sys.exit(main())
    with gtk_desktop.desktop():
        cost.main(engine)
        gtk_desktop.leave(0)
