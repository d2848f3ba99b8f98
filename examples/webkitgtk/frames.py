"""Says which frame navigates, which the engine's question does not.

What is not known is `unknown`: the guard then answers as strictly as for a page, and opens nothing by itself.
"""

import time

from gi.repository import WebKit2

TOLD_SECONDS = 1.0
MAIN, SUB, UNKNOWN = "main", "sub", "unknown"
# The engine itself sets this header, on redirects and reloads of hosts that it trusts to be what they say.
DESTINATIONS = {"document": MAIN, "iframe": SUB, "frame": SUB, "object": SUB, "embed": SUB}


class Frames:
    """What the script in each frame told of navigations that begin there. It comes before the engine's question."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[float, str]] = {}

    def tell(self, url: str, is_main: bool) -> None:
        now = time.monotonic()
        self._told = {url: told for url, told in self._told.items() if now - told[0] < TOLD_SECONDS}
        self._told[url] = now, MAIN if is_main else SUB

    def frame_of(self, action: WebKit2.NavigationAction, is_first: bool) -> str:
        """The frame that navigates. A view that has shown nothing yet has no other than its main frame."""
        if is_first:
            return MAIN
        request = action.get_request()
        headers = request.get_http_headers()
        destination = headers.get_one("Sec-Fetch-Dest") if headers else None
        if destination is not None:
            return DESTINATIONS.get(destination, UNKNOWN)
        when, frame = self._told.pop(request.get_uri(), (0.0, UNKNOWN))
        return frame if time.monotonic() - when < TOLD_SECONDS else UNKNOWN
