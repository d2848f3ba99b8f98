"""The soak's configuration, in variants that differ in nothing that leaves a trace in an app's state."""

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

from configuration import Configuration

APP = "com.contoso.viewers"
WORK = "work@contoso.com"
OTHER = "other@contoso.com"
PERSONAL = "me@example.org"
FEATURES = ("redact", "switchIdentity")

# The apps in which people have accounts; the second one believes the sign-in service of the session, too.
LIFE_APPS = ("com.contoso.desk", "com.contoso.notes")
BROKER_APP = LIFE_APPS[1]
LIFE_SOURCES = {LIFE_APPS[0]: "app", BROKER_APP: "app, broker"}
DATA_DIRECTORY = "/srv/wvg-absent"
OBJECT_ID = "6d5c2f7e-8d1c-4f0a-9b52-3c1f0e7a4d11"
BLOCKED = "dora@contoso.com"
# A protection binds it by its pattern; no list names it.
TEMPORARY = "temp@contoso.com"

SETTINGS = """\
policyRequired: true
graceSeconds: 4
limits:
  partialMessageSeconds: 2
  connections: 1024
  connectionsPerUser: 256
  instancesPerUser: 1024
  switchSeconds: 3600
"""

RULES = """\
ruleSet: documents
default: external
rules:
  - { id: tenant, internal: { domain: contoso.com, scheme: https }, for: [page, download, upload] }
  - { id: sharing, external: { domain: files.example }, for: [page, download, upload], then: block }
  - { id: search, internal: { pattern: "https://search.example/work/*" } }
"""

POLICY = """\
apps:
  com.contoso.viewers:
    peers: [%(peers)s]
    identityMode: multi
    classes:
      documents: { policy: currentIdentity, externalURLs: documents }
      public: { policy: unmanaged }
      free: { externalURLs: documents }
  com.contoso.mail:
    peers: [{ uid: 4000000 }]
    identityMode: multi
%(life)s
accounts:
  - { upn: work@contoso.com }
  - { upn: other@contoso.com }
  - { upn: me@example.org }
%(accounts)s
protections:
  contoso:
    accounts: ["*@contoso.com"]
    webTransfer: managedBrowser
    send: managed
    receive: managed
    clipboard: { level: managedWithPasteIn, exceptionLength: 12 }
%(variant)s
browsers:
  managed: { desktopId: com.microsoft.Edge.desktop }
"""

LIFE_ACCOUNTS = f"""\
  - {{ upn: ann@contoso.com, objectId: {OBJECT_ID} }}
  - {{ upn: bea@contoso.com }}
  - {{ upn: {BLOCKED}, state: blocked }}
wipe: {{ mode: on, causes: [admin, deregister], answerTime: 24h }}
appConfig:
  - {{ name: common, app: com.contoso.desk, default: true, values: {{ colour: blue, size: 1 }} }}
  - {{ name: own, app: com.contoso.desk, accounts: ["*@contoso.com"], values: {{ size: 2 }} }}"""

LIFE_APP = """\
  %(app)s:
    peers: [%(people)s]
    identityMode: multi
    managedAccounts: several
    accounts: { source: [%(sources)s] }
    dataDirectories: ["%(directory)s/%(app)s/{account}"]
    classes:
      documents: { policy: currentIdentity, externalURLs: documents }"""

# Nothing here changes what an instance remembers, so a judge that saw only one of them still knows its state.
VARIANTS = (
    "    printing: block\n    notifications: blockOrgData\n    save: { allowed: false, exceptions: [sharePoint] }",
    "    printing: allow\n    notifications: block\n    save: { allowed: false, exceptions: [box, localStorage] }",
    "    printing: block\n    notifications: allow\n    save: { allowed: true }",
)


def configuration(variant: int, uids: Sequence[int], people: Sequence[int]) -> Configuration:
    """The files of one variant, for apps that run as these users, and those of people who have accounts, if any."""
    made = Configuration("", settings=SETTINGS, rules=RULES)
    life = {"people": _peers(people), "directory": DATA_DIRECTORY}
    apps = [LIFE_APP % {"app": app, "sources": sources, **life} for app, sources in LIFE_SOURCES.items()]
    words = {"peers": _peers(uids), "variant": VARIANTS[variant]}
    words |= {"life": "\n".join(apps), "accounts": LIFE_ACCOUNTS} if people else {"life": "", "accounts": ""}
    made.files = {
        "webviewguard.yaml": SETTINGS,
        "rules/documents.yaml": RULES,
        "policy.d/policy.yaml": POLICY % words,
    }
    return made


def _peers(uids: Sequence[int]) -> str:
    return ", ".join(f"{{ uid: {uid} }}" for uid in uids)


def put(variant: int, uids: Sequence[int], people: Sequence[int], directory: Path) -> None:
    """Replaces the one file in which the variants differ, at one stroke."""
    name = "policy.d/policy.yaml"
    beside = directory / "policy.d/policy.new"
    beside.write_text(configuration(variant, uids, people).files[name])
    beside.rename(directory / name)
