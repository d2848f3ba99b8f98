"""Frames, hops, popups and notices of WPE, whose engine tells less of a navigation than WebKitGTK's."""

import signal
import tempfile
from pathlib import Path
from typing import Any

from driver import PRIVATE_VIEWER, WORK_VIEWER
from hidings import HIDINGS, adding
from rig.hosts import Host
from rig.records import Record
from uploads import DECEIVING, HONEST
from wpe_case import WpeCase

ADD_FRAME = "void document.body.append(Object.assign(document.createElement('iframe'), {{ src: '{url}' }}))"
CONTENT = b"x" * 100
STAYS = "This page does not open here"


class Frames(WpeCase):
    def setUp(self) -> None:
        super().setUp()
        self.before = len(self.managed_browser.opened)

    def opens_nothing(self) -> None:
        self.assertEqual(self.managed_browser.opened[self.before :], [])

    def led(self, source: str, path: str, host: Host = Host.EXTERNAL) -> dict[str, Any]:
        """Runs a script in the work page, and returns what was decided of its URL."""
        self.show("/")
        self.driver.script(WORK_VIEWER, source.format(url=self.site.url(path, host)))
        self.driver.wait(lambda: self.records.about(path), f"{path} is decided")
        return dict(self.records.about(path)[-1])

    def test_what_a_frame_loads_is_of_no_known_frame_and_opens_no_browser(self) -> None:
        record = self.led(ADD_FRAME, "/in-a-frame")
        self.assertEqual((record.get("frame"), record["outcome"]), (None, "block"))
        self.driver.wait(lambda: self.driver.person.said, "the program is told why")
        self.assertNotEqual(self.driver.title(WORK_VIEWER), STAYS)
        self.opens_nothing()

    def test_a_hop_of_a_frame_does_not_pass_for_one_of_the_page(self) -> None:
        goal = self.site.url("/framed-goal", Host.EXTERNAL)
        self.show("/")
        self.driver.script(WORK_VIEWER, ADD_FRAME.format(url=self.site.url(f"/302?to={goal}")))
        self.driver.wait(lambda: self.records.about("/framed-goal"), "the hop is decided")
        record = self.records.about("/framed-goal")[-1]
        self.assertEqual((record.get("frame"), record["outcome"]), (None, "block"))
        self.assertFalse(self.site.was_asked("/framed-goal"))
        self.opens_nothing()

    def test_a_page_without_frames_is_known(self) -> None:
        """What its script leads to goes where the policy says, as a link does."""
        for number, source in enumerate((
            "location.href = '{url}'",
            "Object.assign(document.body.appendChild(document.createElement('a')), {{ href: '{url}' }}).click()",
            "Object.assign(document.body.appendChild(document.createElement('form')), {{ action: '{url}' }}).submit()",
        )):  # fmt: skip
            path = f"/by-script-{number}"
            with self.subTest(source):
                record = self.led(f"void ({source})", path)
                self.assertEqual((record.get("frame"), record["outcome"]), ("main", "redirect"))
                self.assertTrue(record["from"].startswith(self.site.url("/")), record)
                self.assertFalse(self.site.was_asked(path))

    def kind(self, path: str) -> str | None:
        self.driver.wait(lambda: self.records.about(path), f"{path} is decided")
        frame = self.records.about(path)[-1].get("frame")
        return None if frame is None else str(frame)

    def test_a_frame_is_never_taken_for_its_page(self) -> None:
        for number, (name, hides) in enumerate(HIDINGS.items()):
            with self.subTest(name):
                self.show("/")
                self.driver.script(WORK_VIEWER, f"void {adding(f'/hidden-{number}', hides)}")
                self.assertIsNone(self.kind(f"/hidden-{number}"))

    def test_a_frame_in_a_closed_shadow_is_known_as_soon_as_it_is_there(self) -> None:
        """And when its page is gone back to; the page behind it is alone."""
        title = "kept.contentDocument?.title"
        closed, keeps = "host.attachShadow({ mode: 'closed' }).append(frame)", "window.kept = frame"
        self.show("/")
        self.driver.script(WORK_VIEWER, f"void {adding('/closed', closed, keeps)}")
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, title) == "/closed", "it is there")
        self.driver.script(WORK_VIEWER, "void (kept.contentWindow.location = '/closed-second')")
        self.assertIsNone(self.kind("/closed-second"))
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, title) == "/closed-second", "it is led")
        self.leave_for("/behind-closed", WORK_VIEWER)
        self.assertIsNone(self.kind("/behind-closed"))
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == "/behind-closed", "the page behind it is there")
        self.driver.script(WORK_VIEWER, "void history.back()")
        is_back = "window.kept && kept.isConnected"
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, is_back), "it is gone back to")
        self.driver.script(WORK_VIEWER, "void (kept.contentWindow.location = '/closed-third')")
        self.assertIsNone(self.kind("/closed-third"))

    def test_a_page_behind_one_with_frames_is_known(self) -> None:
        self.show("/")
        self.driver.script(WORK_VIEWER, ADD_FRAME.format(url=self.site.url("/some-frame")))
        self.driver.wait(lambda: self.site.was_asked("/some-frame"), "it has a frame")
        self.show("/behind-frames")
        self.leave_for("/led-behind-frames", WORK_VIEWER)
        self.assertEqual(self.kind("/led-behind-frames"), "main")

    def test_private_life_is_free(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.driver.click(PRIVATE_VIEWER, "external")
        self.driver.wait(lambda: self.driver.title(PRIVATE_VIEWER) == "/external", "the external page is shown")


class Notices(WpeCase):
    def test_it_stands_in_place_of_the_page_and_names_it(self) -> None:
        self.show("/")
        self.driver.begin(WORK_VIEWER, self.site.url("/blocked-page", Host.BLOCKED))
        self.until_notice("/blocked-page")
        self.assertFalse(self.site.was_asked("/blocked-page"))


class Downloads(WpeCase):
    """This engine wants a file's place at once, and is not made to wait with the views."""

    def setUp(self) -> None:
        super().setUp()
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        self.driver.person.asked_for(place=directory.name)
        self.addCleanup(self.driver.person.asked_for)

    def download(self, viewer: str) -> list[Record]:
        self.show("/", viewer)
        self.driver.click(viewer, "download-internal")
        self.until_asked("download", viewer=viewer)
        self.driver.settle()
        return self.asked("download")

    def test_a_managed_file_is_not_kept_in_any_place(self) -> None:
        self.assertEqual(self.download(WORK_VIEWER)[-1]["outcome"], "block")
        self.assertEqual(list(self.place.iterdir()), [])
        self.show("/still-there")

    def test_a_private_one_is(self) -> None:
        self.download(PRIVATE_VIEWER)
        file = self.place / "plan.bin"
        self.driver.wait(lambda: file.exists() and file.read_bytes() == CONTENT, "the file is there")

    def test_a_name_turns_no_letters_round(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.leave_for(DECEIVING, PRIVATE_VIEWER)
        self.driver.wait(lambda: [file.name for file in self.place.iterdir()] == [HONEST], f"`{HONEST}` is there")

    def test_a_place_that_nobody_names_is_none(self) -> None:
        self.driver.person.asked_for()
        asked = self.download(PRIVATE_VIEWER)
        self.assertEqual((len(asked), list(self.place.iterdir())), (1, []), "no place is judged")
        self.show("/still-there", PRIVATE_VIEWER)

    def test_many_at_once(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        # A page has one navigation at a time, and each frame has one of its own.
        for name in "abcd":
            add = ADD_FRAME.format(url=self.site.url(f"/file/{name}.bin"))
            self.driver.script(PRIVATE_VIEWER, add)
        names = {f"{name}.bin" for name in "abcd"}
        self.driver.wait(lambda: {file.name for file in self.place.iterdir()} >= names, "all are there")

    def test_without_the_daemon_nothing_is_kept(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.daemon.stop(signal.SIGKILL)
        before = len(self.site.asked("/file/plan.bin"))
        self.driver.click(PRIVATE_VIEWER, "download-internal")
        self.until_notice("/file/plan.bin", PRIVATE_VIEWER)
        self.assertEqual(list(self.place.iterdir()), [])
        self.assertEqual(len(self.site.asked("/file/plan.bin")), before)


def cases() -> list[Any]:
    return [Frames, Notices, Downloads]
