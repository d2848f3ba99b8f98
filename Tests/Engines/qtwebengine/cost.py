#!/usr/bin/python3
"""What the pack for Qt 6 adds to loading a page, in one process and profile: cost.py [COUNT] [FILE]."""

from collections.abc import Iterator
from contextlib import contextmanager

# First, since it says where the other modules are and that nothing is to be shown.
from engine import application  # isort: skip

from daemon import Daemon
from PyQt6.QtCore import QEventLoop, QUrl
from PyQt6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile, qWebEngineVersion
from PyQt6.QtWebEngineWidgets import QWebEngineView
from rig import cost
from rig.policy import APP, WORK
from webviewguard import qt


def load(page: QWebEnginePage) -> cost.Load:
    """From the call to the end of loading."""

    def loads(url: str) -> None:
        loop = QEventLoop()
        ended = page.loadFinished.connect(lambda _: loop.quit())
        page.load(QUrl(url))
        loop.exec()
        page.loadFinished.disconnect(ended)

    return lambda url: cost.timed(lambda: loads(url))


@contextmanager
def engine(daemon: Daemon) -> Iterator[cost.Engine]:
    embedder = qt.start(APP, socket=str(daemon.guard_socket))
    embedder.sign_in("work", WORK, viewer_class="documents")
    guarded, plain = qt.GuardedView(embedder.open("work", viewer_class="documents")), QWebEngineView()
    plain.setPage(QWebEnginePage(QWebEngineProfile(plain), plain))
    # Both are shown in windows of one size: a page that nobody sees is drawn at another pace.
    for view in (guarded, plain):
        view.resize(640, 800)
        view.show()

    def asks(url: str) -> None:
        embedder.guard.decide("navigate", viewer="work", url=url, frame="main")

    loads = {"unguarded": load(plain.page()), "guarded": load(guarded.page())}
    yield f"QtWebEngine {qWebEngineVersion()}", {**loads, "question": lambda url: cost.timed(lambda: asks(url))}


if __name__ == "__main__":
    kept = application()
    cost.main(engine)
    qt.leave(0)
