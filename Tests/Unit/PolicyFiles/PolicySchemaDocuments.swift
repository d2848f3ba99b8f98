/// Good and bad settings of protections, and tests of policies.
extension SchemaDocuments {
  static let goodProtections =
    [
      "", "receive: none", "receive: anyTagOrg", "save: {}", "send: managed, save: { allowed: false }",
      "send: managed, save: { allowed: false, exceptions: [oneDriveForBusiness, sharePoint, box, iManage] }",
      "send: managed, save: { allowed: false, exceptions: [egnyte, localStorage, photoLibrary] }",
      "receive: managed, open: { allowed: false, exceptions: [camera, box] }",
      "open: { allowed: true, exceptions: [] }",
      "send: managed, managedApps: [org.gnome.TextEditor.desktop, a_b-c.desktop]", "managedApps: []",
      "printing: block, screenCapture: block, contacts: block, widgets: block, backup: allow",
      "indexing: block, assistants: block, automation: allow, writingTools: block, inputMethods: block",
      "notifications: blockOrgData", "notifications: block", "inspection: {}", "inspection: { required: true }",
      "encrypt: false", "encryption: { by: envelope }", "encryption: { by: fscrypt }", "encryption: { by: gocryptfs }",
      "encrypt: true, encryption: { by: volume }", "unlock: app", "unlock: none", "unlock: polkit, recheckAfter: 15m",
      "warn: []", "warn: [print, paste, navigate]",
      "monitorOnly: { until: 2027-01-31 }",
    ].map { "protections: { p: { \($0) } }" } + [
      "apps: { x: { managedAccounts: several } }", "apps: { x: { monitorOnly: { until: 2027-01-31T18:00:00Z } } }",
    ]

  static let badProtections =
    [
      "receive: anyone", "save: false", "save: { allow: false }", "save: { allowed: \"false\" }",
      "save: { exceptions: sharePoint }", "save: { exceptions: [oneDrive] }", "save: { exceptions: [dropbox] }",
      "save: { exceptions: [camera] }", "open: { exceptions: [other] }", "open: []", "managedApps: org.a.desktop",
      "managedApps: [org.a]", "managedApps: [.desktop]", "managedApps: [\"a b.desktop\"]", "managedApps: [a/b.desktop]",
      "printing: true", "screenCapture: blocked", "automation: null", "notifications: blockAll", "inspection: true",
      "inspection: { required: 1 }", "encrypt: require", "encryption: true", "encryption: {}",
      "encryption: { by: none }", "encryption: { by: [volume] }", "encryption: { by: envelope, escrow: true }",
      "unlock: pin", "recheckAfter: 30", "recheckAfter: soon",
      "warn: print", "warn: [clipboardChanged]",
      "warn: [prints]", "monitorOnly: true", "monitorOnly: {}", "monitorOnly: { until: true }",
      "monitorOnly: { until: 2027-01-31, reason: pilot }", "printBlocked: true",
    ].map { "protections: { p: { \($0) } }" } + [
      "apps: { x: { managedAccounts: 2 } }", "apps: { x: { monitorOnly: 2027-01-31 } }",
      "apps: { x: { MultiIdentity: true } }", "IntuneMAMSettings: {}",
    ]

  private static func test(_ step: String) -> String { "apps: { x: {} }\ntests: [{ steps: [{ \(step) }] }]" }

  private static let link = "url: u, from: f"
  private static let place = "owner: \"\", locationAccount: a@b, path: /a, location: other"
  private static let selection = "viewer: v, display: \":0\", selection: primary, length: 0, formats: [text/plain]"
  private static let file = "label: a@b, file: a@b, origin: \"https://a.b/\""
  private static let program = "owner: a, peer: b, peerAccount: c"

