import GuardModel
import PolicyEngine
import PolicyFiles
internal import PolicyTools
import Testing

/// `tests:` in files of `policy.d`, run.
@Suite struct PolicyTestRunnerTests {
  private static let policy = """
    apps:
      portal:
        peers: [{ group: staff }]
        identityMode: multi
        classes:
          documents: { policy: currentIdentity, externalURLs: documents }
          news: { policy: unmanaged }
      notes: { account: "" }
    accounts:
      - { upn: work@contoso.com, objectId: 6d5c }
      - { upn: other@contoso.com }
      - { upn: gone@contoso.com, state: blocked }
      - { upn: me@example.org }
    protections:
      standard:
        accounts: ["*@contoso.com"]
        webTransfer: block
        clipboard: { level: managed, exceptionLength: 10, exceptionPerMinute: 10 }
        send: managed
        receive: managed
        save: { allowed: false, exceptions: [sharePoint] }
        notifications: blockOrgData
        printing: block
      partners: { accounts: [{ group: sales }], screenCapture: block }
    tests:

    """

  private static let rules = """
    ruleSet: documents
    default: external
    rules:
      - { id: tenant, internal: { domain: contoso.com } }
      - { id: campaign, internal: { domain: campaign.example }, expires: 2027-01-31 }
    """

  private func run(_ tests: String) throws -> [PolicyTestResult] {
    let result = load(["policy.d/a.yaml": Self.policy + tests, "rules/documents.yaml": Self.rules])
    let policy = try #require(result.policy, "\(result.diagnostics)")
    let runner = PolicyTestRunner(policy)
    return policy.tests.map(runner.run)
  }

  @Test func goodTestsPass() throws {
    let results = try run(
      """
        - name: links and the clipboard
          app: portal
          features: [wrap, plainText]
          steps:
            - { call: RegisterViewer, viewer: E, class: documents, window: main, document: "https://docs.contoso.com/" }
            - { event: navigate, viewer: E, url: "https://fabrikam.example/", expect: allow, reason: noIdentity }
            - { call: SetIdentity, level: window, window: main, account: WORK@contoso.com }
            - { event: navigate, viewer: E, url: "https://a.contoso.com/", frame: main, expect: allow, rule: tenant }
            - { event: navigate, viewer: E, url: "https://b.example/", frame: main, expect: block, rule: default }
            - { event: copy, viewer: E, selection: clipboard, length: 40, expect: allow, reason: clipRecorded }
            - { event: paste, viewer: E, selection: clipboard, length: 40, expect: allow, reason: sameAccount }
            - { event: paste, app: notes, viewer: N, selection: clipboard, length: 40, expect: block }
            - { call: RegisterViewer, app: notes, viewer: N }
            - event: paste
              app: notes
              viewer: N
              selection: clipboard
              clip: clip-0000000000000001-1
              length: 40
              expect: block
              reason: orgDataOverLimit
        - app: portal
          steps:
            - { call: ForgetViewer, viewer: E, expect: UnknownViewer }
            - { call: RegisterViewer, viewer: E, class: documents }
            - { call: SetWebViewPolicy, viewer: E, policy: unmanaged, expect: PolicyLocked }
            - { call: SetExternalURLRules, viewer: E, ruleSet: null, expect: PolicyLocked }
            - { call: SetDocument, viewer: E, document: "https://contoso.com/" }
            - { call: SetDocument, viewer: E, document: null }
            - { call: SetIdentity, level: process, account: nobody@fabrikam.example, expect: UnknownAccount }
            - { call: SetIdentity, level: process, account: "" }
            - { event: print, viewer: E, expect: allow, reason: noManagedIdentity }
            - { call: SetIdentity, app: notes, level: process, account: work@contoso.com, expect: AccountLocked }
            - { call: Answer, result: success, expect: UnknownRequest }
      """)
    #expect(results.flatMap(\.steps).compactMap(\.failure) == [])
    #expect(results.map(\.steps.count) == [10, 11])
    #expect(results.map(\.test.name) == ["links and the clipboard", nil])
    #expect(!results.map(\.passed).contains(false))
  }

  /// The daemon refuses a copy whose text is too long, and takes it to have happened: so does a policy test.
  @Test func aRefusedCopyRaises() throws {
    let long = String(repeating: "a", count: 257)
    let results = try run(
      """
        - app: portal
          steps:
            - { call: RegisterViewer, viewer: E, class: documents }
            - { call: SetIdentity, level: process, account: me@example.org }
            - { event: copy, viewer: E, selection: clipboard, length: 40, expect: allow }
            - { event: paste, viewer: E, selection: clipboard, length: 40, expect: allow, reason: unmanaged }
            - { call: SetIdentity, level: process, account: work@contoso.com }
            - { event: copy, viewer: E, selection: clipboard, length: 40, action: \(long), expect: allow }
            - { call: SetIdentity, level: process, account: me@example.org }
            - { event: paste, viewer: E, selection: clipboard, length: 40, expect: block, reason: orgDataOverLimit }
      """)
    let steps = try #require(results.first?.steps)
    #expect(steps[5].answer == .refused(.limitReached(.nameBytes, maximum: 256)))
    #expect(steps.enumerated().filter { $0.offset != 5 }.compactMap(\.element.failure) == [])
  }

