"""What it looks like."""

import os
from pathlib import Path

from example import ExampleDriver
from gtk_case import PRIVATE_VIEWER, STAYS, WORK_VIEWER, GtkCase
from rig.hosts import Host
from started import Started

LARGEST_PICTURE = 60_000


class Pictures(GtkCase):
    """Pictures of the whole screen, as a person would see it."""

    driver: ExampleDriver

    def test_the_notice_and_both_windows(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.driver.click(PRIVATE_VIEWER, "external")
        self.driver.wait(lambda: self.driver.title(PRIVATE_VIEWER) == "/external", "the private window is outside")
        self.show("/")
        self.driver.click(WORK_VIEWER, "external")
        self.driver.wait(lambda: self.driver.window(WORK_VIEWER).said, "the work window says where it opened")
        self.take("two-windows", "1280x300+0+0")
        self.driver.click(WORK_VIEWER, "blocked")
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == STAYS, "the notice is shown")
        self.take("block-page", "640x560+0+0")
        self.assertFalse(self.site.was_asked("/blocked"))
        self.assertNotIn(Host.BLOCKED, self.site.asked_hosts())

    def take(self, name: str, crop: str) -> None:
        """Takes a picture of a part of the screen; small, since it is kept."""
        self.driver.settle(0.5)
        wanted = os.environ.get("WEBVIEWGUARD_SCREENSHOTS")
        if wanted is None:
            return
        Path(wanted).mkdir(parents=True, exist_ok=True)
        file = Path(wanted, f"webkitgtk-{name}.png")
        small = ["-dither", "None", "-colors", "48", "-strip"]
        with Started(["import", "-window", "root", "-crop", crop, "+repage", *small, str(file)]) as taking:
            self.driver.wait(lambda: taking.poll() is not None, "the picture is taken")
        self.assertLess(file.stat().st_size, LARGEST_PICTURE)


del GtkCase
