"""What the windows of the example say and offer, and the example as it is started from a shell."""

import os
import subprocess
import sys

from example import ExampleDriver
from gtk_case import PRIVATE_VIEWER, STAYS, WORK_VIEWER, GtkCase
from rig import ROOT
from rig.hosts import Host
from rig.policy import PERSONAL
from started import Started
from window import Window

ADD_FRAME = "void document.body.append(Object.assign(document.createElement('iframe'), { src: 'URL' }))"


class WindowCase(GtkCase):
    driver: ExampleDriver

    def window(self, viewer: str = WORK_VIEWER) -> Window:
        return self.driver.window(viewer)


class Line(WindowCase):
    def test_it_offers_to_open_what_a_frame_may_not_show(self) -> None:
        self.show("/")
        url = self.site.url("/in-a-frame", Host.EXTERNAL)
        self.driver.script(WORK_VIEWER, ADD_FRAME.replace("URL", url))
        self.driver.wait(lambda: self.window().said and self.window().offer.get_visible(), "the window offers it")
        self.assertNotEqual(self.driver.title(WORK_VIEWER), STAYS)
        self.assertEqual(self.managed_browser.opened, [])
        self.window().offer.emit("clicked")
        self.driver.wait(lambda: self.managed_browser.opened, "the browser opens")
        self.assertEqual(self.managed_browser.opened, [url])
        self.assertEqual(self.window().said, "", "it is said no longer")

    def test_it_says_what_opened_elsewhere_and_goes_with_the_page(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "external")
        self.driver.wait(lambda: "Opened elsewhere: " in self.window().said, "the window says where")
        self.assertEqual(self.window(PRIVATE_VIEWER).said, "")
        self.show("/")
        self.assertEqual(self.window().said, "")

    def test_buttons_ask_like_the_page(self) -> None:
        self.show("/")
        for button, event in (("Print", "print"), ("Picture of the page", "capture")):
            self.press(button)
            self.until_asked(event)

    def press(self, tip: str) -> None:
        import toolkit

        buttons = toolkit.children(self.window().toolbar)
        next(button for button in buttons if button.get_tooltip_text() == tip).emit("clicked")


class TheProgram(GtkCase):
    """The example as it is started from a shell."""

    def test_it_asks_about_its_first_page_and_ends_when_told(self) -> None:
        path = str(ROOT / "clients/python/src")
        command = [sys.executable, str(ROOT / "examples/webkitgtk/browser.py"), "--private", PERSONAL]
        command += ["--socket", str(self.daemon.guard_socket), self.site.url("/program")]
        with Started(command, env=os.environ | {"PYTHONPATH": path}, stderr=subprocess.DEVNULL) as program:
            try:
                self.driver.wait(lambda: len(self.site.asked("/program")) == 2, "both windows show the page", 30)
            finally:
                program.terminate()
            self.assertEqual(program.wait(timeout=30), 0)
        asked = {record["viewer"]: record["reason"] for record in self.asked("navigate")}
        self.assertEqual(asked, {"work": "internal", "private": "unmanaged"})


del GtkCase, WindowCase