  /// Places, programs, and what an app does with what it shows.
  @Test func dataPathsAreJudged() throws {
    let results = try run(
      """
        - app: portal
          features: [redact]
          steps:
            - { call: RegisterViewer, viewer: E, class: documents }
            - { call: SetIdentity, level: process, account: work@contoso.com }
            - { event: save, viewer: E, location: other, expect: block, reason: saveLocationNotListed }
            - event: save
              viewer: E
              location: sharePoint
              locationAccount: 6D5C
              expect: allow
              reason: locationAllowed
              setOwner: WORK@contoso.com
              mustEncrypt: true
            - { event: save, viewer: E, inPlace: true, path: /home/w/a.txt, expect: allow, reason: inPlace }
            - { event: download, viewer: E, url: "https://a.contoso.com/f", expect: block }
            - { event: share, viewer: E, peer: org.example.unknown.desktop, expect: block }
            - { event: share, viewer: E, peer: notes, peerAccount: work@contoso.com, expect: allow }
            - { event: print, viewer: E, expect: block, reason: printBlocked }
            - { event: capture, viewer: E, capture: screenshot, expect: allow, reason: captureAllowed }
            - { event: capture, viewer: E, capture: ownImage, expect: allow, reason: captureOwnImage }
            - { event: notify, viewer: E, expect: redact, reason: notificationRedacted }
            - { event: index, viewer: E, expect: block, reason: indexBlocked }
            - { event: exchange, viewer: E, channel: assistant, expect: block, reason: channelBlocked }
            - { event: exchange, viewer: E, channel: backup, expect: allow, reason: channelAllowed }
            - { event: openURL, viewer: E, url: "tel:1", expect: handOff }
        - app: portal
          steps:
            - { call: RegisterViewer, viewer: E, class: documents }
            - { call: SetIdentity, level: process, account: work@contoso.com }
            - { event: notify, viewer: E, expect: block, reason: notificationBlocked }
      """)
    #expect(results.flatMap(\.steps).compactMap(\.failure) == [])
  }

  /// The daemon asks for another identity; the app answers, and asks again.
  @Test func switchesAreAnswered() throws {
    let receive = "{ event: receive, viewer: E, peer: org.example.unknown.desktop, expect: "
    let results = try run(
      """
        - app: portal
          features: [switchIdentity]
          steps:
            - { call: RegisterViewer, viewer: E, class: documents, window: main }
            - { call: SetIdentity, level: window, window: main, account: work@contoso.com }
            - \(receive)switchIdentity, reason: identitySwitchNeeded, switchTo: "" }
            - { call: Answer, result: success }
            - \(receive)allow }
        - app: portal
          features: [switchIdentity]
          steps:
            - { call: RegisterViewer, viewer: E, class: documents, window: main }
            - { call: SetIdentity, level: window, window: main, account: work@contoso.com }
            - \(receive)switchIdentity }
            - { call: Answer, request: switch-0000000000000001-1, result: canceled }
            - \(receive)block, reason: identitySwitchFailed }
            - { call: Answer, result: success, expect: RequestIsOver }
        - app: portal
          features: [switchIdentity]
          steps:
            - { call: RegisterViewer, viewer: E, class: documents, window: main }
            - { call: SetIdentity, level: window, window: main, account: work@contoso.com }
            - \(receive)switchIdentity }
            - { call: Answer, after: 1h, result: success, expect: RequestIsOver }
      """)
    #expect(results.flatMap(\.steps).compactMap(\.failure) == [])
  }

  /// Several accounts in one window lock it down; a second managed account is refused.
  @Test func accountsOfOneWindow() throws {
    let results = try run(
      """
        - app: portal
          steps:
            - { call: RegisterViewer, viewer: E, class: documents, window: main }
            - { call: SetIdentity, level: window, window: main, accounts: [work@contoso.com, me@example.org] }
            - { event: print, viewer: E, expect: block, reason: mixedViewLockdown }
            - { call: SetIdentity, level: scope, account: other@contoso.com, expect: SecondManagedAccount }
            - { call: SetIdentity, level: window, window: main, account: null }
            - { call: SetIdentity, level: scope, account: gone@contoso.com }
            - { event: print, viewer: E, expect: block, reason: accountBlocked }
      """)
    #expect(results.flatMap(\.steps).compactMap(\.failure) == [])
  }