  static let goodPolicyTests =
    [
      "posture: {}", "posture: { a: true, b.c: 1.5, D-e: text }, validFor: 7d, after: 25h, app: x",
      "event: print, expect: allow", "event: print, path: /tmp/a.pdf, location: other, owner: a, expect: block",
      "event: print, expect: allow, advice: { outcome: block }, afterAdvised: true",
      "event: print, expect: allow, advice: { outcome: redirect, reason: external, cause: rule, rule: r }",
      "event: print, viewer: v, action: a, expect: block, reason: printBlocked, rule: r",
      "event: print, app: x, after: 61s, expect: allow, setOwner: a, mustEncrypt: true, tagAs: b, switchTo: \"\"",
      "event: navigate, \(link), method: GET, frame: main, hop: true, gesture: yes, sameDocument: false, newWindow: "
        + "false, expect: redirect",
      "event: copy, \(selection), cut: true, inspection: tooLarge, surface: chrome, expect: allow",
      "event: share, chooser: true, expect: allow", "event: save, chooser: false, expect: block",
      "event: open, chooser: true, expect: allow",
      "event: capture, expect: block, blurPreview: true",
      "event: paste, \(selection), clip: c, expect: warn",
      "event: clipboardChanged, \(selection), selfOwned: true, proposal: p, clip: c, "
        + "expect: allow", "event: dragEnd, display: a, expect: allow",
      "event: download, \(link), \(place), expect: allow", "event: upload, \(link), \(place), expect: allow",
      "event: save, \(place), inPlace: true, expect: allow", "event: open, \(place), inPlace: false, expect: allow",
      "event: open, \(file), expect: allow", "event: save, \(file), expect: allow",
      "event: upload, \(file), expect: block", "event: download, \(file), expect: block",
      "event: receive, \(file), expect: allow", "event: share, label: unreadable, expect: block",
      "event: receive, \(program), expect: switchIdentity", "event: share, \(program), expect: handOff",
      "event: capture, capture: ownImage, expect: allow", "event: notify, expect: redact",
      "event: index, expect: allow",
      "event: openURL, \(link), expect: allow", "event: exchange, \(program), channel: backup, expect: allow",
      "call: RegisterViewer, viewer: v, class: c, parent: p, window: w, opener: o, kind: popup, document: d",
      "call: RegisterViewer, viewer: v, expect: UnknownClass", "call: SetDocument, viewer: v, document: null",
      "call: SetDocument, viewer: v", "call: ForgetViewer, viewer: v, app: x, after: 5m",
      "call: SetWebViewPolicy, viewer: v, policy: unset", "call: SetExternalURLRules, viewer: v, ruleSet: r",
      "call: SetIdentity, level: process, account: null", "call: SetIdentity, level: scope, account: \"\"",
      "call: SetIdentity, level: window, window: w", "call: SetIdentity, level: window, window: w, accounts: [a, \"\"]",
      "register: a@b, state: registered, result: notSignedIn, reason: policyRequired, allowed: false",
      "register: null, result: noAccount", "register: a, expect: UnknownAccount", "register: a, app: x, after: 5m",
      "deregister: a@b, data: remove, state: suspended, result: unenrolled", "maySignIn: a, allowed: true",
      "maySignIn: a, state: notAllowed, reason: accountNotAllowed", "signedIn: { source: user, accounts: [] }",
      "remediate: a, silent: true, status: interactionRequired, state: locked", "remediate: a, expect: UnknownAccount",
      "list: a, status: compliant",
      "signedIn: { source: broker, accounts: [a@b, 6d5c] }", "tick: 25h", "list: a, state: enrolled",
      "wipe: a@b", "wipe: a, only: x, now: true, by: 500, phase: pending, request: w-1-1, after: 5m, app: x",
      "wipe: a, expect: underWay", "approve: a, by: 501, phase: pending, request: w-1-1",
      "approve: a, expect: sameApprover",
      "restore: a", "restore: a, app: x, after: 5m, expect: tooLate", "checkIn: true, app: x, after: 1d",
      "answer: done", "answer: refused, request: w-1-1, app: x, after: 5m", "answer: failed, expect: RequestIsOver",
      "filesRemoved: { removed: 12, kept: 0 }, app: x, after: 5m",
      "filesRemoved: { removed: 0, kept: 9223372036854775807 }, expect: UnknownRequest",
      "wipeOf: a, phase: none, app: x, after: 5m",
      "wipeOf: a, phase: asking, cause: admin, request: w-1-1, step: silent, app: x, after: 5m",
      "wipeOf: a, step: done",
      "config: { account: a, key: k, any: true, or: true, and: false, conflict: false }, after: 5m",
      "config: { account: a, key: k, any: 1.5, min: 1, max: 2, all: [1.5, 1, 2] }",
      "config: { account: a, key: k, all: [] }",
      "config: { account: a, key: k, any: \"\" }, app: x",
      "call: Answer, result: canceled", "call: Answer, request: switch-0000000000000001-1, result: success",
    ].map(test) + [
      "tests: []",
      "apps: { x: {} }\ntests: [{ name: n, app: x, at: 2027-01-31, features: [redact, switchIdentity, warn, clipEcho, wrap, plainText], groups: [staff], "
        + "steps: [{ event: index, expect: allow }] }]",
    ]

