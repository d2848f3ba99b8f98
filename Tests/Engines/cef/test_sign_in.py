"""Sign-in in CEF: see rig/sign_in.py."""

from typing import Any, ClassVar

from driver import CefDriver

from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.policy import WORK
from rig.sign_in import CLASSES, SigningInToEntra

VIEWERS = dict(zip(CLASSES, (WORK_VIEWER, PRIVATE_VIEWER), strict=True))


class Entra(SigningInToEntra):
    style: ClassVar[str] = "alloy"
    driver: ClassVar[CefDriver]

    @classmethod
    def begin_browser(cls) -> None:
        rules = f"--host-resolver-rules={cls.host_rules()}"
        cls.driver = CefDriver(
            cls.daemon.guard_socket, cls.style, rules, "--ignore-certificate-errors",
            second=(WORK, CLASSES[1]), environment=cls.environment(),
        )  # fmt: skip
        cls.addClassCleanup(cls.driver.close)

    def tearDown(self) -> None:
        """The program's own handler of requests never sees a credential."""
        self.assertNotIn("is confused", self.driver.said.read_text(errors="replace"))

    def lead(self, url: str, viewer_class: str) -> None:
        self.driver.begin(VIEWERS[viewer_class], url)


class ChromeEntra(Entra):
    style = "chrome"


def cases() -> list[Any]:
    return [Entra, ChromeEntra]
