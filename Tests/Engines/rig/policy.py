"""The configuration under which browsers are tested, and the program that stands for the managed browser."""

import os
from pathlib import Path

from configuration import PERSONAL, WORK, Configuration

from rig.hosts import RULES

__all__ = ["APP", "PERSONAL", "WORK", "BrowserConfiguration", "ManagedBrowser"]

APP = "com.contoso.portal"

POLICY = """\
apps:
  com.contoso.portal:
    peers: [{ uid: $uid }]
    identityMode: multi
    handledSchemes: [contoso-portal]
    classes:
      documents: { policy: currentIdentity, externalURLs: contoso, subFrames: true }
      upload-blocked: { policy: currentIdentityBlockUpload, externalURLs: contoso, subFrames: true }
"""

# An answer may take long on a busy machine; the tests that wait for none say so.
SETTINGS = """\
graceSeconds: 5
contract: { startMs: 2000, answerMs: $answer }
"""

ORGANISATION = """\
accounts:
  - {{ upn: {work}, protection: contoso-standard }}
  - {{ upn: {personal} }}
protections:
  contoso-standard:
    webTransfer: managedBrowser
    clipboard: {{ level: {clipboard}, exceptionLength: {exception} }}
    send: managed
    receive: managed
    save: {{ allowed: false, exceptions: [oneDriveForBusiness, localStorage] }}
    printing: block
    screenCapture: block
    notifications: blockOrgData
{more}
browsers:
  managed: {{ command: ["{browser}", "{{url}}"] }}
"""


class BrowserConfiguration(Configuration):
    """One app, one managed account and one personal one, and the rules about the hosts of the site."""

    def __init__(
        self,
        browser: Path,
        *,
        clipboard: str = "managed",
        exception: int = 0,
        more: str = "",
        app: str = POLICY,
        answer_ms: int = 2000,
    ) -> None:
        super().__init__(app, settings=SETTINGS.replace("$answer", str(answer_ms)), rules=RULES)
        self.files["policy.d/organisation.yaml"] = ORGANISATION.format(
            work=WORK, personal=PERSONAL, clipboard=clipboard, exception=exception, browser=browser, more=more
        )


def warning(browser: Path) -> BrowserConfiguration:
    """A policy that warns of what is outside, and sends nothing to the managed browser."""
    configuration = BrowserConfiguration(browser, more="    warn: [navigate]")
    configuration.replace("policy.d/organisation.yaml", "webTransfer: managedBrowser", "webTransfer: block")
    return configuration


class ManagedBrowser:
    """A program that only writes down what it was asked to open: one line each time it is started."""

    def __init__(self, directory: Path) -> None:
        self.program = directory / "managed-browser"
        self._opened = directory / "opened"
        self._opened.touch()
        self.program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$*\" >> '{self._opened}'\n")
        os.chmod(self.program, 0o755)

    @property
    def opened(self) -> list[str]:
        """The URLs, in the order in which they were opened."""
        return self._opened.read_text().splitlines()
