"""Two programs of one user, threads of one, and a daemon that lies to one."""

import signal
import tempfile
from pathlib import Path
from typing import Any, ClassVar

from cef_case import CefCase
from driver import CefDriver
from fake import FakeDaemon

from rig.case import SiteCase, numbers
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.lies import LIES, lying
from rig.policy import POLICY, BrowserConfiguration

SECOND = "com.contoso.second"
NOTICES = ["This page cannot be opened at the moment", "This page does not open here"]


def two_apps(browser: Path) -> BrowserConfiguration:
    second = POLICY.partition("apps:\n")[2].replace("com.contoso.portal", SECOND).replace("contoso-portal", "second")
    return BrowserConfiguration(browser, app=POLICY + second)


class TwoPrograms(CefCase):
    """Each of two programs is judged as its own app, with instances and viewers of its own."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return two_apps(cls.managed_browser.program)

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.second = CefDriver(cls.daemon.guard_socket, cls.style, app=SECOND)
        cls.addClassCleanup(cls.second.close)

    def test_they_are_judged_apart(self) -> None:
        drivers = {"com.contoso.portal": self.driver, SECOND: self.second}
        paths = {app: f"/of-{app}-{next(numbers)}" for app in drivers}
        for app, driver in drivers.items():
            driver.begin(WORK_VIEWER, self.site.url(paths[app], Host.BLOCKED))
            driver.begin(PRIVATE_VIEWER, self.site.url("/free" + paths[app], Host.BLOCKED))
        instances = set()
        for app, path in paths.items():
            self.driver.wait(lambda path=path: self.records.about(path), "it is asked about")
            record = self.records.about(path)[-1]
            self.assertEqual((record["app"], record["outcome"], record["viewer"]), (app, "block", "browser-1"))
            self.driver.wait(lambda path=path: self.site.was_asked("/free" + path), "the private window of each is free")
            self.assertFalse(self.site.was_asked(path))
            instances.add(record["instance"])
        self.assertEqual(len(instances), 2)

    def test_one_that_ends_leaves_the_other_guarded(self) -> None:
        third = CefDriver(self.daemon.guard_socket, self.style, app=SECOND)
        third.close()
        path = f"/behind-{next(numbers)}"
        self.second.begin(WORK_VIEWER, self.site.url(path, Host.BLOCKED))
        self.driver.wait(lambda: self.records.about(path), "it is asked about")
        self.assertFalse(self.site.was_asked(path))


class Threads(CefCase):
    """A program whose threads have handles of their own (wvg_join), under other accounts than its windows show."""

    environment: ClassVar[dict[str, str]] = {"BROWSER_PRINTS": "yes"}
    answer_ms = 400

    def heard(self) -> dict[str, list[str]]:
        """The reasons of each thread, each as often as it became another one."""
        lines = [line.split() for line in self.driver.said.read_text(errors="replace").splitlines() if "-paper " in line]
        return {name: [reason for one, reason in lines if one == name] for name in ("work-paper", "private-paper")}

    def windows_are_judged_apart(self) -> None:
        path = f"/both-{next(numbers)}"
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.driver.begin(viewer, self.site.url(path, Host.BLOCKED))
        self.driver.wait(lambda: self.site.was_asked(path), "the private window gets it")
        self.driver.wait(lambda: self.records.about(path), "the other is refused")
        self.assertEqual(len(self.site.asked(path)), 1)

    def test_none_is_judged_as_another(self) -> None:
        """While pages load, and a daemon goes and comes again: each thread hears its own answer and the contract's."""
        for _ in range(2):
            for _ in range(5):
                self.windows_are_judged_apart()
            self.daemon.stop(signal.SIGKILL)
            self.driver.wait(lambda: all(said[-1] == "noAnswer" for said in self.heard().values()), "both are refused")
            self.daemon.start()
            own = {"work-paper": "printBlocked", "private-paper": "unmanaged"}
            self.driver.wait(
                lambda own=own: {name: said[-1] for name, said in self.heard().items()} == own, "both have their own answer"
            )
        said = self.heard()
        self.assertLessEqual(set(said["work-paper"]), {"printBlocked", "noAnswer", "UnknownInstance"}, said)
        self.assertLessEqual(set(said["private-paper"]), {"unmanaged", "noAnswer", "UnknownInstance"}, said)


class Lying(SiteCase):
    """A daemon that answers nonsense is as good as none."""

    def test_nothing_is_loaded_on_its_word(self) -> None:
        """One program hears one lie after another: each costs the daemon its connection."""
        lie = [LIES[0]]
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        daemon = FakeDaemon(Path(directory.name), lying(lambda: lie[0]))
        self.addCleanup(daemon.close)
        driver = CefDriver(daemon.path, "alloy")
        self.addCleanup(driver.close)
        for lie[0] in LIES:
            with self.subTest(lie=lie[0]):
                path = f"/lie-{next(numbers)}"
                driver.begin(WORK_VIEWER, self.site.url(path))
                shown = f"{NOTICES}.includes(document.title) && document.body.innerText.includes({path!r})"
                driver.wait(lambda shown=shown: driver.value(WORK_VIEWER, shown), "the notice is shown")
                self.assertFalse(self.site.was_asked(path))


def cases() -> list[Any]:
    return [TwoPrograms, Threads, Lying]
