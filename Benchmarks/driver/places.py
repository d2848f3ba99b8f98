"""Where things lie, and unpacked copies of the shared data."""

import gzip
import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class Places:
    data_option: str | None
    program_option: str | None
    quick: bool

    @cached_property
    def data(self) -> Path:
        return Path(self.data_option or os.environ.get("WEBVIEWGUARD_DATA") or REPOSITORY.parent / "shared/data")

    @cached_property
    def program(self) -> Path:
        return Path(self.program_option or REPOSITORY / ".build/release/webviewguard").absolute()

    @cached_property
    def build(self) -> Path:
        """What this run makes and may throw away."""
        folder = REPOSITORY / ".build/bench"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @property
    def docs(self) -> Path:
        return REPOSITORY / "docs"

    @property
    def measure(self) -> Path:
        return Path(os.environ.get("MEASURE") or self.build / "swift/release/measure")

    def require(self) -> None:
        if not (self.data / "README.md").exists():
            sys.exit(f"bench: error: no test data at `{self.data}`; set `WEBVIEWGUARD_DATA` to its folder")
        self.require_program()

    def require_program(self) -> None:
        if not self.program.exists():
            sys.exit(f"bench: error: `{self.program}` is not there; run `make build`")

    def unpacked(self, name: str) -> Path:
        """A plain copy of a packed file of the data: `urls/mixed-shuffled.txt.gz`."""
        target = self.build / "data" / Path(name).name.removesuffix(".gz")
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(gzip.decompress((self.data / name).read_bytes()))
        return target

    def lines(self, name: str) -> list[str]:
        return self.unpacked(name).read_text(encoding="utf-8").splitlines()

    def folder(self, name: str) -> Path:
        folder = self.build / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder
