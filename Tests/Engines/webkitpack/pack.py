"""A browser of a few lines under the library's guard, as a program that leaves all dialogues to the library."""

import tempfile
from pathlib import Path
from typing import Any

import toolkit
from gtk_driver import ACCOUNTS, IS_GTK4, WIDTH, GtkDriver, Placed
from toolkit import Gtk


class PackDriver(GtkDriver):
    def open(self) -> None:
        self.directory = tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True)
        self._popups: list[Placed] = []
        self.guard.connect("show-window", self._popup)
        for place, (name, account) in enumerate(ACCOUNTS.items()):
            view = self.make_view(name)
            if not self.guard.set_account(name, account) or not self.guard.add(view, "documents", name):
                raise RuntimeError(self.guard.get_error())
            self.windows[name] = self._window(view, place * WIDTH)

    def make_view(self, name: str) -> Any:
        return toolkit.make_view(Path(self.directory.name, name))

    def _window(self, view: Any, left: int) -> Placed:
        window = Gtk.Window()
        placed = Placed(window, view, left)
        if IS_GTK4:
            window.set_child(view)
            window.present()
        else:
            window.add(view)
            window.show_all()
        return placed

    def _popup(self, _guard: Any, view: Any) -> bool:
        popup = self._window(view, 0)
        self._popups.append(popup)
        view.connect("close", lambda _: popup in self._popups and self._close(popup))
        return True

    def _close(self, popup: Placed) -> None:
        self._popups.remove(popup)
        popup.window.destroy()

    @property
    def popups(self) -> list[Placed]:
        return list(self._popups)

    def close_popups(self) -> None:
        for popup in self.popups:
            self._close(popup)

    def close(self) -> None:
        self.close_popups()
        self.guard.close()
        for window in self.windows.values():
            window.window.destroy()
        self.directory.cleanup()
