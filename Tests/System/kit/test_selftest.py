"""`selftest`: a program that leaks is found, way by way, and one that obeys is not blamed."""

import json
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from daemon import PROGRAM
from started import Started

CRAWLER = str(Path(__file__).with_name("crawler.py"))
LIST = Path(__file__).resolve().parents[3] / "Sources/webviewguard/Trial/ways.json"
# What a program without a script engine can do.
RESOURCES = {"image", "image-302", "script", "module-script", "audio", "stylesheet", "prefetch", "preload"}
FRAMES = {"frame", "frame-302", "object", "embed"}
DOWNLOADS = {"download-link", "download-attribute", "download-302", "download-frame"}
FORMS = {"form-get", "form-post", "form-post-302", "form-post-307", "form-blank", "form-submit"}
PAGES = {
    "link", "link-302", "link-307", "link-chain", "link-blank", "link-blank-302", "link-noopener", "link-named-window",
    "link-middle-click", "meta-refresh",
}  # fmt: skip
# With `--scripts` it opens windows, too.
OPENED = {"window-open"}
MARKUP = OPENED | PAGES | FORMS | FRAMES | RESOURCES | DOWNLOADS
# Enough of them where each costs two starts.
FEW = {"link", "form-post-307", "frame-302", "image", "image-302", "download-attribute", "download-302"}

# Asks nobody, and goes one way: its popups open a moment after the page has asked where to go next, those to other hosts later.
SLOW = """
import http.client, re, sys, time, urllib.request
get = lambda url: urllib.request.urlopen(url, timeout=60).read().decode()
page = get(sys.argv[1])
asking = http.client.HTTPConnection(sys.argv[1].split("/")[2])
asking.request("GET", re.search(r'fetch[(]"([^"]+)"', page)[1])
popup = re.search(r"target=_blank href='([^']+)'", page)[1]
time.sleep(0.5 if "127.0.0.1" in popup else 1)
get(popup)
"""


