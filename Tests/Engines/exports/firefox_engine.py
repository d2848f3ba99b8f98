"""Firefox: the export is its policy, and it navigates through a proxy."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, ClassVar

import cases
from cases import PAGE, Request
from engine_case import EngineCase, with_rules
from recording_proxy import RecordingProxy

HERE = Path(__file__).resolve().parent
PROGRAM = "firefox-esr"
START_SECONDS = 60.0
END_SECONDS = 20.0

# The extension that is asked which managed storage it has, and the address of its pages.
STORAGE_EXTENSION = "portal@contoso.com"
EXTENSION_UUID = "0c6a5c5e-7f0e-4f3c-9a7e-3f1f6a6d2b11"

PREFERENCES = """
user_pref("marionette.port", {port});
user_pref("extensions.webextensions.uuids", {uuids});
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", {proxy});
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", {proxy});
user_pref("network.proxy.no_proxies_on", "");
user_pref("network.proxy.allow_hijacking_localhost", true);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("dom.security.https_first", false);
user_pref("app.update.enabled", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
"""

# The policy is looked for where all users' is, so the browser gets a view of that place of its own.
LAUNCH = """
set -e
ulimit -c 0
mount -t tmpfs none /usr/share/firefox-esr/distribution
cp "$1" /usr/share/firefox-esr/distribution/policies.json
shift
exec "$@"
"""


class Marionette:
    """Firefox's own remote control: messages with their length before them."""

    def __init__(self, port: int) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self._socket = socket.create_connection(("127.0.0.1", port), timeout=START_SECONDS)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        self._stream = self._socket.makefile("rb")
        self._last = 0
        self._read()

    def call(self, name: str, **parameters: Any) -> Any:
        """The result of a command; an error of the browser's is raised with its words."""
        self._last += 1
        text = json.dumps([0, self._last, name, parameters])
        self._socket.sendall(f"{len(text)}:{text}".encode())
        _, _, error, result = self._read()
        if error:
            raise RuntimeError(error["message"])
        return result

    def _read(self) -> Any:
        length = b""
        while (byte := self._stream.read(1)) != b":":
            if not byte:
                raise RuntimeError("the browser has ended")
            length += byte
        return json.loads(self._stream.read(int(length)))

    def close(self) -> None:
        self._stream.close()
        self._socket.close()


# The same for the manifests of managed storage.
LAUNCH_WITH_STORAGE = f"""
set -e
ulimit -c 0
mount -t tmpfs none /usr/lib/mozilla
mkdir /usr/lib/mozilla/managed-storage
cp "$1" "/usr/lib/mozilla/managed-storage/{STORAGE_EXTENSION}.json"
shift
exec "$@"
"""


class Firefox:
    """The browser with a fresh profile under one policy. Leaving the block ends it."""

    launch: ClassVar[str] = LAUNCH

    def __init__(self, policy: str, proxy: int) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="wvg-firefox-"))
        profile = self._directory / "profile"
        profile.mkdir()
        port = _free_port()
        uuids = json.dumps({STORAGE_EXTENSION: EXTENSION_UUID})
        (profile / "user.js").write_text(PREFERENCES.format(port=port, proxy=proxy, uuids=json.dumps(uuids)))
        (self._directory / "policies.json").write_text(policy)
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        command += ["bash", "-c", self.launch, "bash", str(self._directory / "policies.json"), PROGRAM, "--headless"]
        command += ["--marionette", "--no-remote", "--remote-allow-system-access", "--profile", str(profile)]
        environment = {**os.environ, "HOME": str(self._directory), "MOZ_DISABLE_AUTO_SAFE_MODE": "1"}
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, env=environment)
        self.remote = Marionette(port)
        self.remote.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})

    def is_stopped(self, url: str) -> bool:
        """Navigates. What the policy stops ends on a page of the browser's, which is reported as an error."""
        # A fragment of the page before would be no navigation.
        self.remote.call("WebDriver:Navigate", url="about:blank")
        try:
            self.remote.call("WebDriver:Navigate", url=url)
        except RuntimeError as error:
            if "has ended" in str(error):
                raise
            return "blockedByPolicy" in str(error)
        return False

    def close(self) -> None:
        self.remote.close()
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(END_SECONDS)
        shutil.rmtree(self._directory, ignore_errors=True)


class StorageFirefox(Firefox):
    """The browser under a manifest of managed storage in place of a policy."""

    launch = LAUNCH_WITH_STORAGE


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@unittest.skipIf(os.geteuid() != 0, "a policy of Firefox's belongs to the machine: run as root")
@with_rules
class WebsiteFilterTests(EngineCase):
    """A browser for each policy, since it reads one when it starts. What is not stopped is answered by a proxy."""

    engine = "firefox-policy"
    kinds = (PAGE,)
    proxy: ClassVar[RecordingProxy]

    @classmethod
    def setUpClass(cls) -> None:
        directory = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="wvg-proxy-"))
        cls.proxy = RecordingProxy(Path(directory))
        cls.addClassCleanup(cls.proxy.close)

    def test_every_hop_of_a_redirect_is_looked_at(self) -> None:
        """The first hop may be visited, the second may not."""
        document, _ = cases.export(HERE / "rules" / "hosts.yaml", self.engine)
        browser = Firefox(document, self.proxy.port)
        try:
            self.assertFalse(browser.is_stopped("http://evil.test/go?http://evil.test/"))
            self.assertTrue(browser.is_stopped("http://evil.test/go?http://contoso.test/"))
        finally:
            browser.close()

    def stopped(self, document: str, requests: list[Request]) -> list[bool]:
        browser = Firefox(document, self.proxy.port)
        try:
            return [browser.is_stopped(request.url) for request in requests]
        finally:
            browser.close()
