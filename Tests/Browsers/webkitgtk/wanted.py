"""What the command line asked the tests to leave behind."""

from pathlib import Path

OBSERVATIONS: Path | None = None
SCREENSHOTS: Path | None = None
COST: Path | None = None
