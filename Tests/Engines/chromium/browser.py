"""A Chromium with the extension, in a name space and a directory of its own; headless where there is no display."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/Oracle"))

from devtools import DevTools, DevToolsError, Message, Page  # noqa: E402

PROGRAM = "chromium"
END_SECONDS = 20.0

FLAGS = (
    "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--no-first-run", "--no-default-browser-check", "--disable-component-update", "--disable-sync", "--disable-quic",
    "--disable-in-process-stack-traces", "--window-size=1000,700", "--lang=en",
    "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,DownloadBubble,LocalNetworkAccessChecks",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost , EXCLUDE *.localhost",
)  # fmt: skip

# Bash, since the browser wants its pipes as descriptors 3 and 4, and ours have two digits.
# `/etc/chromium` is the test's own: what the machine has there is neither read nor changed, however the test ends.
LAUNCH = """
set -e
ulimit -c 0
directory=$1; reading=$2; writing=$3; shift 3
mount -t tmpfs none /etc/chromium
cp -r "$directory/etc/." /etc/chromium
export HOME="$directory/home"
exec "$@" 3<&"$reading" 4>&"$writing"
"""


class Chromium:
    """The browser with a fresh profile; `close` ends it and all its processes, and removes its directory."""

    def __init__(self, etc: dict[str, Any], *flags: str, profile: dict[str, Any] | None = None) -> None:
        """`etc` holds files for `/etc/chromium`, `profile` for the profile, by name."""
        if shutil.which(PROGRAM) is None:
            raise DevToolsError("chromium is not installed")
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-chromium-"))
        for name in ("home", "profile", "etc"):
            (self.directory / name).mkdir()
        files = [("etc", *file) for file in etc.items()] + [("profile", *file) for file in (profile or {}).items()]
        for place, name, content in files:
            file = self.directory / place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(content))
        self._said = self.directory / "stderr"
        self._start(flags)
        self.version: str = self.devtools.call("Browser.getVersion")["product"]

    def _start(self, flags: tuple[str, ...]) -> None:
        to_read, to_write = os.pipe(), os.pipe()
        own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        command = ["unshare", *own, "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        command += ["bash", "-c", LAUNCH, "bash", str(self.directory), str(to_read[0]), str(to_write[1]), PROGRAM]
        shown = () if "DISPLAY" in os.environ else ("--headless=new",)
        command += [*shown, *FLAGS, *flags, f"--user-data-dir={self.directory}/profile", "about:blank"]
        with open(self._said, "wb") as said:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, pass_fds=(to_read[0], to_write[1])
            )
        os.close(to_read[0])
        os.close(to_write[1])
        self.devtools = DevTools(to_write[0], to_read[1])

    def etc_file(self, name: str) -> Path:
        """A file of the browser's own `/etc/chromium`."""
        return Path(f"/proc/{self._process.pid}/root/etc/chromium") / name

    def said(self) -> str:
        return self._said.read_text(errors="replace")

    def targets(self, kind: str = "page") -> list[Message]:
        """The browser's pages, or its targets of another kind such as `service_worker`."""
        infos: list[Message] = self.devtools.call("Target.getTargets")["targetInfos"]
        return [info for info in infos if info["type"] == kind]

    def page(self, url: str = "about:blank") -> "Tab":
        return Tab(self.devtools, url)

    def close(self) -> None:
        # The signal reaches `unshare`; its end kills the first process of the name space and so all the others.
        self._process.kill()
        self._process.wait(END_SECONDS)
        self.devtools.close(END_SECONDS)
        deadline = time.monotonic() + END_SECONDS
        while self.directory.exists() and time.monotonic() < deadline:
            shutil.rmtree(self.directory, ignore_errors=True)
            time.sleep(0.02)


class Tab(Page):
    """A tab that is clicked and typed into."""

    def __init__(self, devtools: DevTools, url: str = "about:blank") -> None:
        super().__init__(devtools, url)
        info = devtools.call("Target.getTargetInfo", session=self.session)["targetInfo"]
        self.target: str = info["targetId"]

    def call(self, method: str, **parameters: Any) -> Message:
        return self.devtools.call(method, parameters, self.session)

    def value(self, script: str, **more: Any) -> Any:
        """The value of an expression; a promise is waited for."""
        parameters = {"expression": script, "returnByValue": True, "awaitPromise": True, "userGesture": True, **more}
        result = self.devtools.call("Runtime.evaluate", parameters, self.session)
        if "exceptionDetails" in result:
            raise DevToolsError(f"the script failed: {json.dumps(result['exceptionDetails'])[:400]}")
        return result["result"].get("value")

    def mouse(self, kind: str, x: float, y: float, button: str = "left", **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1, **more)

    def key(self, letter: str, command: str) -> None:
        """A key with the control key held; `command` is what the browser's own window would make of it."""
        code = {"key": letter, "code": f"Key{letter.upper()}", "windowsVirtualKeyCode": ord(letter.upper()), "modifiers": 2}
        self.call("Input.dispatchKeyEvent", type="rawKeyDown", commands=[command], **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", **code)