  static let badPolicyTests =
    [
      "posture: []", "posture: { a b: 1 }", "posture: { a: [1] }", "posture: { a: null }",
      "posture: { a: 1 }, validFor: 5",
      "posture: { a: 1 }, event: print, expect: allow", "posture: { a: 1 }, expect: allow", "validFor: 1d",
      "event: print", "event: print, expect: allow, advice: block", "event: print, expect: allow, advice: {}",
      "event: print, expect: allow, advice: { outcome: block, cause: policy }", "expect: allow",
      "event: print, expect: allow, afterAdvised: maybe", "event: prints, expect: allow",
      "event: unknown, expect: allow",
      "event: print, expect: deny", "event: print, expect: allow, viewer: 1", "event: print, expect: allow, url: u",
      "event: print, expect: allow, after: 60", "event: print, expect: allow, after: soon",
      "event: print, label: a@b, expect: allow", "event: open, label: \"\", expect: allow",
      "event: save, file: 1, expect: allow",
      "event: print, call: ForgetViewer, viewer: v, expect: allow", "event: navigate, frame: top, expect: allow",
      "event: navigate, gesture: true, expect: allow", "event: copy, length: 1.5, expect: allow",
      "event: copy, clip: c, expect: allow", "event: paste, cut: true, expect: allow",
      "event: copy, formats: text/plain, expect: allow", "event: copy, inspection: bad, expect: allow",
      "event: copy, surface: bar, expect: allow",
      "event: share, chooser: 1, expect: allow",
      "event: save, location: oneDrive, expect: allow", "event: save, inPlace: 1, expect: allow",
      "event: share, location: other, expect: allow", "event: exchange, channel: siri, expect: allow",
      "event: capture, capture: photo, expect: allow", "event: print, expect: block, mustEncrypt: yes",
      "call: registerViewer, viewer: v", "call: RegisterViewer", "call: RegisterViewer, viewer: \"\"",
      "call: RegisterViewer, viewer: v, kind: tab", "call: ForgetViewer, viewer: v, expect: allow",
      "call: SetWebViewPolicy, viewer: v", "call: SetIdentity, account: a", "call: SetIdentity, level: window",
      "call: SetIdentity, level: process, window: w", "call: SetIdentity, level: window, window: w, accounts: []",
      "call: SetIdentity, level: window, window: w, account: a, accounts: [b]", "call: Answer",
      "call: Answer, result: no",
      "call: Answer, request: 1, result: success", "call: Attach",
      "register: \"\"", "register: a, state: gone", "register: a, call: Answer, result: success",
      "register: a, result: 100", "deregister: null", "deregister: a, data: wipe", "maySignIn: a, result: blocked",
      "remediate: \"\"", "remediate: a, silent: perhaps", "remediate: a, status: 0", "remediate: a, result: blocked",
      "register: a, status: compliant", "maySignIn: a, allowed: perhaps", "signedIn: [a]",
      "signedIn: { source: login, accounts: [a] }",
      "signedIn: { source: user }", "signedIn: { source: user, accounts: [a] }, state: enrolled", "tick: 25",
      "tick: 1h, state: enrolled", "list: a, expect: UnknownAccount",
      "wipe: \"\"", "wipe: a, now: later", "wipe: a, by: -1", "wipe: a, by: 4294967295", "wipe: a, phase: none",
      "wipe: a, cause: admin", "wipe: a, expect: UnknownAccount", "wipe: a, state: wiped", "approve: a, by: root",
      "approve: a, now: true", "restore: a, phase: pending", "checkIn: false", "checkIn: 1",
      "checkIn: true, expect: noWipe",
      "answer: silent", "answer: done, request: \"\"", "answer: done, state: wiped", "answer: done, expect: noWipe",
      "filesRemoved: 12", "filesRemoved: {}", "filesRemoved: { removed: 1 }", "filesRemoved: { removed: 1, kept: -1 }",
      "filesRemoved: { removed: 1, kept: 0, problems: [] }", "wipeOf: a", "wipeOf: a, phase: gone",
      "wipeOf: a, phase: none, cause: admin", "wipeOf: a, step: cleaned, phase: none", "wipeOf: a, step: asking",
      "wipeOf: a, expect: noWipe", "wipe: a, answer: done",
      "config: {}", "config: { account: a, key: k }", "config: { key: k, any: 1 }", "config: { account: a, any: 1 }",
      "config: { account: a, key: k, any: null }", "config: { account: a, key: k, or: 1 }",
      "config: { account: a, key: k, all: 1 }", "config: { account: a, key: k, any: [1] }",
      "config: { account: \"\", key: k, any: 1 }", "config: { account: a, key: \"a b\", any: 1 }",
      "config: { account: a, key: k, any: 1 }, expect: allow", "config: { account: a, key: k, value: 1 }",
      "config: { account: a, key: k, any: 1 }, event: print",
    ].map(test) + [
      "tests: {}", "tests: [{}]", "tests: [{ steps: [] }]",
      "apps: { x: {} }\ntests: [{ test: n, steps: [{ event: index, expect: allow }] }]",
      "apps: { x: {} }\ntests: [{ features: [warning], steps: [{ event: index, expect: allow }] }]",
      "apps: { x: {} }\ntests: [{ groups: staff, steps: [{ event: index, expect: allow }] }]",
    ]

