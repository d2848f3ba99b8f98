"""The account of a browser profile in Chromium: told, signed out and wiped (AA-02, WP-01)."""

import json
from contextlib import suppress
from pathlib import Path

from browser import Tab
from devtools import DevToolsError
from driver import Viewer

from installation import Installation
from rig.account_orders import AccountOrders
from rig.account_story import AccountBrowser, AccountCase, AccountStory


class ChromiumAccount:
    """The browser as the story wants it: each visit has a tab of its own."""

    def __init__(self, installation: Installation, account: str, downloads: Path) -> None:
        self._installation, self.downloads = installation, str(downloads)
        self.viewer = self.make_viewer(installation, account)
        self._prefix = f"chrome-extension://{installation.id}/"
        self._sessions: dict[str, str] = {}

    def make_viewer(self, installation: Installation, account: str) -> Viewer:
        return Viewer(installation, account, DownloadDirectory=self.downloads)

    def visit(self, url: str) -> None:
        self.viewer.tab = tab = self.viewer.browser.page()
        tab.devtools.send("Page.navigate", {"url": url}, tab.session)

    def shows(self, url: str) -> bool:
        with suppress(DevToolsError):
            return bool(self.viewer.tab.value("location.href + ' ' + document.title") == f"{url} home")
        return False

    def click(self, element: str) -> None:
        self.viewer.tab.value(f"document.getElementById('{element}').click()")

    def urls(self) -> list[str]:
        return [info["url"] for info in self.viewer.browser.targets()]

    def text(self, page: str) -> str:
        return "\n".join(str(text) for text in self._evaluate(page, "document.body?.innerText ?? ''"))

    def press(self, page: str, button: str) -> None:
        self._evaluate(page, f"document.getElementById('{button}').click()")

    def _evaluate(self, page: str, source: str) -> list[object]:
        devtools, values = self.viewer.browser.devtools, []
        for info in self.viewer.browser.targets():
            if not info["url"].startswith(self._prefix + page):
                continue
            # A page that goes just now says nothing.
            with suppress(DevToolsError):
                target = info["targetId"]
                if target not in self._sessions:
                    attached = devtools.call("Target.attachToTarget", {"targetId": target, "flatten": True})
                    self._sessions[target] = attached["sessionId"]
                said = devtools.call("Runtime.evaluate", {"expression": source}, self._sessions[target])
                values.append(said["result"].get("value"))
        return values

    def restate(self, account: str) -> None:
        etc = self._installation.etc(account, DownloadDirectory=self.downloads)
        for name, content in etc.items():
            self.viewer.browser.etc_file(name).write_text(json.dumps(content))

    def restart_extension(self) -> None:
        for worker in self.viewer.browser.targets("service_worker"):
            if worker["url"].startswith(self._prefix):
                self.viewer.browser.devtools.call("Target.closeTarget", {"targetId": worker["targetId"]})

    def close(self) -> None:
        self.viewer.browser.close()


class ChromiumCase(AccountCase):
    browser: ChromiumAccount

    def make_browser(self, installation: Installation, account: str, downloads: Path) -> AccountBrowser:
        return ChromiumAccount(installation, account, downloads)


class Orders(ChromiumCase, AccountOrders):
    pass


class Accounts(ChromiumCase, AccountStory):
    def test_a_home_page_is_a_button_on_our_own_pages(self) -> None:
        """AC-09."""
        home = self.site.url("/home")
        self.configure(("banner", "Welcome", False), ("homePage", home, True))
        self.reads("status.html", "Welcome")
        blocked = self._own_page()
        # It is the one notice, in the look of all others, though nobody knows any more why.
        why = "document.querySelector('main.guardAway .why').textContent"
        self.assertEqual(blocked.value(why), "Why is not known any more. Go back, and try again.")
        self.assertEqual(blocked.value("document.querySelector('bdi:last-of-type').textContent"), "explanationGone")
        self.assertEqual(blocked.value("getComputedStyle(document.querySelector('main')).maxWidth"), "608px")
        self.assertFalse(blocked.value("document.getElementById('home').hidden"))
        blocked.value("document.getElementById('home').click()")
        self.wait(lambda: blocked.value("location.href") == home, "the button leads home")
        self.configure(("homePage", "javascript:alert(1)", False))
        self.wait(lambda: "Welcome" not in self.browser.text("status.html"), "the values are read")
        self.assertTrue(self._own_page().value("document.getElementById('home').hidden"), "a script is no home page")

    def _own_page(self) -> Tab:
        page = self.browser.viewer.browser.page(f"chrome-extension://{self.installation.id}/blocked.html?none")
        ready = "document.getElementById('back')?.onclick != null"
        self.wait(lambda: page.value(ready), "the page is there")
        return page


def cases() -> list[type[AccountCase]]:
    return [Accounts, Orders]
