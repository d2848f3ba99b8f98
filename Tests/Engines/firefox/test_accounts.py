"""The account of a browser profile in Firefox: told, signed out and wiped (AA-02, WP-01)."""

from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from browser import EXTENSION, UUID
from driver import Viewer
from marionette import MarionetteError

from installation import Installation
from rig.account_orders import AccountOrders
from rig.account_story import AccountBrowser, AccountCase, AccountStory

PREFIX = f"moz-extension://{UUID}/"
KILL_BACKGROUND = """
const [id] = arguments;
const how = { ignoreDevToolsAttached: true, disableResetIdleForTest: true };
return WebExtensionPolicy.getByID(id).extension.terminateBackground(how).then(() => true);
"""


class FirefoxAccount:
    """The browser as the story wants it: each visit has a tab of its own."""

    def __init__(self, installation: Installation, account: str, downloads: Path) -> None:
        self._installation = installation
        self.viewer = Viewer(installation, account, {"browser.download.folderList": 2, "browser.download.dir": str(downloads)})
        self._tab = self.viewer.tab

    def visit(self, url: str) -> None:
        marionette = self.viewer.marionette
        marionette.call("WebDriver:SwitchToWindow", handle=self._handles()[0], focus=False)
        self._tab = marionette.call("WebDriver:NewWindow", type="tab", focus=True)["handle"]
        marionette.call("WebDriver:SwitchToWindow", handle=self._tab, focus=True)
        marionette.call("WebDriver:Navigate", url=url)

    def _handles(self) -> list[str]:
        return list(self.viewer.marionette.call("WebDriver:GetWindowHandles"))

    def shows(self, url: str) -> bool:
        with suppress(MarionetteError):
            self.viewer.marionette.call("WebDriver:SwitchToWindow", handle=self._tab, focus=True)
            return bool(self.viewer.marionette.script("return location.href + ' ' + document.title") == f"{url} home")
        return False

    def click(self, element: str) -> None:
        self.viewer.marionette.call("WebDriver:SwitchToWindow", handle=self._tab, focus=True)
        self.viewer.marionette.script(f"document.getElementById('{element}').click()")

    def urls(self) -> list[str]:
        return [url for url, _ in self.viewer.browser.tabs()]

    def text(self, page: str) -> str:
        return "\n".join(str(text) for text in self._run(page, "return document.body?.innerText ?? ''"))

    def press(self, page: str, button: str) -> None:
        self._run(page, f"document.getElementById('{button}').click()")

    def _run(self, page: str, source: str) -> list[object]:
        marionette, values = self.viewer.marionette, []
        for handle in self._handles():
            # A page that goes just now says nothing.
            with suppress(MarionetteError):
                marionette.call("WebDriver:SwitchToWindow", handle=handle, focus=False)
                if str(marionette.script("return location.href")).startswith(PREFIX + page):
                    values.append(marionette.script(source))
        return values

    def restate(self, account: str) -> None:
        """Firefox reads managed storage once, so it starts again, with the same profile."""
        self.viewer.restart(account)

    def restart_extension(self) -> None:
        marionette = self.viewer.marionette
        marionette.call("WebDriver:SwitchToWindow", handle=self._handles()[0], focus=False)
        marionette.chrome(KILL_BACKGROUND, EXTENSION)

    def close(self) -> None:
        self.viewer.browser.close()


class FirefoxCase(AccountCase):
    unreachable: ClassVar[dict[str, str]] = {
        "caches": "`browsingData` has no word for Cache Storage",
        "files": "`browsingData` has no word for the files of sites",
    }
    # So nobody can say that nothing is left.
    wiped: ClassVar[str] = "failed"

    def make_browser(self, installation: Installation, account: str, downloads: Path) -> AccountBrowser:
        return FirefoxAccount(installation, account, downloads)


class Accounts(FirefoxCase, AccountStory):
    # Firefox leaves one of the letters out.
    named = "cod_gpj___s.exe"


class Orders(FirefoxCase, AccountOrders):
    pass


def cases() -> list[type[AccountCase]]:
    return [Accounts, Orders]
