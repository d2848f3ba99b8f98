"""What the command line asked the tests to leave behind."""

from pathlib import Path

SCREENSHOTS: Path | None = None
