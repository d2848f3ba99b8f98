"""Sign-in in WPE: see rig/webkit/signing_in.py. The browser is a process of its own, and the session's agent serves it."""

from typing import Any, ClassVar

import signing_in
from driver import WpeDriver
from rig.policy import WORK
from rig.sign_in import EVIL, START


class SigningInToEntra(signing_in.SigningIn):
    driver: ClassVar[WpeDriver]

    @classmethod
    def begin_browser(cls) -> None:
        cls.driver = WpeDriver(cls.daemon.guard_socket, WORK, WORK, cls.begin_tunnel(), runtime=cls.runtime())
        cls.addClassCleanup(cls.driver.close)
        cls.driver.wait(lambda: cls.driver.call("connected"), "the browser has found the daemon")

    @property
    def problems(self) -> list[str]:  # type: ignore[override]
        return self.driver.person.problems

    def lead(self, url: str, viewer_class: str) -> None:
        # This engine loses a page that is loaded while another one arrives (docs/embedding.md).
        self.wait(lambda: not self.driver.call("loading", viewer_class), "the page before has come")
        self.driver.begin(viewer_class, url)

    def script(self, source: str) -> None:
        self.driver.script("documents", f"void ({source})")

    def reload(self) -> None:
        self.driver.call("reload", "documents")

    def is_shown(self, mark: str) -> bool:
        return mark in self.driver.call("uri", "documents") and not self.driver.call("loading", "documents")

    def test_a_link_that_the_person_clicks_gets_it(self) -> None:
        self.go(f"https://{EVIL}/before", "/before")
        self.until_shown("/before")
        self.script(f"document.body.innerHTML = '<a id=link href=\"{START}by-hand\">link</a>'")
        self.driver.click("documents", "link")
        self.wait(lambda: self.site.credentials("nonce=by-hand"), "the sign-in page comes")
        self.is_alone(("nonce=by-hand", "made-for-by-hand"))


def cases() -> list[Any]:
    return [SigningInToEntra]
