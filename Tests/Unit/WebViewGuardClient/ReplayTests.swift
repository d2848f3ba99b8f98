import GuardModel
import TestSupport
import Testing
import WebViewGuardClient

/// What a client says again, when the daemon lost it or a connection was lost.
@Suite(.timeLimit(.minutes(10))) struct ReplayTests {
  @Test(arguments: ["again", "anew"])
  func saysAgainWhatTheVectorsSay(way: String) async throws {
    let cases = try Vectors.cases("replay")
    for example in cases {
      await #expect(throws: Never.self, "\(example["name"]?.string ?? "")") {
        try await replay(example, isAnew: way == "anew")
      }
    }
    #expect(cases.count >= 19)
  }

  private func replay(_ example: GuardValue, isAnew: Bool) async throws {
    let place = try Place()
    let script = Script(example)
    let hello = example["hello"] ?? [:]
    let guardian = GuardClient.at(
      place, features: script.features, languages: hello["languages"]?.array?.compactMap(\.string) ?? [],
      version: hello["version"]?.string, rules: hello["rules"]?.string)
    for call in script.before { try? await guardian.say(call) }
    let daemon = try FakeDaemon(at: place.socket) { script.answer($0, isAnew: isAnew) }
    defer { daemon.stop() }
    #expect(await guardian.start())
    try await eventually("everything is said") { daemon.methods(on: 1).count == script.first.count }
    #expect(daemon.frames(on: 1) == script.first)
    for call in script.calls { try? await guardian.say(call) }
    // A call that was lost took the connection with it.
    if !script.losesConnection { daemon.hangUp() }
    let expected = isAnew ? script.anew : script.again
    try await eventually("everything is said again") {
      guardian.isConnected && daemon.connectionCount == 2 && daemon.methods(on: 2).count >= expected.count
    }
    _ = await guardian.copy(.init(viewer: "v1"))
    #expect(daemon.frames(on: 2).filter { $0["method"] != "Copy" } == expected, "\(example["name"]?.string ?? "")")
    // Questions come behind all that.
    #expect(daemon.methods(on: 2).last == "Copy")
  }

  @Test func aQuestionWaitsForTheReconnect() async throws {
    let place = try Place()
    let first = try FakeDaemon(at: place.socket, answer: Wire.usual)
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    try await guardian.registerViewer("v1", class: "documents")
    first.stop()
    let second = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { second.stop() }
    try await eventually("it is noticed") { !guardian.isConnected || second.connectionCount == 1 }
    try await eventually("the back-off is over") { second.connectionCount == 1 }
    #expect(await guardian.navigate(.init(viewer: "v1", url: "https://a.example/")).isAllowed)
    #expect(second.heard.map(\.method) == ["Attach", "RegisterViewer", "Navigate"])
  }

  @Test func reportsWhatIsRefusedTheSecondTime() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.connection == 2 && call.method == "RegisterViewer" ? .text(Wire.error("UnknownClass")) : Wire.usual(call)
    }
    defer { daemon.stop() }
    let problems = Problems()
    let guardian = GuardClient.at(place, problems)
    #expect(await guardian.start())
    try await guardian.registerViewer("v1", class: "documents")
    daemon.hangUp()
    try await eventually("it is reported") {
      problems.all.contains { problem in
        if case .replayRefused("RegisterViewer", let refusal) = problem {
          refusal.word == "UnknownClass"
        } else {
          false
        }
      }
    }
    #expect(await guardian.navigate(.init(viewer: "v1", url: "https://a.example/")).isAllowed)
  }

  @Test func remembersASwitchThatCameAbout() async throws {
    let place = try Place()
    let decision = #"{"outcome":"switchIdentity","reason":"identitySwitchNeeded","switchTo":"","request":"switch-1"}"#
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "Receive" ? .text(#"{"parameters":{"decision":\#(decision)}}"#) : Wire.usual(call)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place, features: [.switchIdentity])
    #expect(await guardian.start())
    try await guardian.setIdentity(.window("w1"), account: "work@contoso.com")
    try await guardian.registerViewer("v1", window: "w1")
    try await guardian.registerViewer("inner", parent: "v1")
    let asked = await guardian.receive(.init(viewer: "inner", peer: "org.example.Editor.desktop"))
    #expect(asked.outcome == .switchIdentity)
    try await guardian.answer(try #require(asked.request), .success)
    daemon.hangUp()
    try await eventually("it is said again") { daemon.methods(on: 2).contains("SetIdentity") }
    let said = daemon.heard.last { $0.method == "SetIdentity" }
    #expect(said?.parameters == ["level": "window", "window": "w1", "account": ""])
  }

  /// The app was told that nobody answered; whatever the daemon did, after the reconnect it is as the app knows it.
  @Test func takesBackASwitchThatNobodyAnswered() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "SetIdentity" && call.connection == 1 ? .close : Wire.usual(call)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    await #expect(throws: GuardError.noAnswer) {
      try await guardian.setIdentity(.window("w1"), account: "work@contoso.com", gates: .success)
    }
    try await eventually("it is taken back") { daemon.methods(on: 2).contains("SetIdentity") }
    #expect(daemon.heard("SetIdentity").last?.parameters == ["level": "window", "window": "w1"])
    #expect(await guardian.copy(.init(viewer: "v1")).isAllowed)
    daemon.hangUp()
    try await eventually("it is connected again") { daemon.methods(on: 3).contains("Attach") && guardian.isConnected }
    // Once it was heard it need not be said again.
    #expect(daemon.methods(on: 3) == ["Attach"])
  }

  /// A page may open windows while nobody answers: as many are remembered as the daemon would take.
  @Test func remembersNoMoreThanTheDaemonTakes() async throws {
    let place = try Place()
    let guardian = GuardClient.at(place)
    try await onThread {
      // Who is gone makes room.
      for number in 0..<4_200 {
        _ = guardian.relayBlocking(.viewer(ViewerDescription("v\(number)")))
        _ = guardian.relayBlocking(.forget(viewer: "v\(number)"))
      }
      for number in 0..<4_200 { _ = guardian.relayBlocking(.viewer(ViewerDescription("w\(number)"))) }
    }
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    #expect(await guardian.start())
    let said = daemon.heard("RegisterViewer").compactMap { $0.parameters["viewer"]?.string }
    let (expected, gone) = ((0..<4_096).map { "w\($0)" }, (104..<4_200).map { "v\($0)" })
    let areThese = said == expected
    #expect(areThese, "\(said.count) are registered, up to \(said.last ?? "none")")
    let forgotten = daemon.heard("ForgetViewer").compactMap { $0.parameters["viewer"]?.string }
    let areGone = forgotten == gone
    #expect(areGone, "\(forgotten.count) are forgotten, from \(forgotten.first ?? "none")")
  }

  /// More than a connection takes at once: the daemon refuses calls beyond its limit, so the client holds them back.
  @Test func neverFloodsTheDaemon() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    for number in 0..<150 { try await guardian.registerViewer("v\(number)") }
    daemon.hangUp()
    try await eventually("everything is said again") {
      daemon.heard.count { $0.connection == 2 && $0.method == "RegisterViewer" } == 150
    }
    #expect(await guardian.copy(.init(viewer: "v149")).isAllowed)
  }
}

