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
accounts:
  - { upn: work@contoso.com }
  - { upn: other@contoso.com }
  - { upn: me@example.org }
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

# Nothing here changes what an instance remembers, so a judge that saw only one of them still knows its state.
VARIANTS = (
    "    printing: block\n    notifications: blockOrgData\n    save: { allowed: false, exceptions: [sharePoint] }",
    "    printing: allow\n    notifications: block\n    save: { allowed: false, exceptions: [box, localStorage] }",
    "    printing: block\n    notifications: allow\n    save: { allowed: true }",
)


def configuration(variant: int, uids: Sequence[int]) -> Configuration:
    """The files of one variant, for apps that run as these users."""
    made = Configuration("", settings=SETTINGS, rules=RULES)
    peers = ", ".join(f"{{ uid: {uid} }}" for uid in uids)
    made.files = {
        "webviewguard.yaml": SETTINGS,
        "rules/documents.yaml": RULES,
        "policy.d/policy.yaml": POLICY % {"peers": peers, "variant": VARIANTS[variant]},
    }
    return made


def put(variant: int, uids: Sequence[int], directory: Path) -> None:
    """Replaces the one file in which the variants differ, at one stroke."""
    name = "policy.d/policy.yaml"
    beside = directory / "policy.d/policy.new"
    beside.write_text(configuration(variant, uids).files[name])
    beside.rename(directory / name)
