#!/usr/bin/env python3
"""Adds a flag and a text to the decisions of a copy of the sources, and looks for both wherever fields go.

Each may touch five files of Swift and interface at most; everything else must know them by itself: reply, record, log line,
filter, policy tests and the clients. FIELDS_BUILD names the directory of the copy, .build/fields otherwise; it is kept, so
that the next run builds little.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "Tests/Support/python"), str(ROOT / "clients/python/src")]

import sources  # noqa: E402
import tally  # noqa: E402
from configuration import Configuration  # noqa: E402
from daemon import Daemon  # noqa: E402
from webviewguard import Guard  # noqa: E402
from wire import GUARD, Wire  # noqa: E402

COPY = Path(os.environ.get("FIELDS_BUILD") or ROOT / ".build/fields").resolve()
BUILT = COPY / ".build/debug"
PROGRAM = BUILT / "webviewguard"
MAXIMUM_FILES = 5

FIELDS = "Sources/GuardModel/Decisions/DecisionField.swift"
REPORT = "Sources/GuardModel/Decisions/DecisionReport.swift"
DESCRIBED = "Sources/PolicyEngine/Deciding/GuardState+Report.swift"
ENGINE = "Sources/PolicyEngine/Deciding/Question.swift"
INTERFACE = "Sources/GuardProtocol/Interfaces/org.webviewguard.Guard.varlink"
CLIENT = "Sources/WebViewGuardClient/Asking/GuardDecision.swift"


@dataclass(frozen=True)
class Addition:
    """Lines that go behind the one line of a file that begins so."""

    file: str
    behind: str
    lines: str


FLAG = [
    Addition(FIELDS, "  package static let mustEncrypt =", "  package static let inventedFlag = DecisionFlags(rawValue: 1 << 15)"),
    Addition(FIELDS, "  case setOwner, mustEncrypt,", "  case inventedFlag"),
    Addition(FIELDS, "    case .setOwner: .", "    case .inventedFlag: .flag(report.flags[.inventedFlag])"),
    Addition(FIELDS, "    case .setOwner: E", '    case .inventedFlag: Entry("inventedFlag", test: .value, line: .rest)'),
    Addition(ENGINE, "      decision.flags[.viewerIsUnknown] =", "      decision.flags[.inventedFlag] = viewer.isUnknown"),
    Addition(INTERFACE, "  advice: ?Advice,", "  inventedFlag: ?bool,"),
    Addition(CLIENT, "  public var mustEncrypt:", "  public var inventedFlag: Bool { self[.inventedFlag]?.bool ?? false }"),
]  # fmt: skip

TEXT = [
    Addition(FIELDS, "  case setOwner, mustEncrypt,", "  case inventedText"),
    Addition(FIELDS, "    case .setOwner: .", "    case .inventedText: .text(report.inventedText)"),
    Addition(FIELDS, "    case .setOwner: E", '    case .inventedText: Entry("inventedText", test: .value, line: .rest)'),
    Addition(REPORT, "  package var switchRequest:", "  package var inventedText: String?"),
    Addition(DESCRIBED, "    report.flags =", '    report.inventedText = "by \\(decision.reason)"'),
    Addition(INTERFACE, "  advice: ?Advice,", "  inventedText: ?string,"),
    Addition(CLIENT, "  public var mustEncrypt:", "  public var inventedText: String? { self[.inventedText]?.string }"),
]  # fmt: skip

PORTAL = """\
apps:
  com.contoso.portal:
    peers: [{ uid: $uid }]
    identityMode: multi
    classes: { documents: { policy: currentIdentity, externalURLs: contoso } }
tests:
  - name: the invented fields
    app: com.contoso.portal
    steps:
      - { call: SetIdentity, level: process, account: work@contoso.com }
      - { event: navigate, viewer: none, url: "https://sharing.example/", frame: main, expect: block, EXPECTED }
"""

ASKING = """\
import WebViewGuardClient

