"""A daemon of the user's own, at DIRECTORY/guard.sock: it takes everybody in, and allows everything.

own_daemon.py DIRECTORY
"""

import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

from fake import FakeDaemon

OPEN = {"startMs": 2000, "answerMs": 500, "navigation": "open", "clipboard": "open", "other": "open"}


def main() -> None:
    place = Path(sys.argv[1])
    # Also where a user's own service has its socket.
    (place / "webviewguard").symlink_to(place)
    FakeDaemon(place, contract=OPEN).write_contract(OPEN)
    print("ready", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
