"""Asks one question with the client for Python, and says who answered."""

import json

from webviewguard import Guard

guard = Guard(app="com.contoso.portal")
connected = guard.start()
decision = guard.navigate(viewer="v1", url="https://example.net/", frame="main")
print(json.dumps({"connected": connected, "local": decision.is_local, "outcome": int(decision.outcome == "allow")}))