@main struct Asking {
  static func main() async throws {
    let guardian = GuardClient(.init(app: "com.contoso.portal", socketPath: CommandLine.arguments[1]) { _ in })
    _ = await guardian.start()
    let decision = await guardian.navigate(.init(viewer: "none", url: "https://sharing.example/", frame: .main))
    print(decision.inventedFlag, decision.inventedText ?? "none")
  }
}
"""


def run(*command: object, **options: object) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{command[0]} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def add(additions: list[Addition], text: str) -> str:
    """The text of one file with its additions."""
    for addition in additions:
        lines = text.split("\n")
        [place] = [number for number, line in enumerate(lines) if line.startswith(addition.behind)]
        text = "\n".join([*lines[: place + 1], addition.lines, *lines[place + 1 :]])
    return text


def invented(file: str, text: str) -> str:
    """The file with what is added to it."""
    return add([addition for addition in [*FLAG, *TEXT] if addition.file == file], text)


def build() -> None:
    sources.copy(COPY, invented, "Package.*", "Sources")
    # The manifest then has the program and what it stands on, and no test.
    environment = {**os.environ, "WEBVIEWGUARD_SUITES": "webviewguard"}
    run("swift", "build", "--package-path", COPY, "--product", "webviewguard", env=environment)


class Fields(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = Daemon(self.configuration("rule: sharing"), program=PROGRAM).start()
        self.addCleanup(self.daemon.remove)

    def configuration(self, expected: str) -> Configuration:
        return Configuration(PORTAL.replace("EXPECTED", expected))

    def ask(self) -> dict:
        with Wire(self.daemon.guard_socket) as wire:
            wire.call(f"{GUARD}.Attach")
            wire.call(f"{GUARD}.SetIdentity", level="process", account="work@contoso.com")
            event = {"viewer": "none", "url": "https://sharing.example/", "frame": "main"}
            return wire.call(f"{GUARD}.Navigate", event=event)["parameters"]["decision"]

    def log(self, *arguments: str) -> list[str]:
        return run(PROGRAM, "log", "show", "--type", "decision", *arguments, self.daemon.logs).splitlines()

    def test_few_places(self) -> None:
        for additions in (FLAG, TEXT):
            self.assertLessEqual(len({addition.file for addition in additions}), MAXIMUM_FILES)
            for addition in additions:
                self.assertNotIn("\n", addition.lines)

    def test_a_reply_a_record_and_its_line_have_them(self) -> None:
        decision = self.ask()
        self.assertEqual(decision["outcome"], "block")
        self.assertIs(decision["inventedFlag"], True)
        text = f"by {decision['reason']}"
        self.assertEqual(decision["inventedText"], text)
        self.daemon.stop()
        [record] = self.daemon.records("decision")
        self.assertEqual((record["inventedFlag"], record["inventedText"]), (True, text))
        [line] = self.log()
        self.assertIn(" inventedFlag=true", line)
        self.assertIn(f'inventedText="{text}"', line)

    def test_a_filter_finds_them(self) -> None:
        text = self.ask()["inventedText"]
        self.daemon.stop()
        for found in ("inventedFlag=true", f"inventedText={text}"):
            self.assertEqual(len(self.log("--field", found)), 1)
        for other in ("inventedFlag=false", "inventedText=by chance"):
            self.assertEqual(self.log("--field", other), [])

    def test_a_policy_test_expects_them(self) -> None:
        for expected, problem in (
            ("inventedFlag: true", None),
            ("inventedFlag: false", "got `inventedFlag` `true`"),
            ('inventedText: "by chance"', "got `inventedText` `by "),
            ("inventedTexts: a", "did you mean `inventedText`?"),
        ):
            with self.subTest(expected), tempfile.TemporaryDirectory() as directory:
                self.configuration(expected).write(Path(directory))
                done = subprocess.run(
                    [PROGRAM, "test", directory], capture_output=True, text=True, check=False
                )
                self.assertEqual(done.returncode == 0, problem is None, done.stdout + done.stderr)
                self.assertIn(problem or "", done.stdout + done.stderr)

    def test_the_swift_client_reads_them(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            source = Path(directory, "Asking.swift")
            source.write_text(ASKING)
            # The objects of the client, and of what it stands on.
            targets = ("WebViewGuardClient", "GuardModel", "Bytes", "Platform")
            files = [(target, file.name) for target in targets for file in sorted((COPY / "Sources" / target).rglob("*.swift"))]
            objects = [BUILT / f"{target}.build" / f"{name}.o" for target, name in files]
            program = Path(directory, "asking")
            run("swiftc", "-swift-version", "6", "-parse-as-library", "-I", BUILT / "Modules", source, *objects, "-o", program)
            said = run(program, self.daemon.guard_socket)
        self.assertRegex(said, "^true by [a-zA-Z]+$")

    def test_the_python_client_passes_them_through(self) -> None:
        with Guard("com.contoso.portal", self.daemon.guard_socket) as guard:
            decision = guard.navigate(viewer="none", url="https://sharing.example/", frame="main")
        self.assertIs(decision.raw["inventedFlag"], True)
        self.assertEqual(decision.raw["inventedText"], f"by {decision.reason}")


def main() -> int:
    build()
    return tally.run(unittest.TestLoader().loadTestsFromTestCase(Fields))


if __name__ == "__main__":
    sys.exit(main())
