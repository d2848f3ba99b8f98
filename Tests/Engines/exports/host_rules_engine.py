"""Chromium without a network, under `--host-resolver-rules` as `chromium-host-rules` writes it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Oracle"))

from cases import PROGRAM
from chromium import Chromium

CLOSED = "net::ERR_NAME_NOT_RESOLVED"
USES = "for: [page, frame, resource]"
RULES = f"""\
ruleSet: hosts
default: internal
rules:
  - {{ id: own, internal: {{ host: [127.0.0.1, localhost, "[::1]"] }}, {USES} }}
"""
REST = f'  - {{ id: rest, external: {{ not: {{ host: [127.0.0.1, localhost, "[::1]"] }} }}, {USES} }}\n'
NAMED = f"""\
  - {{ id: named, external: {{ domain: [evil.localhost, 127.0.0.9, "[::9]"] }}, {USES} }}
  - {{ id: pages, external: {{ domain: pages.localhost }} }}
"""
HOSTS = (
    "127.0.0.1", "localhost", "[::1]", "127.0.0.9", "[::9]", "evil.localhost", "evil.localhost.", "sub.evil.localhost",
    "pages.localhost", "127.0.0.8", "other.localhost",
)  # fmt: skip


def value(rules: str) -> str:
    """The value of the switch for a rule file."""
    with tempfile.NamedTemporaryFile("w", prefix="wvg-hosts-", suffix=".yaml") as file:
        file.write(rules)
        file.flush()
        command = [PROGRAM, "export", "--for", "chromium-host-rules", "--rules", file.name]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()


def closed(rules: str) -> set[str]:
    """The hosts that the engine does not resolve; to the others it fails to connect, as nothing listens."""
    with Chromium(f"--host-resolver-rules={value(rules)}") as browser:
        page = browser.page()
        found = set()
        for host in HOSTS:
            url = {"url": f"http://{host}:9999/"}
            if page.devtools.call("Page.navigate", url, page.session).get("errorText") == CLOSED:
                found.add(host)
        return found


class HostRulesTests(unittest.TestCase):
    def test_named_hosts_are_closed_and_no_others(self) -> None:
        named = {"127.0.0.9", "[::9]", "evil.localhost", "evil.localhost.", "sub.evil.localhost"}
        self.assertEqual(closed(RULES + NAMED), named)

    def test_behind_a_last_rule_only_internal_hosts_are_resolved(self) -> None:
        self.assertEqual(closed(RULES + REST), set(HOSTS) - {"127.0.0.1", "localhost", "[::1]"})


if __name__ == "__main__":
    unittest.main()
