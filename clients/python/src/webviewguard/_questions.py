"""The questions, one method for each event of the interface."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from webviewguard._event import Event
from webviewguard._words import EventKind

if TYPE_CHECKING:
    from typing import Unpack

Answer = TypeVar("Answer")


class Questions(ABC, Generic[Answer]):
    """What may be asked. Members of events are those of `Event`; what is left out is unknown."""

    @abstractmethod
    def decide(self, kind: EventKind, **event: Unpack[Event]) -> Answer:
        """Asks about one event of any kind."""

    def navigate(self, **event: Unpack[Event]) -> Answer:
        """May the viewer load this URL? Ask for every navigation of a main frame and every redirect in it."""
        return self.decide("navigate", **event)

    def copy(self, **event: Unpack[Event]) -> Answer:
        """The user cuts or copies, or starts to drag, out of a viewer."""
        return self.decide("copy", **event)

    def paste(self, **event: Unpack[Event]) -> Answer:
        """The user pastes or drops into a viewer."""
        return self.decide("paste", **event)

    def clipboard_changed(self, **event: Unpack[Event]) -> Answer:
        """A selection has a new owner."""
        return self.decide("clipboardChanged", **event)

    def drag_end(self, **event: Unpack[Event]) -> Answer:
        """A drag is over: its clip is forgotten."""
        return self.decide("dragEnd", **event)

    def download(self, **event: Unpack[Event]) -> Answer:
        """A viewer stores a file that a server sent. Ask before the first byte is kept, and again with the place."""
        return self.decide("download", **event)

    def upload(self, **event: Unpack[Event]) -> Answer:
        """A page takes a file of the user. Ask when the user chose it, before the page sees its name."""
        return self.decide("upload", **event)

    def save(self, **event: Unpack[Event]) -> Answer:
        """The app saves data to a location. Ask before anything is written there."""
        return self.decide("save", **event)

    def open(self, **event: Unpack[Event]) -> Answer:
        """The app opens data from a location. Ask after opening the file and before showing it."""
        return self.decide("open", **event)

    def receive(self, **event: Unpack[Event]) -> Answer:
        """Data comes in from another program. Ask before any of it is shown or kept."""
        return self.decide("receive", **event)

    def share(self, **event: Unpack[Event]) -> Answer:
        """Data goes to another program. Ask when the program is known."""
        return self.decide("share", **event)

    def print(self, **event: Unpack[Event]) -> Answer:
        """A page is printed. Ask before the preview; with `path` it is printed into a file."""
        return self.decide("print", **event)

    def capture(self, **event: Unpack[Event]) -> Answer:
        """The screen or a viewer is recorded. Ask before it begins."""
        return self.decide("capture", **event)

    def notify(self, **event: Unpack[Event]) -> Answer:
        """A page shows a notification. Ask before each."""
        return self.decide("notify", **event)

    def open_url(self, **event: Unpack[Event]) -> Answer:
        """The app itself, not a page, opens a URL in another program."""
        return self.decide("openURL", **event)

    def exchange(self, **event: Unpack[Event]) -> Answer:
        """Data passes through something beside the app: an extension, an assistant, a keyboard."""
        return self.decide("exchange", **event)

    def index(self, **event: Unpack[Event]) -> Answer:
        """Content goes into a search index. Ask before it is handed over."""
        return self.decide("index", **event)
