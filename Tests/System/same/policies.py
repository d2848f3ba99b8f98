"""The policies that both daemons hold a conversation under, who takes part, and how each changes on the way."""

import os
from dataclasses import dataclass, field
from typing import Any

from configurations import ROOT, Texts

ALICE, BOB, CAROL, DAVE, STRANGER = 61_001, 61_002, 61_003, 61_004, 61_005
FEATURES = ["redact", "switchIdentity", "warn", "clipEcho", "wrap", "plainText"]

# Nothing ends by itself during a conversation, unless a step lets time pass.
SETTINGS = """\
graceSeconds: 600
log: { userPercent: 100 }
limits: { attachSeconds: 86400, partialMessageSeconds: 3600, switchSeconds: 3600, windowsPerInstance: 12, viewersPerInstance: 40 }
contract: { startMs: 2000, answerMs: 400, clipboard: open }
"""

APPS = f"""\
apps:
  com.contoso.portal:
    peers: [{{ uid: {ALICE} }}, {{ uid: {BOB} }}]
    identityMode: multi
    handledSchemes: [contoso-portal]
    classes:
      documents: {{ policy: currentIdentity, externalURLs: contoso, subFrames: true }}
      upload: {{ policy: currentIdentityBlockUpload, externalURLs: contoso, rulesApply: always }}
      public: {{ policy: unmanaged }}
      loose: {{}}
  com.contoso.kiosk:
    peers: [{{ uid: {ALICE} }}]
    identityMode: single
    account: work@contoso.com
    popups: block
    classes: {{ kiosk: {{ externalURLs: pilot }} }}
  com.contoso.mail:
    peers: [{{ uid: {BOB} }}, {{ uid: {DAVE} }}]
    identityMode: single
    classes: {{ message: {{ policy: currentIdentity, externalURLs: pilot }} }}
  com.contoso.watched:
    peers: [{{ uid: {CAROL} }}]
    identityMode: multi
    managedAccounts: several
    unlocks: true
    monitorOnly: {{ until: 2999-12-31 }}
    record: notAllowed
    classes: {{ documents: {{ externalURLs: contoso }} }}
  com.contoso.notes:
    peers: [{{ sameUser: true }}]
    identityMode: multi
    untilIdentity: block
    treatAllWebViewsAsUnmanaged: true
    record: counts
    classes:
      notes: {{ policy: currentIdentity, externalURLs: pilot }}
      free: {{}}
"""

ORGANISATION = """\
accounts:
  - { upn: work@contoso.com, objectId: 6d5c2f7e-8d1c-4f0a-9b52-3c1f0e7a4d11, protection: strict }
  - { upn: second@contoso.com }
  - { upn: paste@contoso.com, protection: paste-in }
  - { upn: warned@contoso.com, protection: warned }
  - { upn: blocked@contoso.com, state: blocked }
  - { upn: wiped@contoso.com, state: wiped }
  - { upn: pilot@fabrikam.example }
  - { upn: me@example.org }
protections:
  strict:
    webTransfer: managedBrowser
    externalInPlace: unmanaged
    clipboard: { level: managed }
    send: managed
    receive: managed
    save: { allowed: false, exceptions: [oneDriveForBusiness, localStorage] }
    open: { allowed: false, exceptions: [sharePoint, camera] }
    managedApps: [com.contoso.Reader.desktop]
    messaging: { desktopId: com.contoso.Mail.desktop }
    telecommunication: none
    exemptSchemes: [skype]
    managedSchemes: [contoso]
    printing: block
    screenCapture: block
    notifications: blockOrgData
    inputMethods: block
    inspection: { required: true }
  standard:
    accounts: ["*@contoso.com"]
    webTransfer: unmanagedBrowser
    clipboard: { level: managedWithPasteIn, exceptionLength: 12 }
    send: managedOsSharing
    receive: anyTagOrg
    contacts: block
    backup: block
  paste-in:
    clipboard: { level: managedWithPasteIn, exceptionLength: 12, exceptionPerMinute: 40, replacement: "Nicht hier." }
    webTransfer: block
    send: none
    receive: none
    notifications: block
  warned:
    webTransfer: block
    clipboard: { level: blocked }
    send: managed
    printing: block
    warn: [print, navigate, paste, share]
  pilot:
    accounts: ["*@fabrikam.example"]
    webTransfer: block
    clipboard: { level: managed }
    printing: block
    monitorOnly: { until: 2999-12-30 }
browsers:
  managed:
    desktopId: com.contoso.Browser.desktop
    template: "contoso:{url}"
    apps: [com.contoso.portal, com.contoso.kiosk]
    alternatives: [{ command: ["/usr/bin/other", "{url}"] }]
  unmanaged: { scheme: mybrowser }
links:
  exempt:
    - { id: maps, match: { host: maps.example }, desktopId: org.example.Maps.desktop }
  managed:
    - { id: sharing, match: { domain: sharing.example }, desktopId: com.contoso.Sharing.desktop }
texts:
  de:
    reasons: { printBlocked: Drucken ist hier nicht erlaubt., externalBlocked: "{host} ist fremd." }
    notification: Neue Nachricht
"""

