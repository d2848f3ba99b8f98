#!/usr/bin/python3
"""What the pack for Qt 6 adds to loading a page, in one process and profile: cost.py [COUNT] [FILE]."""

from collections.abc import Iterator
from contextlib import contextmanager

# First, since it says where the other modules are and that nothing is to be shown.
from engine import QtDriver, application  # isort: skip

from daemon import Daemon
from PyQt6.QtCore import QEventLoop, QUrl
from PyQt6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile
from PyQt6.QtWebEngineWidgets import QWebEngineView
from rig import cost
from webviewguard.qt import leave


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
    driver, view = QtDriver(str(daemon.guard_socket)), QWebEngineView()
    # Both are shown in windows of one size: a page that nobody sees is drawn at another pace.
    unguarded = QWebEnginePage(QWebEngineProfile(view), view)
    view.setPage(unguarded)
    view.resize(driver.view("work").size())
    view.show()

    def asks(url: str) -> None:
        driver.guard.decide("navigate", viewer="work", url=url, frame="main")

    loads = {"unguarded": load(unguarded), "guarded": load(driver.page("work"))}
    yield driver.engine, {**loads, "question": lambda url: cost.timed(lambda: asks(url))}


if __name__ == "__main__":
    kept = application()
    cost.main(engine)
    leave(0)
