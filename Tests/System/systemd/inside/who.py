"""Asks the daemon what it knows of this process."""

import json
import sys
from pathlib import Path

from wire import Wire

with Wire(Path(sys.argv[1] if len(sys.argv) > 1 else "/run/webviewguard/guard.sock"), 60.0) as wire:
    print(json.dumps(wire.call("org.webviewguard.Guard.WhoAmI")["parameters"]))
