import Foundation
import GuardModel
import TestSupport
import Testing
import WebViewGuardClient

/// The client for Swift and the daemon itself.
@Suite(.timeLimit(.minutes(10))) struct SwiftClientTests {
  private typealias Problems = Collected<GuardProblem>

  /// The longest that a contract may name, in milliseconds.
  private static let patientMs = FailureContract.times.upperBound

  private func start() throws -> DaemonProcess {
    try DaemonProcess([
      "webviewguard.yaml": "contract: { startMs: \(Self.patientMs), answerMs: \(Self.patientMs) }\n",
      "policy.d/policy.yaml": Self.policy, "rules/contoso.yaml": Self.rules,
    ])
  }

  private func page(_ url: String) -> GuardEvent {
    GuardEvent(viewer: "v1", url: url, from: "https://docs.contoso.com/", frame: .main, gesture: true)
  }

  /// A client that has said whose data it shows, and where.
  private func app(_ daemon: DaemonProcess, _ problems: Problems = Problems()) async throws -> GuardClient {
    let guardian = GuardClient(
      .init(
        app: "com.contoso.portal", socketPath: daemon.guardSocket, features: Set(GuardFeature.allCases),
        languages: ["de"]
      ) { problems.note($0) })
    #expect(await guardian.start())
    try await guardian.setIdentity(.process, account: "work@contoso.com")
    let viewer = try await guardian.registerViewer("v1", class: "documents", window: "w1")
    #expect((viewer.policy, viewer.policySource, viewer.ruleSet) == (.currentIdentity, .viewerClass, "contoso"))
    return guardian
  }

  @Test func decides() async throws {
    let daemon = try start()
    let guardian = try await app(daemon)
    #expect(guardian.contract.answerMilliseconds == Self.patientMs)
    let own = await guardian.navigate(page("https://docs.contoso.com/d/42"))
    #expect(own.isAllowed)
    #expect(own.reason.known == .internal)
    #expect((own.identity, own.identityLevel) == ("work@contoso.com", .process))
    #expect((own.rule, own.verdict) == ("own", .internal))
    let shared = await guardian.navigate(page("https://sharing.example/"))
    #expect(shared.outcome == .block)
    #expect(shared.message == "sharing.example is a personal file-sharing site")
    #expect(shared.opensNow == nil)
    let part = await guardian.navigate(.init(viewer: "v1", url: "https://cdn.example/a.png", frame: .resource))
    #expect(part.isAllowed)
    #expect(part.reason.known == .resource)
    let copied = await guardian.copy(
      .init(viewer: "v1", selection: .clipboard, length: 5, formats: ["text/plain"], display: ":0"))
    #expect(copied.clip != nil)
    let unknown = await guardian.paste(.init(viewer: "nobody", selection: .clipboard, display: ":0"))
    #expect(unknown.viewerIsUnknown)
    let batch = await guardian.decide([(.navigate, page("https://docs.contoso.com/")), (.print, .init(viewer: "v1"))])
    #expect(batch.map(\.isLocal) == [false, false])
    #expect(await guardian.locationHints(.save, .init(viewer: "v1")).map(\.location) == Location.allCases)
  }

  private func shown(_ guardian: GuardClient) async -> String? {
    let decision = await guardian.print(GuardEvent(viewer: "v1"))
    return decision.identity
  }

  @Test("MI-19, MI-20: an account for one piece of work, and then what was shown before")
  func scopes() async throws {
    let daemon = try start()
    let guardian = try await app(daemon)
    let work = "work@contoso.com"
    let inside = try await guardian.setAccount("") { () async throws -> [String?] in
      var seen = [await shown(guardian), guardian.scopedAccount]
      let within = try await guardian.setAccount(work) { () async throws -> [String?] in
        [await shown(guardian), guardian.scopedAccount]
      }
      seen += within
      return seen + [await shown(guardian)]
    }
    #expect(inside == ["", "", work, work, ""])
    #expect(await shown(guardian) == work)
    #expect(guardian.scopedAccount == nil)
    struct Mistake: Error {}
    await #expect(throws: Mistake.self) {
      try await guardian.setAccount("") { () async throws -> Void in throw Mistake() }
    }
    #expect(await shown(guardian) == work)
    // Refused: the work is not done.
    await #expect(throws: GuardError.self) {
      try await guardian.setAccount("nobody@elsewhere.example") { () async throws -> Void in Issue.record("it was done")
      }
    }
    #expect(await shown(guardian) == work)
    // Who is cancelled in the middle leaves no account behind.
    let began = Flag()
    let task = Task {
      try await guardian.setAccount("") { () async throws -> Void in
        began.set()
        try await Task.sleep(for: .seconds(3_600))
      }
    }
    try await eventually("the scope began") { began.isSet }
    #expect(guardian.scopedAccount == nil, "another task's scope is not this one's")
    #expect(await shown(guardian) == work)
    task.cancel()
    _ = await task.result
    #expect(await shown(guardian) == work)
    #expect(guardian.scopedAccount == nil)
  }

  @Test("MI-19: tasks with accounts of their own are judged apart") func tasksAreJudgedApart() async throws {
    let daemon = try start()
    let guardian = try await app(daemon)
    let accounts = ["work@contoso.com", "", "me@example.org", "work@contoso.com", ""]
    let seen = try await withThrowingTaskGroup(of: (Int, Set<String?>).self) { group in
      for (number, account) in accounts.enumerated() {
        group.addTask {
          try await guardian.setAccount(account) { () async throws -> (Int, Set<String?>) in
            var judged: Set<String?> = []
            for _ in 0..<20 { judged.insert(await guardian.print(GuardEvent(viewer: "v1")).identity) }
            return (number, judged)
          }
        }
      }
      return try await group.reduce(into: [Int: Set<String?>]()) { $0[$1.0] = $1.1 }
    }
    for (number, account) in accounts.enumerated() { #expect(seen[number] == Set<String?>([account])) }
  }

  @Test func oneClickOpensOneBrowser() async throws {
    let daemon = try start()
    let guardian = try await app(daemon)
    let url = "https://example.net/"
    // Engines ask one after another within a moment; here the moment is made short for a busy machine.
    let asked = await guardian.decide([(.navigate, page(url)), (.navigate, page(url)), (.navigate, page(url))])
    #expect(asked.map(\.outcome) == [.redirect, .redirect, .redirect])
    #expect(asked.compactMap(\.opensNow).map(\.desktopID) == ["com.contoso.Browser.desktop"])
    #expect(asked.map(\.isRepeat) == [false, true, true])
  }

  @Test func survivesTheDaemon() async throws {
    let daemon = try start()
    let problems = Problems()
    let guardian = try await app(daemon, problems)
    try await guardian.setDocument("v1", "https://docs.contoso.com/")
    try await guardian.registerViewer("p", class: "documents", opener: "v1", kind: .popup)
    try await guardian.setIdentity(.window("w1"), account: "me@example.org")
    #expect(await guardian.navigate(page("https://example.net/")).isAllowed)
    try await guardian.setIdentity(.window("w1"), account: nil)
    for _ in 0..<2 {
      daemon.kill()
      let away = await guardian.navigate(page("https://docs.contoso.com/"))
      #expect((away.outcome, away.reason, away.isLocal) == (.block, .noAnswer, true))
      try daemon.startAgain()
      try await eventually("it is connected again") { guardian.isConnected }
      #expect(await guardian.navigate(page("https://docs.contoso.com/")).isAllowed)
      let external = await guardian.navigate(page("https://other.example/"))
      #expect((external.outcome, external.identity, external.viewerIsUnknown) == (.redirect, "work@contoso.com", false))
      let popup = await guardian.navigate(.init(viewer: "p", url: "https://other.example/x", frame: .main))
      #expect((popup.outcome, popup.viewerIsUnknown) == (.redirect, false))
    }
    let refused = problems.all.filter { if case .replayRefused = $0 { true } else { false } }
    #expect(refused.isEmpty)
  }

  @Test func saysWhatTheDaemonRefuses() async throws {
    let daemon = try start()
    let guardian = try await app(daemon)
    let refusals: [(String, String, () async throws -> Void)] = [
      ("UnknownClass", "class", { try await guardian.registerViewer("v2", class: "none") }),
      ("UnknownViewer", "viewer", { try await guardian.setDocument("v9", "https://docs.contoso.com/") }),
      ("PolicyLocked", "viewer", { try await guardian.setWebViewPolicy("v1", .unmanaged) }),
      ("UnknownAccount", "account", { try await guardian.setIdentity(account: "who@example.com") }),
      ("UnknownRequest", "request", { try await guardian.answer("switch-0", .success) }),
      ("MethodNotFound", "method", { _ = try await guardian.call("Juggle") }),
    ]
    for (word, parameter, call) in refusals {
      let error = await #expect(throws: GuardError.self) { try await call() }
      guard case .refused(let refusal) = error else { throw TestFailure("\(word): \(String(describing: error))") }
      #expect(refusal.word == word)
      #expect(refusal.parameters[parameter] != nil, "\(word)")
    }
    #expect(await guardian.navigate(page("https://docs.contoso.com/")).isAllowed)
  }

  @Test func hearsOfANewPolicy() async throws {
    let daemon = try start()
    let guardian = try await app(daemon)
    var news = guardian.news(.policy).makeAsyncIterator()
    let first = try #require(await news.next())
    #expect(first.topic == .policy)
    let more = "  - id: more\n    internal: { domain: example.net }\n"
    try daemon.write(Self.rules + more, to: "rules/contoso.yaml")
    daemon.hangUp()
    let second = try #require(await news.next())
    #expect(second.generation > first.generation)
    #expect(second.digest != first.digest)
    #expect(await guardian.navigate(page("https://example.net/")).isAllowed)
  }

  @Test func switchesAccountsWhenAsked() async throws {
    let daemon = try start()
    let guardian = try await app(daemon)
    let asked = await guardian.receive(.init(viewer: "v1", peer: "org.example.Editor.desktop"))
    #expect((asked.outcome, asked.switchTo) == (.switchIdentity, ""))
    try await guardian.answer(try #require(asked.request), .success)
    #expect(await guardian.receive(.init(viewer: "v1", peer: "org.example.Editor.desktop")).isAllowed)
    // And it is still so for a daemon that never heard of it.
    daemon.kill()
    try await eventually("it is noticed") { !guardian.isConnected }
    try daemon.startAgain()
    try await eventually("it is connected again") { guardian.isConnected }
    #expect(await guardian.receive(.init(viewer: "v1", peer: "org.example.Editor.desktop")).isAllowed)
  }

  private static let policy = """
    apps:
      com.contoso.portal:
        peers: [{ uid: \(getuid()) }]
        identityMode: multi
        classes:
          documents: { policy: currentIdentity, externalURLs: contoso }
    accounts:
      - { upn: work@contoso.com, protection: contoso-standard }
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

  private static let rules = """
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
}