  /// Time passes only where a test says so, and the date is its own.
  @Test func timeIsTheTestsOwn() throws {
    let paste = "{ event: paste, app: notes, viewer: N, selection: clipboard, length: 10, expect: "
    let navigate = "{ event: navigate, viewer: E, url: \"https://campaign.example/\", frame: main, expect: "
    let setUp = """
      { call: RegisterViewer, viewer: E, class: documents }
            - { call: SetIdentity, level: process, account: work@contoso.com }
      """
    let results = try run(
      """
        - app: portal
          features: [wrap, plainText]
          steps:
            - \(setUp)
            - { call: RegisterViewer, app: notes, viewer: N }
            - { event: copy, viewer: E, selection: clipboard, length: 10, expect: allow }
            - \(paste)allow, reason: withinLimit }
            - \(paste)block }
            - { event: copy, viewer: E, selection: clipboard, length: 10, after: 61s, expect: allow }
            - \(paste)allow, reason: withinLimit }
            - \(navigate)allow, rule: campaign }
        - app: portal
          at: 2027-01-31T12:00:00Z
          steps:
            - \(setUp)
            - \(navigate)allow, rule: campaign }
        - app: portal
          at: 2027-02-01
          steps:
            - \(setUp)
            - \(navigate)block, rule: default }
      """)
    #expect(results.flatMap(\.steps).compactMap(\.failure) == [])
  }

  /// Groups bind accounts that no pattern takes.
  @Test func groupsAreTheUsers() throws {
    let steps = """
      steps:
            - { call: RegisterViewer, viewer: E }
            - { call: SetIdentity, level: process, account: me@example.org }
            - { event: capture, viewer: E, capture: recording, expect:
      """
    let results = try run(
      "  - app: portal\n    \(steps) allow }\n  - app: portal\n    groups: [sales]\n    \(steps) block }")
    #expect(results.flatMap(\.steps).compactMap(\.failure) == [])
  }

  @Test func failuresSayWhatWasGot() throws {
    let results = try run(
      """
        - app: portal
          steps:
            - { call: RegisterViewer, viewer: E, class: document }
            - { call: RegisterViewer, viewer: E, class: documents, expect: UnknownClass }
            - { call: SetIdentity, level: process, account: work@contoso.com }
            - { event: print, viewer: E, expect: allow }
            - { event: print, viewer: E, expect: block, reason: captureBlocked }
            - { event: navigate, viewer: E, url: "https://a.contoso.com/", frame: main, expect: allow, rule: default }
            - { event: print, viewer: E, expect: block, rule: default }
            - { event: save, viewer: E, location: sharePoint, expect: allow, mustEncrypt: false, tagAs: me@example.org }
            - { call: ForgetViewer, viewer: F, expect: PolicyLocked }
      """)
    #expect(results.map(\.passed) == [false])
    #expect(
      results.flatMap(\.steps).map(\.failure) == [
        "expected it to be done, got the error `UnknownClass`", "expected the error `UnknownClass`, got it done", nil,
        "expected allow, got block by `printBlocked`",
        "expected block by `captureBlocked`, got block by `printBlocked`",
        "expected allow of rule `default`, got allow by `internal` of rule `tenant`",
        "expected block of rule `default`, got block by `printBlocked` of no rule",
        "expected allow, `mustEncrypt` `false`, `tagAs` `me@example.org`, got `mustEncrypt` `true`, no `tagAs`",
        "expected the error `PolicyLocked`, got the error `UnknownViewer`",
      ])
    #expect(results.first?.steps.map(\.step.location.line) == Array(28...36))
  }

  /// Tests of all files are run, in the order of the files, and one test knows nothing of another.
  @Test func testsStandForThemselves() throws {
    let test = """
      tests:
        - { steps: [{ call: RegisterViewer, viewer: V }, { event: print, viewer: V, expect: allow }] }
        - { steps: [{ call: ForgetViewer, viewer: V, expect: UnknownViewer }] }
      """
    let result = load(["policy.d/a.yaml": "apps: { x: {} }\n" + test, "policy.d/b.yaml": test])
    let policy = try #require(result.policy, "\(result.diagnostics)")
    let results = policy.tests.map(PolicyTestRunner(policy).run)
    #expect(results.map(\.passed) == [true, true, true, true])
    let files = results.map(\.test.location.file)
    #expect(files == ["c/policy.d/a.yaml", "c/policy.d/a.yaml", "c/policy.d/b.yaml", "c/policy.d/b.yaml"])
  }
}