class SelfTest(unittest.TestCase):
    def run_on(
        self, *program: str, report: Path | None = None, closing: bool = False, ways: Iterable[str] = (), seconds: int = 60
    ) -> subprocess.CompletedProcess[str]:
        more = [*(["--report", str(report)] if report else []), *(["--closing"] if closing else [])]
        more += [word for way in sorted(ways) for word in ("--way", way)]
        command = [str(PROGRAM), "selftest", "--format", "json", "--seconds", str(seconds), *more, "--", *program]
        return subprocess.run(command, capture_output=True, text=True, timeout=550, check=False)

    def ways(self, said: subprocess.CompletedProcess[str]) -> dict[str, tuple[str, str]]:
        found: dict[str, Any] = json.loads(said.stdout)
        return {way["way"]: (way["external"], way["named"]) for way in found["ways"]}

    def test_the_help_counts_no_ways(self) -> None:
        """There are more of them with every release, and a number in a text stays as it was."""
        said = subprocess.run([str(PROGRAM), "selftest", "--help"], capture_output=True, text=True, timeout=60, check=True)
        self.assertIn("every way out", said.stdout)
        self.assertNotRegex(said.stdout, r"\d+\s+ways")
        commands = (LIST.parents[3] / "docs/commands.md").read_text()
        self.assertNotRegex(commands, r"\d+ ways out")

    def test_a_program_that_asks_nobody_leaks_everywhere(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            report = Path(directory) / "report.html"
            # A way that the program does not go is waited for a quarter of them.
            said = self.run_on(sys.executable, CRAWLER, "--scripts", report=report, seconds=8)
            page = report.read_text()
        self.assertEqual(said.returncode, 1, said)
        ways = self.ways(said)
        self.assertEqual(set(ways), {way["id"] for way in json.loads(LIST.read_text())["ways"]})
        self.assertEqual({way for way, found in ways.items() if found[1] == "LEAKED"}, MARKUP)
        self.assertEqual({way for way, found in ways.items() if found[0] == "LEAKED"}, MARKUP - RESOURCES)
        self.assertEqual({way for way, found in ways.items() if found[0] == "passes"}, RESOURCES)
        untried = {way for way, found in ways.items() if found == ("not tried", "not tried")}
        self.assertEqual(untried, set(ways) - MARKUP)
        self.assertEqual(json.loads(said.stdout)["questions"], {})
        self.assertIn('<td class="leaked">LEAKED', page)
        self.assertIn(f"and {len(MARKUP)} leaked", page)
        self.assertIn("resources: 8 of 26 gone, 8 leaked", page)
        self.assertNotRegex(page, r"(?i)<script|<link|src=|href=")

    def test_a_program_that_obeys_leaks_nowhere(self) -> None:
        said = self.run_on(sys.executable, CRAWLER, "--ask", "{socket}", "--scripts", "{url}", ways=FEW)
        self.assertEqual(said.returncode, 0, said)
        ways = self.ways(said)
        self.assertEqual(set(ways), FEW)
        for way, found in ways.items():
            self.assertEqual(found, ("passes" if way in RESOURCES else "stopped", "stopped"), way)
        asked = json.loads(said.stdout)["questions"]
        self.assertGreater(asked["Navigate"], 2 * len(FEW))
        self.assertGreater(asked["Download"], 0)

    def test_with_the_closing_rule_no_resource_passes(self) -> None:
        said = self.run_on(sys.executable, CRAWLER, "--ask", "{socket}", "--scripts", "{url}", closing=True, ways=FEW)
        self.assertEqual(said.returncode, 0, said)
        self.assertEqual(set(self.ways(said).values()), {("stopped", "stopped")})
        careless = self.run_on(
            sys.executable, CRAWLER, "--ask", "{socket}", "--careless", "resource", "--scripts", "{url}", closing=True, ways=FEW
        )
        leaked = {way for way, found in self.ways(careless).items() if found == ("LEAKED", "LEAKED")}
        self.assertEqual((careless.returncode, leaked), (1, RESOURCES & FEW))

    def test_a_redirected_resource_that_is_not_stopped_leaks(self) -> None:
        """As with an engine that shows the hop too late: only the closing rule makes that a leak at the external host."""
        program = [sys.executable, CRAWLER, "--ask", "{socket}", "--careless", "hop", "--scripts", "{url}"]
        for closing, external in ((False, "passes"), (True, "LEAKED")):
            said = self.run_on(*program, closing=closing, ways=("image", "image-302"))
            self.assertEqual(said.returncode, 1, said)
            image = ("stopped" if closing else "passes", "stopped")
            self.assertEqual(self.ways(said), {"image": image, "image-302": (external, "LEAKED")})

    def test_a_way_that_is_not_asked_about_is_found(self) -> None:
        ways = FRAMES | {"link"}
        said = self.run_on(sys.executable, CRAWLER, "--ask", "{socket}", "--careless", "frame", "--scripts", "{url}", ways=ways)
        self.assertEqual(said.returncode, 1, said)
        self.assertEqual({way for way, found in self.ways(said).items() if "LEAKED" in found}, FRAMES)

    def starts_of(self, *more: str, ways: Iterable[str]) -> tuple[dict[str, tuple[str, str]], int]:
        """What came of a program that knows scripts and asks, and how often it was started."""
        with tempfile.TemporaryDirectory() as directory:
            starts = Path(directory) / "starts"
            code = 'echo start >> "$0"; exec "$@"'
            asks = ["--ask", "{socket}", "--scripts", *more, "{url}"]
            said = self.run_on("sh", "-c", code, str(starts), sys.executable, CRAWLER, *asks, ways=ways)
            self.assertEqual(said.returncode, 0, said)
            return self.ways(said), starts.read_text().count("start")

    def test_a_page_is_led_from_way_to_way(self) -> None:
        ways = {"link", "link-302", "link-blank", "form-post", "frame"}
        found, starts = self.starts_of(ways=ways)
        self.assertEqual(found, dict.fromkeys(ways, ("stopped", "stopped")))
        self.assertEqual(starts, 3)

    def test_another_window_leads_on_where_a_notice_takes_the_place_of_a_page(self) -> None:
        ways = {"link", "link-302", "form-post", "frame"}
        found, starts = self.starts_of("--notices", ways={*ways, "window-open"})
        self.assertEqual(found, dict.fromkeys([*ways, "window-open"], ("stopped", "stopped")))
        self.assertEqual(starts, 3)
        found, starts = self.starts_of("--notices", ways=ways)
        self.assertEqual(found, dict.fromkeys(ways, ("stopped", "stopped")))
        self.assertEqual(starts, 1 + 2 * len(ways))

    def test_a_popup_that_opens_late_is_waited_for(self) -> None:
        said = self.run_on(sys.executable, "-c", SLOW, ways=("link-blank",))
        self.assertEqual(said.returncode, 1, said)
        self.assertEqual(self.ways(said), {"link-blank": ("LEAKED", "LEAKED")})

    def test_a_program_that_does_nothing_is_not_praised(self) -> None:
        said = self.run_on("/bin/true")
        self.assertEqual(said.returncode, 2, said)
        self.assertIn("no way was tried", said.stderr)

    def test_a_way_whose_page_was_not_loaded_is_not_called_stopped(self) -> None:
        """A program that crashes, or that a profile in use keeps from starting, is not guarded."""
        code = f'case "$1" in */1) exec "{sys.executable}" "{CRAWLER}" "$1";; */3) exit 7;; esac'
        said = self.run_on("sh", "-c", code, "sh", ways=FEW)
        self.assertEqual(said.returncode, 2, said)
        self.assertEqual(set(self.ways(said).values()), {("not tried", "not tried")})

    def test_a_report_that_cannot_be_written_is_told_before_the_program_starts(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            started = Path(directory) / "started"
            said = self.run_on("touch", str(started), report=Path(directory) / "no/such/report.html")
            self.assertEqual(said.returncode, 2, said)
            self.assertFalse(started.exists())

    def test_who_ends_it_leaves_nothing_behind(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            report, place = Path(directory) / "report.html", Path(directory) / "place"
            # The program says where it is, and who it is.
            code = 'echo "$0 $$ $XDG_RUNTIME_DIR" > "$1".new; mv "$1".new "$1"; exec sleep 600'
            program = ["sh", "-c", code, "{socket}", str(place)]
            for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                place.unlink(missing_ok=True)
                command = [str(PROGRAM), "selftest", "--seconds", "600", "--report", str(report), "--", *program]
                with Started(command, stdout=subprocess.DEVNULL) as run:
                    deadline = time.monotonic() + 120
                    while not place.exists() and time.monotonic() < deadline:
                        time.sleep(0.02)
                    socket, process, _ = place.read_text().split()
                    run.send_signal(number)
                    self.assertEqual(run.wait(60), status)
                self.assertFalse(Path(socket).parents[2].exists())
                self.assertFalse(Path(f"/proc/{process}/cwd").exists(), "the program goes on")
                self.assertIn("has not ended", report.read_text())

    def test_a_program_that_is_not_there(self) -> None:
        said = self.run_on("/nowhere/browser")
        self.assertEqual(said.returncode, 2, said)
        self.assertIn("cannot start", said.stderr)

    def test_text_names_each_way_also_of_a_program_that_leaves_its_work_to_another(self) -> None:
        code = f'(sleep 0.05; exec "{sys.executable}" "{CRAWLER}" "$1") & exit 0'
        ways = [word for way in ("link", "form-post", "image", "beacon") for word in ("--way", way)]
        command = [str(PROGRAM), "selftest", *ways, "--", "sh", "-c", code, "sh"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=550, check=False)
        self.assertEqual(said.returncode, 1, said)
        self.assertRegex(said.stdout, r"(?m)^page +LEAKED +LEAKED +link$")
        self.assertRegex(said.stdout, r"(?m)^resource +passes +LEAKED +image$")
        self.assertRegex(said.stdout, r"(?m)^resource +not tried +not tried +beacon$")
        self.assertIn("3 of 4 ways were gone, and 3 leaked; it asked nothing", said.stdout)


class Refused(unittest.TestCase):
    def test_without_a_program(self) -> None:
        said = subprocess.run([str(PROGRAM), "selftest"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(said.returncode, 64, said)
        self.assertIn("name the program", said.stderr)

    def test_a_way_that_is_none(self) -> None:
        command = [str(PROGRAM), "selftest", "--way", "lnik", "--", "true"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(said.returncode, 64, said)
        self.assertIn("there is no way `lnik`", said.stderr)
        self.assertIn("fetch-302", said.stderr)