  static let goodAppConfig = [
    "appConfig: []", "scrubKeys: []", "scrubKeys: [a.b, c]",
    "appConfig: [{ name: n, app: x, default: true, values: { a: true, b: -1, c: 1.5e3, d: \"\", e: t } }]",
    "appConfig: [{ name: n, app: x, default: false, accounts: [a@b, \"*@b\"], values: { a: \"1\" } }]",
    "appConfig: [{ name: n, app: x, groups: [g], values: { a: 1 } }]",
    "appConfig: [{ name: n, app: x, groups: [g], accounts: [c], values: { a: 1 } }]",
  ].map { "apps: { x: {} }\n" + $0 }

  static let badAppConfig =
    [
      "default: true", "default: true, values: {}", "default: true, values: []", "values: { a: 1 }",
      "default: false, values: { a: 1 }", "default: true, accounts: [a], values: { a: 1 }",
      "default: true, groups: [a], values: { a: 1 }", "default: 1, values: { a: 1 }",
      "accounts: [], values: { a: 1 }", "accounts: a, values: { a: 1 }", "accounts: [\"*\"], values: { a: 1 }",
      "accounts: [{ group: a }], values: { a: 1 }", "groups: [], values: { a: 1 }", "groups: [1], values: { a: 1 }",
      "default: true, values: { a: null }", "default: true, values: { a: [1] }", "default: true, values: { a: {} }",
      "default: true, values: { \"a b\": 1 }", "default: true, values: { __IsDefault: true }",
      "default: true, values: { a: \"\\e\" }", "default: true, key: a, values: { a: 1 }",
      "default: true, values: { a: \(String(repeating: "a", count: 16_385)) }",
    ].map { "appConfig: [{ name: n, app: x, \($0) }]" } + [
      "appConfig: {}", "appConfig: [{ app: x, default: true, values: { a: 1 } }]", "scrubKeys: a",
      "appConfig: [{ name: n, default: true, values: { a: 1 } }]", "scrubKeys: [1]", "scrubKeys: [\"a b\"]",
      "appConfig: [{ name: \"a b\", app: x, default: true, values: { a: 1 } }]",
    ]
}
