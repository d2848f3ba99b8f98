#!/usr/bin/env python3
"""What an embedder gets beside the Swift client: nothing, and libcrypto where it seals data. Links the examples of
clients/swift, looks at them, and lets them ask.

run.py              builds the examples' package from nothing, as an embedder would: minutes
run.py --relinked   compiles the examples against the modules that are built already: seconds
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
PRODUCTS = {"WebViewGuardClient": ["WebViewGuardClient", "GuardModel"], "WebViewGuardSealing": ["WebViewGuardSealing"]}
# Each example, with the product that it stands on.
EXAMPLES = {"ask": "WebViewGuardClient", "seal": "WebViewGuardSealing"}
# What sealing needs besides.
CRYPTO = ("libcrypto.so",)
PLATFORM = ("libc.so", "libm.so", "libgcc_s.so", "libstdc++.so", "ld-linux", "libpthread.so", "libdl.so")
RUNTIME = ("libswift", "lib_Foundation", "libdispatch.so", "libBlocksRuntime.so")
# No client has the keys of accounts, only those of objects.
DAEMON = ("AccountKeys", "NIOCore", "simdjson", "pcre2_", "sqlite3_", "yaml_parser", "FoundationEssentials", "GuardProtocol")


def run(*command: object) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command[0]} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def package() -> dict[str, Path]:
    """The examples as their own package builds them, with the Swift run-time linked in."""
    options = [
        "--package-path", EXAMPLE, "--scratch-path", ROOT / ".build/client-example", "-c", "release",
        "--static-swift-stdlib",
    ]  # fmt: skip
    run("swift", "build", *options)
    folder = Path(run("swift", "build", "--show-bin-path", *options).strip())
    return {name: folder / name for name in EXAMPLES}


def relinked(folder: Path) -> dict[str, Path]:
    """Each example compiled against the objects of its product and of what that stands on, and against nothing else."""
    return {name: relink(name, product, folder / name) for name, product in EXAMPLES.items()}


def relink(name: str, product: str, program: Path) -> Path:
    # Objects of sources that are no more stay where they were.
    targets = needed_targets(product)
    objects = [BUILT / f"{target}.build" / f"{file.name}.o" for target, file in sources(targets)]
    # A shim has a map of its own, or SwiftPM made one beside its objects.
    maps = [ROOT / "Sources/Shims" / target / "include/module.modulemap" for target in targets]
    maps += [BUILT / f"{target}.build/module.modulemap" for target in targets]
    imports = [word for file in maps if file.exists() for word in ("-Xcc", f"-fmodule-map-file={file}")]
    run(
        "swiftc", "-swift-version", "6", "-parse-as-library", "-I", BUILT / "Modules", *imports,
        *sorted((EXAMPLE / "Sources" / name).glob("*.swift")), *objects, "-o", program,
    )  # fmt: skip
    return program


def sources(targets: list[str]) -> list[tuple[str, Path]]:
    """The compiled files of targets."""
    found = []
    for target in targets:
        folder = ROOT / "Sources" / target
        files = folder.rglob("*.swift") if folder.exists() else (ROOT / "Sources/Shims" / target).glob("*.c")
        found += [(target, file) for file in sorted(files)]
    return found


def manifest() -> dict[str, dict]:
    described = json.loads(run("swift", "package", "--package-path", ROOT, "--scratch-path", ROOT / ".build/linkage", "dump-package"))
    return {target["name"]: target for target in described["targets"]} | {"": described}


def needed_targets(product: str) -> list[str]:
    """The target of a product and all below it."""
    targets, found, waiting = manifest(), [], [product]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.append(name)
            waiting += [next(iter(dependency.values()))[0] for dependency in targets[name]["dependencies"]]
    return found


class Linkage(unittest.TestCase):
    programs: dict[str, Path]
    allowed: tuple[str, ...]

    def test_the_products_name_their_targets(self) -> None:
        products = {product["name"]: product["targets"] for product in manifest()[""]["products"]}
        self.assertEqual({name: products[name] for name in PRODUCTS}, PRODUCTS)

    def test_they_need_the_platform_alone_and_libcrypto_to_seal(self) -> None:
        for name, more in (("ask", ()), ("seal", CRYPTO)):
            lines = [line for line in run("readelf", "-d", self.programs[name]).splitlines() if "(NEEDED)" in line]
            self.assertTrue(lines)
            for line in lines:
                self.assertTrue(any(f"[{library}" in line for library in self.allowed + more), line)
            self.assertEqual(any("[libcrypto.so" in line for line in lines), name == "seal")

    def test_nothing_of_the_daemon_is_in_them(self) -> None:
        for name, product in EXAMPLES.items():
            symbols = run("nm", "--defined-only", "--demangle", self.programs[name])
            self.assertIn(product, symbols)
            for word in DAEMON:
                self.assertNotIn(word, symbols)

    def test_one_seals_with_keys_of_a_daemon_and_seals_nothing_without(self) -> None:
        daemon = Daemon(Configuration(settings="contract: { startMs: 60000, answerMs: 60000 }\n")).start()
        self.addCleanup(daemon.remove)
        seal = (self.programs["seal"], "--socket", daemon.guard_socket)
        self.assertEqual(run(*seal, "Zahlen für uns"), "Zahlen für uns\nsealed for 2bb54003f51bb9c73f499e5146dc639c\n")
        self.assertEqual(run(*seal, "--account", "me@example.org", "x"), "x\nnot sealed; me@example.org owns it\n")
        self.assertEqual(run(*seal, "--account", "stranger@contoso.com", "x")[:32], "error: 102 encryptFailed (noKey)")
        daemon.stop(9)
        self.assertEqual(run(*seal, "x"), "error: 102 encryptFailed (noKey): the daemon did not answer\n")

    def test_it_asks_a_daemon_and_obeys_the_contract_without_one(self) -> None:
        daemon = Daemon(Configuration(settings="contract: { startMs: 60000, answerMs: 60000 }\n")).start()
        self.addCleanup(daemon.remove)
        said = run(self.programs["ask"], "--socket", daemon.guard_socket, "https://docs.contoso.com/d/42", "https://example.net/")
        self.assertEqual(
            said,
            "https://docs.contoso.com/d/42 allow internal\n"
            "https://example.net/ redirect external\n"
            "  opens https://example.net/ with com.contoso.Browser.desktop\n",
        )
        daemon.stop(9)
        away = run(self.programs["ask"], "--socket", daemon.guard_socket, "https://docs.contoso.com/")
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
        Linkage.programs = relinked(Path(folder)) if options.relinked else package()
        Linkage.allowed = PLATFORM + (RUNTIME if options.relinked else ())
        return tally.run(unittest.defaultTestLoader.loadTestsFromTestCase(Linkage))


if __name__ == "__main__":
    sys.exit(main())
