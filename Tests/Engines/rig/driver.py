"""What a browser under test offers: the only part of the tests that each engine writes itself."""

from collections.abc import Callable
from typing import Any, Protocol

WORK_VIEWER = "work"
PRIVATE_VIEWER = "private"


class Driver(Protocol):
    """A browser with two viewers: `work` is signed in as the managed account, `private` as a personal one."""

    # Such as `QtWebEngine 6.4.2`; the table's column.
    engine: str
    # What covers requests that the engine shows nobody, such as `webkit-content-blocker`; empty without.
    export: str

    def load(self, viewer: str, url: str) -> None:
        """Shows a page, and returns when its title is its path and query and it is painted."""

    def begin(self, viewer: str, url: str) -> None:
        """Starts to load a page and returns at once: it may lead on by itself before it is painted."""

    def click(self, viewer: str, element: str, button: str = "left") -> None:
        """Clicks the middle of the element with this id, as a person does; `button` may be `middle`."""

    def script(self, viewer: str, source: str) -> Any:
        """The value of an expression in the page."""

    def press(self, viewer: str, key: str) -> None:
        """Presses a key with the control key held, such as `c`."""

    def title(self, viewer: str) -> str:
        """The title of what the viewer shows now."""

    def wait(self, holds: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
        """Lets the browser work until `holds` is true, and returns its value; TimeoutError after that time."""

    def close_popups(self) -> None:
        """Closes every window that a page opened."""

    def close(self) -> None:
        """Ends the browser."""
