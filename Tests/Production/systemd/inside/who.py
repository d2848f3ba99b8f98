"""Asks the daemon what it knows of this process."""

import json
from pathlib import Path

from wire import Wire

with Wire(Path("/run/webviewguard/guard.sock"), 60.0) as wire:
    print(json.dumps(wire.call("org.webviewguard.Guard.WhoAmI")["parameters"]))
