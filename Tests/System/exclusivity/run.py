#!/usr/bin/env python3
"""Runs the suites of the service with every access checked.

A decision's way leaves out Swift's checks that no two accesses overlap (`@exclusivity(unchecked)`): they were 8 in 100 of
its instructions. Here a copy of the sources has them again, and an overlap ends the program. EXCLUSIVITY_BUILD names the
directory of the copy, .build/exclusivity otherwise; it is kept, so that the next run builds little.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/Support/python"))

import sources  # noqa: E402

COPY = Path(os.environ.get("EXCLUSIVITY_BUILD") or ROOT / ".build/exclusivity").resolve()
UNCHECKED = "@exclusivity(unchecked) "
SUITES = ("GuardServiceTests", "AcceptanceTests")


def main() -> int:
    changed: list[str] = []

    def checked(file: str, text: str) -> str:
        if file.startswith("Sources/") and UNCHECKED in text:
            changed.append(file)
        return text.replace(UNCHECKED, "") if file.startswith("Sources/") else text

    sources.copy(COPY, checked)
    if not changed:
        print("exclusivity: error: no source has the attribute; this test compares nothing", file=sys.stderr)
        return 1
    data = {"WEBVIEWGUARD_DATA": str(ROOT.parent / "shared/data")}
    environment = {**data, **os.environ, "WEBVIEWGUARD_SUITES": ",".join(SUITES)}
    test = ["swift", "test", "--package-path", COPY, *(f"--filter={suite}" for suite in SUITES)]
    return subprocess.run([*map(str, test)], cwd=COPY, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
