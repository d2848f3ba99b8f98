"""A headless Chromium without a network, in name spaces and a directory of its own."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType

from devtools import DevTools, DevToolsError, Page

PROGRAM = "chromium"
END_SECONDS = 20.0

FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-quic", "--disable-in-process-stack-traces",
    "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable", "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip

# Bash, since the browser wants its pipes as descriptors 3 and 4, and ours have two digits.
# The browser runs a program for a scheme that it does not know: here that program is `true`.
LAUNCH = """
set -e
ulimit -c 0
directory=$1; reading=$2; writing=$3; shift 3
mount -t tmpfs none /etc/chromium
mkdir -p /etc/chromium/policies/managed
mount --bind "$directory/policies" /etc/chromium/policies/managed
export PATH="$directory/bin:$PATH" HOME="$directory/home"
exec "$@" 3<&"$reading" 4>&"$writing"
"""


class Chromium:
    """The browser with a fresh profile. Leaving the block ends it and all its processes, and removes its directory.

    Its name spaces have no network, and an `/etc/chromium` of their own: policies are written to `policies` and the
    machine's are neither read nor changed.
    """

    def __init__(self, *flags: str) -> None:
        self._flags = flags
        if shutil.which(PROGRAM) is None:
            raise DevToolsError("chromium is not installed: `scripts/install-dependencies --for-oracle` installs it")
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-oracle-"))
        self.policies = self.directory / "policies"
        for name in ("policies", "bin", "home", "profile"):
            (self.directory / name).mkdir()
        for name in ("xdg-open", "xdg-email"):
            (self.directory / "bin" / name).symlink_to("/bin/true")
        self._said = self.directory / "stderr"

    def __enter__(self) -> "Chromium":
        try:
            self._start()
            self.version: str = self.devtools.call("Browser.getVersion")["product"]
        except DevToolsError as error:
            said = self._said.read_text(errors="replace")[-2000:]
            self._end()
            raise DevToolsError(f"{error}; Chromium said: {said}") from error
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end()

    def page(self, url: str = "about:blank") -> Page:
        return Page(self.devtools, url)

    def set_policies(self, policies: dict[str, object]) -> None:
        """Writes the managed policies. The browser reads them when it starts or is told to."""
        new = self.policies / "oracle.new"
        new.write_text(json.dumps(policies))
        new.replace(self.policies / "oracle.json")

    def _start(self) -> None:
        to_read, to_write = os.pipe(), os.pipe()
        command = [*self._name_spaces(), "bash", "-c", LAUNCH, "bash", str(self.directory)]
        command += [str(to_read[0]), str(to_write[1]), PROGRAM]
        command += [*FLAGS, *self._flags, f"--user-data-dir={self.directory}/profile"]
        with open(self._said, "wb") as said:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, pass_fds=(to_read[0], to_write[1])
            )
        os.close(to_read[0])
        os.close(to_write[1])
        self.devtools = DevTools(to_write[0], to_read[1])

    @staticmethod
    def _name_spaces() -> list[str]:
        own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        return ["unshare", *own, "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]

    def _end(self) -> None:
        process = getattr(self, "_process", None)
        if process is not None:
            # The signal reaches `unshare`; its end kills the first process of the name space and so all the others.
            process.kill()
            process.wait(END_SECONDS)
            self.devtools.close(END_SECONDS)
        self._remove_directory()

    def _remove_directory(self) -> None:
        """Again while a process that is just ending still writes."""
        deadline = time.monotonic() + END_SECONDS
        while self.directory.exists() and time.monotonic() < deadline:
            shutil.rmtree(self.directory, ignore_errors=True)
            time.sleep(0.02)
