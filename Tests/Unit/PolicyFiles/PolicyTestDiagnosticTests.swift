import PolicyFiles
import Testing

/// Every mistake that a test of a policy can hold, with the text it is told by.
@Suite struct PolicyTestDiagnosticTests {
  private static func problems(_ step: String) -> String {
    load(["policy.d/a.yaml": "apps: { x: {} }\ntests: [{ steps: [{ \(step) }] }]"])
      .diagnostics.description.replacing("c/policy.d/a.yaml", with: "f")
  }

  @Test(arguments: [
    YAMLCase(
      "viewer: V",
      "f:2:19: error: one of the keys `event`, `call`, `config`, `posture`, `register`, `deregister`, `maySignIn`, "
        + "`remediate`, `signedIn`, `tick`, `list`, `wipe`, `approve`, `restore`, `checkIn`, `answer`, `filesRemoved`, `wipeOf` is "
        + "missing [missing-key]"),
    YAMLCase(
      "event: print, call: ForgetViewer", "f:2:35: error: `call` may not stand beside `event` [conflicting-keys]",
      "  hint: keep one of the two"),
    YAMLCase(
      "event: prints, viewer: V, expect: allow",
      "f:2:28: error: `prints` is not one of `navigate`, `copy`, `paste`, `clipboardChanged`, `dragEnd`, `download`, "
        + "`upload`, `save`, `open`, `receive`, `share`, `print`, `capture`, `notify`, `openURL`, `exchange`, `index` "
        + "[unknown-value]", "  hint: did you mean `print`?"),
    YAMLCase(
      "event: print", "f:2:19: error: missing key `expect` [missing-key]",
      "  hint: it takes one of `block`, `allow`, `warn`, `redirect`, `handOff`, `redact`, `switchIdentity`"),
    YAMLCase(
      "event: print, expect: deny",
      "f:2:43: error: `deny` is not one of `block`, `allow`, `warn`, `redirect`, `handOff`, `redact`, `switchIdentity` "
        + "[unknown-value]"),
    YAMLCase(
      "event: print, expect: block, reason: printBlock",
      "f:2:58: error: `printBlock` is not a reason [unknown-reason]", "  hint: did you mean `printBlocked`?"),
    YAMLCase(
      "event: index, expect: block, selection: clipboard", "f:2:50: error: unknown key `selection` [unknown-key]",
      "  hint: known keys: `app`, `after`, `event`, `call`, `config`, `posture`, `register`, `deregister`, "
        + "`maySignIn`, `remediate`, `signedIn`, `tick`, `list`, `wipe`, `approve`, `restore`, `checkIn`, `answer`, `filesRemoved`, "
        + "`wipeOf`, `viewer`, `action`, `expect`, `reason`, `rule`, `signIn`, `blurPreview`, "
        + "`setOwner`, `mustEncrypt`, `tagAs`, `switchTo`, `advice`, `afterAdvised`"),
    YAMLCase(
      "event: navigate, url: 7, hop: maybe, expect: allow",
      "f:2:43: error: expected a string, found the number `7` [wrong-type]", "  hint: put it in quotes: `\"7\"`",
      "f:2:51: error: expected true or false, found `maybe` [wrong-type]"),
    YAMLCase(
      "event: save, location: oneDrive, expect: allow",
      "f:2:44: error: `oneDrive` is not one of `other`, `oneDriveForBusiness`, `sharePoint`, `box`, `dropbox`, "
        + "`googleDrive`, `iManage`, `egnyte`, `accountDocument`, `localStorage`, `photoLibrary`, `camera` "
        + "[unknown-value]"),
    YAMLCase(
      "event: copy, length: -1, expect: allow",
      "f:2:42: error: expected a whole number of at least 0, found `-1` [out-of-range]"),
    YAMLCase(
      "call: registerViewer, viewer: V",
      "f:2:27: error: `registerViewer` is not one of `RegisterViewer`, `SetDocument`, `ForgetViewer`, "
        + "`SetWebViewPolicy`, `SetExternalURLRules`, `SetIdentity`, `Answer` [unknown-value]",
      "  hint: did you mean `RegisterViewer`?"),
    YAMLCase(
      "call: ForgetViewer", "f:2:19: error: missing key `viewer` [missing-key]", "  hint: it takes a string"),
    YAMLCase(
      "call: ForgetViewer, viewer: V, expect: UnknownView",
      "f:2:60: error: `UnknownView` is not one of `UnknownViewer`, `UnknownClass`, `UnknownParent`, `UnknownOpener`, "
        + "`UnknownRuleSet`, `UnknownAccount`, `UnknownRequest`, `PolicyLocked`, `ClassLocked`, `AccountLocked`, "
        + "`SecondManagedAccount`, `RulesOnContainer`, `DocumentIsExternal`, `InvalidDocument`, `IdentityModeSingle`, "
        + "`ViewerCycle`, `LimitReached`, "
        + "`RequestIsOver`, `NoApp` [unknown-value]", "  hint: did you mean `UnknownViewer`?"),
    YAMLCase(
      "call: SetIdentity, level: window, account: a@b, accounts: [c@d]",
      "f:2:19: error: missing key `window` [missing-key]", "  hint: it takes a string",
      "f:2:69: error: `accounts` may not stand beside `account` [conflicting-keys]", "  hint: keep one of the two"),
    YAMLCase(
      "call: SetIdentity, level: process, window: w",
      "f:2:56: error: unknown key `window` [unknown-key]",
      "  hint: known keys: `app`, `after`, `event`, `call`, `config`, `posture`, `register`, `deregister`, "
        + "`maySignIn`, `remediate`, `signedIn`, `tick`, `list`, `wipe`, `approve`, `restore`, `checkIn`, `answer`, `filesRemoved`, "
        + "`wipeOf`, `level`, `account`, `expect`"),
    YAMLCase(
      "call: SetIdentity, level: thread, window: w, account: 1",
      "f:2:47: error: `thread` is not one of `process`, `window`, `scope` [unknown-value]"),
    YAMLCase(
      "call: Answer, request: 1-2, result: done",
      "f:2:44: error: `1-2` is not the number of a request [invalid-request]",
      "  hint: write it as in `switch-0000000000000001-1`, or leave it out",
      "f:2:57: error: `done` is not one of `success`, `canceled`, `notAllowed`, `failed` [unknown-value]"),
    YAMLCase(
      "checkIn: false", "f:2:21: error: a check-in that does not happen is no step [unknown-value]",
      "  hint: write `checkIn: true`, or remove the step"),
    YAMLCase(
      "answer: silent", "f:2:29: error: `silent` is not one of `done`, `refused`, `failed` [unknown-value]"),
    YAMLCase(
      "filesRemoved: { removed: 1 }", "f:2:35: error: missing key `kept` [missing-key]",
      "  hint: it takes a whole number of at most 9223372036854775807"),
    YAMLCase(
      "wipeOf: a@b", "f:2:21: error: nothing is expected of the wipe [missing-key]",
      "  hint: state `phase`, `cause`, `request` or `step`; `phase: none` when there is none"),
    YAMLCase(
      "wipeOf: a@b, phase: none, cause: admin",
      "f:2:34: error: a wipe that is not there has no cause, request or step [conflicting-keys]",
      "  hint: keep `phase: none` alone"),
    YAMLCase(
      "wipe: a@b, expect: noRoom",
      "f:2:40: error: `noRoom` is not one of `unknownAccount`, `underWay`, `wipePending`, `noWipe`, `tooLate`, "
        + "`sameApprover` [unknown-value]"),
    YAMLCase(
      "event: print, expect: allow, after: 60",
      "f:2:57: error: expected a duration from `0s` to `366d`, found the number `60` [wrong-type]",
      "  hint: add a unit: `ms`, `s`, `m`, `h` or `d`"),
    YAMLCase(
      "event: print, expect: allow, app: y", "f:2:55: error: unknown app `y` [unknown-reference]",
      "  hint: known: `x`"),
  ])
  func stepsAreExplained(_ test: YAMLCase) {
    #expect(Self.problems(test.yaml) == test.printed)
  }

