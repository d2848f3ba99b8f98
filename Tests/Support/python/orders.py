"""Orders to a peer on a bus, which a test writes to its standard input."""

import json
import os
from collections.abc import Callable

from gi.repository import GLib


def obey_orders(obey: Callable[..., None]) -> None:
    """Prints `ready`, then serves. Each line of input is an order: a JSON list of a word and its arguments. The program ends
    with its input."""
    received = b""

    def hear(*_: object) -> bool:
        nonlocal received
        read = os.read(0, 65536)
        if not read:
            os._exit(0)
        *lines, received = (received + read).split(b"\n")
        for line in lines:
            obey(*json.loads(line))
        return True

    GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, hear)
    print("ready", flush=True)
    GLib.MainLoop().run()
