"""The conformance data and corpora beside the repository, and the seed of this run."""

import gzip
import json
import os
import random
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("WEBVIEWGUARD_DATA") or ROOT.parent / "shared/data")
SEED = int(os.environ.get("WEBVIEWGUARD_SEED") or 20_261_121)


def generator(purpose: str) -> random.Random:
    """A random source for one purpose, so that a change in one does not shift the others."""
    return random.Random(f"{SEED} {purpose}")


def lines(name: str) -> list[bytes]:
    """The lines of a compressed file, without empty ones."""
    with gzip.open(DATA / name) as file:
        return [line for line in file.read().split(b"\n") if line]


def cases(name: str) -> Any:
    """What a JSON file holds."""
    return json.loads((DATA / name).read_text())
