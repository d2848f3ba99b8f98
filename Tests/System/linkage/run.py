#!/usr/bin/env python3
"""What an embedder gets beside the Swift client: nothing. Links the example of clients/swift, looks at it, and lets it ask.

run.py              builds the example's package from nothing, as an embedder would: minutes
run.py --relinked   compiles the example against the modules that are built already: seconds
"""

import argparse
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/Support/python"))

import tally  # noqa: E402
from configuration import Configuration  # noqa: E402
from daemon import Daemon  # noqa: E402

EXAMPLE = ROOT / "clients/swift/example"
BUILT = ROOT / ".build/release"
# What the product may hold, and what a Swift program needs of a Linux system, however it was linked.
TARGETS = ["WebViewGuardClient", "GuardModel"]
PLATFORM = ("libc.so", "libm.so", "libgcc_s.so", "libstdc++.so", "ld-linux", "libpthread.so", "libdl.so")
RUNTIME = ("libswift", "lib_Foundation", "libdispatch.so", "libBlocksRuntime.so")
DAEMON = ("NIOCore", "simdjson", "pcre2_", "sqlite3_", "yaml_parser", "FoundationEssentials", "GuardProtocol")


def run(*command: object) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def package() -> Path:
    """The example as its own package builds it, with the Swift run-time linked in."""
    options = [
        "--package-path", EXAMPLE, "--scratch-path", ROOT / ".build/client-example", "-c", "release",
        "--static-swift-stdlib",
    ]  # fmt: skip
    run("swift", "build", *options)
    return Path(run("swift", "build", "--show-bin-path", *options).strip()) / "ask"


def relinked(folder: Path) -> Path:
    """The example compiled against the objects of the client and of what it stands on, and against nothing else."""
    # Objects of sources that are no more stay where they were.
    sources = [(target, file) for target in needed_targets() for file in sorted((ROOT / "Sources" / target).rglob("*.swift"))]
    objects = [BUILT / f"{target}.build" / f"{file.name}.o" for target, file in sources]
    program = folder / "ask"
    run(
        "swiftc", "-swift-version", "6", "-parse-as-library", "-I", BUILT / "Modules", *sorted(EXAMPLE.glob("Sources/ask/*.swift")),
        *objects, "-o", program,
    )  # fmt: skip
    return program


def manifest() -> dict[str, dict]:
    described = json.loads(run("swift", "package", "--package-path", ROOT, "--scratch-path", ROOT / ".build/linkage", "dump-package"))
    return {target["name"]: target for target in described["targets"]} | {"": described}


def needed_targets() -> list[str]:
    """The client's target and all below it."""
    targets, found, waiting = manifest(), [], ["WebViewGuardClient"]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.append(name)
            waiting += [next(iter(dependency.values()))[0] for dependency in targets[name]["dependencies"]]
    return found


class Linkage(unittest.TestCase):
    program: Path
    allowed: tuple[str, ...]

    def test_the_product_names_its_targets(self) -> None:
        products = {product["name"]: product["targets"] for product in manifest()[""]["products"]}
        self.assertEqual(products["WebViewGuardClient"], TARGETS)

    def test_it_needs_the_platform_alone(self) -> None:
        lines = [line for line in run("readelf", "-d", self.program).splitlines() if "(NEEDED)" in line]
        self.assertTrue(lines)
        for line in lines:
            self.assertTrue(any(f"[{name}" in line for name in self.allowed), line)

    def test_nothing_of_the_daemon_is_in_it(self) -> None:
        symbols = run("nm", "--defined-only", "--demangle", self.program)
        self.assertIn("WebViewGuardClient", symbols)
        for word in DAEMON:
            self.assertNotIn(word, symbols)

    def test_it_asks_a_daemon_and_obeys_the_contract_without_one(self) -> None:
        daemon = Daemon(Configuration(settings="contract: { startMs: 60000, answerMs: 60000 }\n")).start()
        self.addCleanup(daemon.remove)
        said = run(self.program, "--socket", daemon.guard_socket, "https://docs.contoso.com/d/42", "https://example.net/")
        self.assertEqual(
            said,
            "https://docs.contoso.com/d/42 allow internal\n"
            "https://example.net/ redirect external\n"
            "  opens https://example.net/ with com.contoso.Browser.desktop\n",
        )
        daemon.stop(9)
        away = run(self.program, "--socket", daemon.guard_socket, "https://docs.contoso.com/")
        self.assertTrue(
            away.endswith(
                "the guard is away; the contract says closed\n"
                "https://docs.contoso.com/ block noAnswer\n"
                "  says The protection of your organization's data does not answer. Try again in a moment.\n"
            ),
            away,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--relinked", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        Linkage.program = relinked(Path(folder)) if options.relinked else package()
        Linkage.allowed = PLATFORM + (RUNTIME if options.relinked else ())
        return tally.run(unittest.defaultTestLoader.loadTestsFromTestCase(Linkage))


if __name__ == "__main__":
    sys.exit(main())
