"""The example browser in this process."""

from pathlib import Path
from typing import Any

import toolkit
from browser import Browser
from gtk_driver import ACCOUNTS, WIDTH, GtkDriver, Placed
from window import Window


class ExampleDriver(GtkDriver):
    # The windows of the browser say what was refused.
    says = False

    def open(self) -> None:
        self.browser = Browser(self.guard)
        for place, (name, account) in enumerate(ACCOUNTS.items()):
            window = self.browser.open(name, account)
            assert window is not None
            self.windows[name] = Placed(window, window.view, place * WIDTH)

    def window(self, viewer: str) -> Window:
        return next(window for window in self.browser.windows if window.name == viewer)

    def make_view(self, name: str) -> Any:
        return toolkit.make_view(Path(self.browser._directory.name, name))

    @property
    def popups(self) -> list[Placed]:
        return [Placed(window, window.view, 0) for window in self.browser.windows if window.name not in ACCOUNTS]

    def close_popups(self) -> None:
        for popup in self.popups:
            self.browser.close_window(popup.window)

    def close(self) -> None:
        self.browser.close()
