"""Configurations for the tests, as an administrator would write them."""

import os
from pathlib import Path
from string import Template

WORK = "work@contoso.com"
PERSONAL = "me@example.org"
APP = "com.contoso.portal"
BROWSER = "com.contoso.Browser.desktop"

# Short times, so that the tests wait for none of them long.
SETTINGS = """\
graceSeconds: 1
limits:
  partialMessageSeconds: 1
  viewersPerInstance: 80
  windowsPerInstance: 3
  instancesPerUser: 40
  connectionsPerUser: 48
contract: { startMs: 2000, answerMs: 400 }
"""

PORTAL = """\
apps:
  com.contoso.portal:
    peers: [{ uid: $uid }]
    identityMode: multi
    handledSchemes: [contoso-portal]
    classes:
      documents: { policy: currentIdentity, externalURLs: contoso }
      loose: {}
"""

# A second app of the same user, with one identity that the configuration states.
KIOSK = """\
apps:
  com.contoso.kiosk:
    peers: [{ uid: $uid }]
    identityMode: single
    account: work@contoso.com
"""

STRANGER = """\
apps:
  com.contoso.portal:
    peers: [{ uid: $other }]
    identityMode: multi
"""

ORGANISATION = """\
accounts:
  - { upn: work@contoso.com, objectId: 6d5c2f7e-8d1c-4f0a-9b52-3c1f0e7a4d11, protection: contoso-standard }
  - { upn: second@contoso.com, protection: contoso-standard }
  - { upn: me@example.org }
protections:
  contoso-standard:
    webTransfer: managedBrowser
    clipboard: { level: managedWithPasteIn, exceptionLength: 0 }
    send: managed
    receive: managed
browsers:
  managed: { desktopId: com.contoso.Browser.desktop }
"""

RULES = """\
ruleSet: contoso
default: external
rules:
  - id: own
    internal: { domain: contoso.com }
  - id: sharing
    external: { domain: sharing.example }
    then: block
    message: "{host} is a personal file-sharing site"
"""

BROKEN = "apps: { com.contoso.portal: { peers: [{ uid: -1 }], colour: blue } }\n"


def versioned(check: str, operator: str, version: str) -> "Configuration":
    """The protection of the managed accounts has one condition, about a version that programs tell with Attach."""
    condition = f'    conditionalLaunch: [{{ check: {check}, operator: {operator}, value: "{version}" }}]\n'
    return Configuration(organisation=ORGANISATION.replace("browsers:\n", f"{condition}browsers:\n"))


class Configuration:
    """The files of one configuration directory, by name: apps, and what they may do."""

    def __init__(
        self, *apps: str, settings: str = SETTINGS, rules: str = RULES, organisation: str = ORGANISATION
    ) -> None:
        self.files = {
            "webviewguard.yaml": settings,
            "policy.d/organisation.yaml": organisation,
            "rules/contoso.yaml": rules,
        }
        for number, app in enumerate(apps or (PORTAL,)):
            self.files[f"policy.d/app-{number}.yaml"] = app

    def replace(self, name: str, old: str, new: str) -> None:
        """Another text in a file, which has to have the old one."""
        if old not in self.files[name]:
            raise ValueError(f"{name} has no {old!r}")
        self.files[name] = self.files[name].replace(old, new)

    def write(self, directory: Path) -> None:
        """Writes every file; what is there already is replaced."""
        for name, text in self.files.items():
            file = directory / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(Template(text).substitute(uid=os.getuid(), other=os.getuid() + 1))