  @Test(arguments: [
    YAMLCase("{}", "f:2:9: error: missing key `steps` [missing-key]", "  hint: it takes a list"),
    YAMLCase("{ steps: [] }", "f:2:18: error: expected at least 1 item, found none [out-of-range]"),
    YAMLCase(
      "{ steps: [{ event: print, expect: allow }], app: why, features: [redacts], groups: [stuff], at: never }",
      "f:2:58: error: unknown app `why` [unknown-reference]", "  hint: known: `x`, `y`",
      "f:2:74: error: `redacts` is not one of `redact`, `switchIdentity`, `warn`, `clipEcho`, `wrap`, `plainText` [unknown-value]",
      "  hint: did you mean `redact`?",
      "f:2:93: warning: unknown group `stuff`; this speaks of nobody [unknown-group]",
      "  hint: make the group, and reload", "f:2:105: error: `never` is not a day or a time [invalid-time]",
      "  hint: write it as in `2027-01-31` or `2027-01-31T18:00:00Z`"),
    YAMLCase(
      "{ steps: [{ event: print, expect: allow }] }",
      "f:2:9: error: the test does not say which app acts, and the policy has 2 apps [no-app-to-test]",
      "  hint: name one with `app`, beside `steps` or in each step"),
    YAMLCase("{ steps: [{ event: print, expect: allow, app: y }, { event: print, expect: allow, app: x }] }", ""),
    YAMLCase("{ app: y, steps: [{ event: print, expect: allow }] }", ""),
  ])
  func testsAreExplained(_ test: YAMLCase) {
    let result = load(["policy.d/a.yaml": "apps: { x: {}, y: {} }\ntests: [\(test.yaml)]"])
    #expect(result.diagnostics.description.replacing("c/policy.d/a.yaml", with: "f") == test.printed)
  }

  @Test func withoutAnAppThereIsNothingToTest() {
    let codes = load(["policy.d/a.yaml": "tests: [{ steps: [{ event: print, expect: allow }] }]"])
      .diagnostics.sorted.map(\.code)
    #expect(Set(codes) == [.noApps, .noAppToTest])
  }

  /// The app of a test may stand in a file that could not be read.
  @Test func unreadableFilesCauseNoUnknownApps() {
    let result = load([
      "policy.d/a.yaml": "tests: [{ app: x, steps: [{ event: print, expect: allow }] }]",
      "policy.d/b.yaml": "apps: { \"x: {} }",
    ])
    #expect(result.diagnostics.sorted.map(\.code) == [.unclosedQuote])
  }
}
