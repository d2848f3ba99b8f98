"""A daemon that answers nonsense, for the browser of each rig."""

import tempfile
from pathlib import Path
from typing import Any, ClassVar

from fake import FakeDaemon
from rig.case import SiteCase
from rig.driver import WORK_VIEWER
from rig.lies import LIES, lying


class Lying(SiteCase):
    """A daemon that answers nonsense is as good as none."""

    driver_type: ClassVar[Any]

    def lies(self, lie: dict[str, Any]) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        daemon = FakeDaemon(Path(directory.name), lying(lambda: lie))
        self.addCleanup(daemon.close)
        driver = self.driver_type(daemon.path)
        self.addCleanup(driver.close)
        path = f"/lie-{id(lie)}"
        driver.begin(WORK_VIEWER, self.site.url(path))
        text = "document.body ? document.body.innerText : ''"
        driver.wait(lambda: path in str(driver.script(WORK_VIEWER, text)), "the notice is shown")
        self.assertFalse(self.site.was_asked(path))

    def test_nothing_is_loaded_on_its_word(self) -> None:
        for lie in LIES:
            with self.subTest(lie):
                self.lies(lie)