CONTOSO = """\
ruleSet: contoso
default: external
rules:
  - { id: same, internal: { same: document } }
  - { id: tenant, internal: { domain: contoso.com, scheme: https } }
  - { id: after, internal: { host: return.example, from: { domain: contoso.com } } }
  - { id: upload, external: { pattern: "https://*.contoso.com/old*" }, for: [upload, paste], then: block }
  - { id: share, external: { domain: share.example }, then: block, message: "{host} is a file-sharing site" }
  - { id: listed, external: { list: { file: lists/bad.txt, format: domains } }, then: block }
  - { id: pilot, external: { domain: news.example }, then: block, monitorOnly: { until: 2999-12-31 } }
  - { id: later, internal: { domain: soon.example }, expires: 2999-01-01 }
  - { id: pattern, internal: { pattern: "https://search.example/work/*" } }
  - { id: files, internal: { domain: files.example }, for: [download, upload] }
"""

PILOT = """\
ruleSet: pilot
default: internal
rules:
  - { id: away, external: { domain: [share.example, news.example] } }
  - { id: frames, external: { host: maps.example }, for: [frame, resource], then: block }
"""

LISTS = "bad.example\ntracker.example\n# a remark\n" + "".join(f"site{number}.example\n" for number in range(300)) + "odd line here\n"


@dataclass(frozen=True)
class Actor:
    """A program that takes part: its user, and what it says with `Attach`."""

    name: str
    uid: int
    attach: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage:
    """A policy with its variants, the first of which the daemons start with, and who takes part."""

    name: str
    variants: tuple[Texts, ...]
    actors: tuple[Actor, ...]


def rich() -> Stage:
    """Several apps, users, accounts, protections, lists, monitored rules, texts. Without root all users are one."""
    policy = {"webviewguard.yaml": SETTINGS, "policy.d/apps.yaml": APPS, "policy.d/organisation.yaml": ORGANISATION}
    rules = {"rules/contoso.yaml": CONTOSO, "rules/pilot.yaml": PILOT, "rules/lists/bad.txt": LISTS}
    first = {**policy, **rules}
    changes = (
        ("policy.d/organisation.yaml", "printing: block", "printing: allow"),
        ("rules/contoso.yaml", "domain: share.example", "domain: shared.example"),
        ("policy.d/organisation.yaml", "upn: second@contoso.com", "upn: second@contoso.com, state: nonCompliant"),
        ("policy.d/organisation.yaml", "level: managedWithPasteIn, exceptionLength: 12 }", "level: any }"),
        ("policy.d/apps.yaml", "managedAccounts: several", "managedAccounts: one"),
        ("policy.d/organisation.yaml", "upn: wiped@contoso.com, state: wiped", "upn: wiped@contoso.com"),
    )
    variants = [Texts(first)]
    for name, old, new in changes:
        variants.append(Texts({**first, name: _replaced(first[name], old, new)}))
    actors = (
        Actor("alice", ALICE, {"app": "com.contoso.portal", "features": FEATURES, "languages": ["de-AT", "en"]}),
        Actor("bob", BOB, {"app": "com.contoso.portal", "features": ["clipEcho"]}),
        Actor("kiosk", ALICE, {"app": "com.contoso.kiosk", "features": ["warn"]}),
        Actor("mail", DAVE, {"features": ["switchIdentity", "clipEcho"]}),
        Actor("carol", CAROL, {"features": FEATURES}),
        Actor("notes", os.getuid(), {"app": "com.contoso.notes", "features": FEATURES}),
        Actor("ambiguous", BOB),
        Actor("stranger", STRANGER),
    )
    return _for_everybody(Stage("rich", tuple(variants), actors))


def shipped(place: str) -> Stage:
    """A configuration as it is shipped, with its owner's programs, then with another account, app and rule set."""
    first = Texts.read(ROOT / place).with_settings(SETTINGS)
    apps = list(first.vocabulary.apps)
    more = {
        "policy.d/later.yaml": "apps: { com.contoso.later: { peers: [{ sameUser: true }], identityMode: multi } }\n"
        "protections: { later: { accounts: [late@later.example], webTransfer: block, printing: block } }\n",
    }
    variants = (first, Texts({**first.files, **more}))
    actors = [
        Actor(f"{name}-{number}", os.getuid(), {"app": name, "features": FEATURES if number % 2 == 0 else []})
        for name in apps[:2]
        for number in range(2)
    ]
    return Stage(place, variants, tuple(actors))


def _for_everybody(stage: Stage) -> Stage:
    if os.getuid() == 0:
        return stage
    uid = str(os.getuid())
    named = [str(number) for number in (ALICE, BOB, CAROL, DAVE)]

    def own(text: str) -> str:
        for number in named:
            text = text.replace(f"uid: {number}", f"uid: {uid}")
        return text

    variants = [Texts({name: own(text) for name, text in texts.files.items()}) for texts in stage.variants]
    actors = [Actor(actor.name, os.getuid(), actor.attach) for actor in stage.actors if actor.name != "stranger"]
    return Stage(stage.name, tuple(variants), tuple(actors))


def _replaced(text: str, old: str, new: str) -> str:
    if old not in text:
        raise ValueError(f"`{old}` is not there to be replaced")
    return text.replace(old, new, 1)
