"""Tests that failed in a lane, tried once more, alone.

A lane runs parts beside each other on few processors, and programs that nobody here wrote, such as browsers. A test that
fails there and passes alone tells of the machine more often than of the change. So a lane tries it again when only a few
failed, and always names it: whoever reads the end of a lane sees which tests passed the second time only.
"""

import os
import subprocess
import xml.etree.ElementTree
from pathlib import Path

# More than so many tests of a part do not fail by chance.
MOST = 3
# The share of a part's time that a test of it may take.
SHARE = 0.4
# Names of variables: where a rig writes what each test did, and which tests it shall run instead of all.
RESULTS, ONLY = "WEBVIEWGUARD_RESULTS", "WEBVIEWGUARD_ONLY"


def environment(results: Path, only: list[str], most_seconds: float) -> dict[str, str]:
    """What a part's command is started with."""
    results.write_text("")
    _of_swift(results).unlink(missing_ok=True)
    swift = {"SWIFT_XUNIT": str(results.with_suffix(".xml")), "SWIFT_ONLY": " ".join(f"--filter {name}" for name in only)}
    patience = {"WEBVIEWGUARD_PATIENCE": str(int(most_seconds * SHARE)), "PYTHONFAULTHANDLER": "1"}
    return {**os.environ, RESULTS: str(results), ONLY: " ".join(only), **patience, **swift}


def failed(results: Path) -> list[str]:
    """The tests that failed, each once."""
    return _with(results, "failed")


def passed(results: Path) -> list[str]:
    return _with(results, "passed")


def _with(results: Path, word: str) -> list[str]:
    lines = [line.split(" ", 1) for line in results.read_text().splitlines()] + _swift(_of_swift(results))
    return list(dict.fromkeys(name for said, name in lines if said == word))


def _of_swift(results: Path) -> Path:
    """SwiftPM writes what suites of Swift Testing did into a file beside the one that it was told."""
    return results.with_name(f"{results.stem}-swift-testing.xml")


def _swift(file: Path) -> list[list[str]]:
    if not file.exists():
        return []
    return [_line(case) for case in xml.etree.ElementTree.parse(file).iter("testcase")]


def _line(case: xml.etree.ElementTree.Element) -> list[str]:
    # Parentheses and labels of parameters are no part of a filter.
    name = f"{case.get('classname')}/{case.get('name', '').partition('(')[0]}"
    return ["passed" if case.find("failure") is None else "failed", name]


def again(command: str, results: Path, log: Path, root: Path, most_seconds: float) -> list[str]:
    """Runs the failed tests once more; the names of those that passed now, or nothing when one failed again."""
    names = failed(results)
    if not 0 < len(names) <= MOST:
        return []
    second = results.with_suffix(".again")
    with log.open("ab") as output:
        output.write(f"\n-- tried again, alone: {', '.join(names)}\n".encode())
        output.flush()
        started = subprocess.run(
            command.split(), cwd=root, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            env=environment(second, names, most_seconds),
        )  # fmt: skip
    # A test that did not run this time has not passed.
    return names if started.returncode == 0 and set(names) <= set(passed(second)) - set(failed(second)) else []