/// One case of the vectors, as a daemon and an app play it.
private struct Script: Sendable {
  let before, calls, first, again, anew: [GuardValue]
  let features: Set<GuardFeature>

  var losesConnection: Bool { calls.contains { $0["isLost"] == true } }

  init(_ example: GuardValue) {
    func list(_ name: String) -> [GuardValue] { example[name]?.array ?? [] }
    (before, calls, first, again, anew) = (list("before"), list("calls"), list("first"), list("again"), list("anew"))
    let words = example["hello"]?["features"]?.array?.compactMap(\.string) ?? []
    features = Set(words.compactMap(GuardFeature.init))
  }

  /// The calls as they come are answered as the case says; what is said again is always taken.
  func answer(_ heard: FakeDaemon.Heard, isAnew: Bool) -> FakeDaemon.Answer {
    if heard.method == "Attach" {
      let knowsIt = heard.parameters["instance"] == nil || !isAnew
      return .text(knowsIt ? Wire.attached() : Wire.error("UnknownInstance"))
    }
    let call = calls.first {
      $0["method"]?.string == heard.method && $0["parameters"]?.withoutNulls == heard.parameters
    }
    guard heard.connection == 1, let call else { return Wire.usual(heard) }
    if call["isLost"] == true { return .close }
    if let error = call["error"]?.string { return .text(Wire.error(error)) }
    if let result = call["result"] { return .text(#"{"parameters":{"level":"process","result":\#(result.text)}}"#) }
    return Wire.usual(heard)
  }
}

extension FakeDaemon {
  /// The frames that a connection heard, as the vectors write them.
  fileprivate func frames(on connection: Int) -> [GuardValue] {
    heard.filter { $0.connection == connection }.map { heard in
      var parameters = heard.parameters.object ?? [:]
      // The library's own, which no vector states.
      if heard.method == "Attach" {
        #expect(parameters.removeValue(forKey: "clientVersion") == .string(GuardClient.libraryVersion))
      }
      // What this app calls itself in every case that does not say so.
      if parameters["app"] == "com.contoso.portal", parameters["languages"] == nil { parameters["app"] = nil }
      return ["method": .string(heard.method), "parameters": .object(parameters)]
    }
  }
}

extension GuardValue {
  fileprivate var withoutNulls: GuardValue { .object((object ?? [:]).filter { $0.value != .null }) }
}

extension GuardClient {
  /// Says what a case of the vectors says.
  fileprivate func say(_ call: GuardValue) async throws {
    let said = call["parameters"] ?? .null
    func text(_ name: String) -> String? { said[name]?.string }
    let viewer = text("viewer") ?? ""
    switch call["method"]?.string {
    case "RegisterViewer":
      try await registerViewer(
        viewer, class: text("class"), parent: text("parent"), window: text("window"), opener: text("opener"),
        kind: text("kind").flatMap(ViewerKind.init), document: text("document"),
        policy: WebViewPolicy.allCases.first { $0.name == text("policy") }, ruleSet: text("ruleSet"))
    case "SetDocument": try await setDocument(viewer, text("document"))
    case "ForgetViewer": try await forgetViewer(viewer)
    case "SetWebViewPolicy":
      try await setWebViewPolicy(viewer, try #require(WebViewPolicy.allCases.first { $0.name == text("policy") }))
    case "SetExternalURLRules": try await setExternalURLRules(viewer, text("ruleSet"))
    case "SetIdentity":
      if let accounts = said["accounts"]?.array?.compactMap(\.string) {
        try await setIdentity(ofWindow: text("window") ?? "", accounts: accounts)
      } else {
        let target: IdentityTarget =
          text("level") == "window" ? .window(text("window") ?? "") : text("level") == "scope" ? .scope : .process
        try await setIdentity(target, account: text("account"), gates: text("gates").flatMap(SwitchResult.init))
      }
    default: throw TestFailure("an unknown call: \(call.text)")
    }
  }
}
