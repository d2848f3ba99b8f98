"""What every browser is tested with: one site, every way out of it, one daemon, and the judge."""

import sys
from pathlib import Path

BROWSERS = Path(__file__).resolve().parents[1]
ROOT = BROWSERS.parents[1]

# The daemon fixture is that of the interoperability tests.
sys.path.insert(0, str(ROOT / "Tests/Support/python"))
