"""The vectors that the clients of all languages share."""

import json
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).resolve().parents[2] / "vectors"


def whole(name: str) -> dict[str, Any]:
    """All of one file: `whole("texts")`."""
    found: dict[str, Any] = json.loads((VECTORS / f"{name}.json").read_text())
    return found


def cases(name: str) -> list[dict[str, Any]]:
    """The cases of one file: `cases("replay")`."""
    found: list[dict[str, Any]] = whole(name)["cases"]
    return found
