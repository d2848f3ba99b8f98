"""A Firefox with the extension, in a home of its own; headless where there is no display."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from marionette import Marionette, MarionetteError

from daemon import eventually

PROGRAM = "firefox-esr"
START_SECONDS = 60.0
END_SECONDS = 20.0
HOST = "org.webviewguard.host"
EXTENSION = "guard@webviewguard.org"
# The address of the extension's own pages, which Firefox would else choose by chance.
UUID = "2f4e3f5e-6f3b-4a40-8b0a-6a4c2b7b9e01"

PREFERENCES = {
    "marionette.port": 0,
    # What is installed for a test only keeps its storage from one start to the next, as an installed one does.
    "extensions.webextensions.keepStorageOnUninstall": True,
    "extensions.webextensions.keepUuidOnUninstall": True,
    "extensions.webextensions.uuids": json.dumps({EXTENSION: UUID}),
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.tabs.warnOnClose": False,
    "browser.aboutwelcome.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False,
    "app.normandy.enabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.localDomains": "blocked.localhost,tracker.localhost,login.localhost",
    "dom.disable_open_during_load": False,
    "dom.disable_beforeunload": True,
    "browser.download.useDownloadDir": True,
    "dom.security.https_first": False,
    "network.lna.enabled": False,
    "privacy.trackingprotection.enabled": False,
}  # fmt: skip

# All tabs of all windows: what they show, and under which title.
TABS = """
return [...Services.wm.getEnumerator("navigator:browser")].flatMap(window =>
  [...window.gBrowser.tabs].map(tab => [tab.linkedBrowser.currentURI.spec, tab.label]));
"""
CLOSE_OTHERS = """
const [kept] = arguments;
for (const window of [...Services.wm.getEnumerator("navigator:browser")])
  for (const tab of [...window.gBrowser.tabs])
    if (!kept.includes(tab.linkedBrowser.browserId)) window.gBrowser.removeTab(tab);
"""
IDS = """
return [...Services.wm.getEnumerator("navigator:browser")].flatMap(window =>
  [...window.gBrowser.tabs].map(tab => tab.linkedBrowser.browserId));
"""


class Firefox:
    """The browser with a fresh profile; `close` ends it and removes its home."""

    def __init__(self, host: dict[str, Any], settings: dict[str, str], **preferences: Any) -> None:
        if shutil.which(PROGRAM) is None:
            raise MarionetteError("firefox-esr is not installed")
        self.home = Path(tempfile.mkdtemp(prefix="wvg-firefox-"))
        self._write(".mozilla/native-messaging-hosts", HOST, host)
        self.settings(settings)
        self.profile = self.home / "profile"
        self.profile.mkdir()
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in (PREFERENCES | preferences).items())
        (self.profile / "user.js").write_text("".join(lines))
        self._start()

    def settings(self, settings: dict[str, str]) -> None:
        """What the administrator sets for the extension from the browser's next start on."""
        managed = {"name": EXTENSION, "description": "the administrator's", "type": "storage", "data": settings}
        self._write(".mozilla/managed-storage", EXTENSION, managed)

    def _write(self, directory: str, name: str, content: dict[str, Any]) -> None:
        file = self.home / directory / f"{name}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content))

    def _start(self) -> None:
        command = [PROGRAM, "--marionette", "--remote-allow-system-access", "--no-remote"]
        command += [] if "DISPLAY" in os.environ else ["--headless"]
        command += ["--new-instance", "--profile", str(self.profile), "about:blank"]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environment |= {"HOME": str(self.home), "MOZ_CRASHREPORTER_DISABLE": "1", "MOZ_DISABLE_CONTENT_SANDBOX": "1"}
        with open(self.home / "said", "wb") as said:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment, start_new_session=True
            )
        try:
            port = eventually(self._port, "Firefox starts", START_SECONDS)
            self.marionette = Marionette(port)
        except Exception:
            self.close()
            raise

    def _port(self) -> int:
        file = self.profile / "MarionetteActivePort"
        text = file.read_text() if file.exists() else ""
        return int(text) if text.strip() else 0

    @property
    def version(self) -> str:
        return f"Firefox {self.marionette.capabilities['browserVersion']}"

    def install(self, directory: Path) -> None:
        """Installs the extension until the browser ends."""
        self.marionette.call("Addon:Install", path=str(directory), temporary=True)

    def tabs(self) -> list[list[str]]:
        """What each tab shows, and its title."""
        return list(self.marionette.chrome(TABS))

    def said(self) -> str:
        return (self.home / "said").read_text(errors="replace")

    def restart(self) -> None:
        """Ends the browser as a person does, and starts it with the same profile. The extension is to be installed again."""
        self.marionette.call("Marionette:Quit", flags=["eForceQuit"])
        self._process.wait(START_SECONDS)
        self._end()
        (self.profile / "MarionetteActivePort").unlink(missing_ok=True)
        self._start()

    def _end(self) -> None:
        marionette = getattr(self, "marionette", None)
        if marionette is not None:
            marionette.close()
        if self._process.poll() is None:
            os.killpg(self._process.pid, 9)
        self._process.wait(END_SECONDS)

    def close(self) -> None:
        self._end()
        eventually(self._is_removed, "the home is removed", END_SECONDS)

    def _is_removed(self) -> bool:
        """Again while a process that is just ending still writes."""
        shutil.rmtree(self.home, ignore_errors=True)
        return not self.home.exists()
