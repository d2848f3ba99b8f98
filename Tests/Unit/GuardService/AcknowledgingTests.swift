import EmbeddedGuard
import GuardService
import JSONText
import TestSupport
import Testing

/// An app says what came of a decision: of its own, once, and as long as the decision is remembered.
@Suite struct AcknowledgingTests {
  private let guardian: TestGuard
  private let app: TestProgram

  /// Opening a page warns, printing is blocked, a page of the organisation is allowed.
  init() throws {
    guardian = try TestGuard(TestPolicy.files(protection: TestPolicy.protection + "\nwarn: [share]"))
    app = try guardian.app(features: ["warn"])
  }

  private enum Kind: String, CaseIterable {
    case warn
    case block
    case allow
  }

  private func decide(_ kind: Kind) throws -> JSONTree {
    let decision =
      switch kind {
      case .warn: try app.decide("Share", ["viewer": "E", "peer": "org.example.chat"])
      case .block: try app.decide("Print", ["viewer": "E"])
      case .allow: try app.decide("Navigate", ["viewer": "E", "url": "https://a.contoso.com/", "frame": "main"])
      }
    try #require(decision["outcome"]?.string == kind.rawValue)
    return try #require(decision["id"])
  }

  private func acknowledge(_ id: JSONTree, _ outcome: String = "block", _ why: String? = nil) throws -> String {
    var call: [JSONTree.Member] = [.init("decision", id), .init("outcome", .string(outcome))]
    if let why { call.append(.init("justification", .string(why))) }
    return try app.outcome("Acknowledge", .object(call))
  }

  /// A warning is passed over with a reason only; whatever else is reported needs none.
  @Test(
    arguments: [
      ("warn", "allow", nil, #"InvalidParameter {"parameter":"justification"}"#),
      ("warn", "allow", "", #"InvalidParameter {"parameter":"justification"}"#), ("warn", "allow", "x", "done"),
      ("warn", "warn", nil, #"InvalidParameter {"parameter":"justification"}"#),
      ("warn", "handOff", nil, #"InvalidParameter {"parameter":"justification"}"#),
      ("warn", "redact", "", #"InvalidParameter {"parameter":"justification"}"#),
      ("warn", "block", nil, "done"), ("warn", "redirect", nil, "done"), ("warn", "switchIdentity", nil, "done"),
      ("block", "block", nil, "done"), ("block", "allow", nil, "done"), ("allow", "allow", nil, "done"),
      ("allow", "block", "no paper", "done"), ("allow", "nonsense", nil, #"InvalidParameter {"parameter":"outcome"}"#),
    ] as [(String, String, String?, String)])
  func aWarningIsPassedOverWithAReason(_ kind: String, _ outcome: String, _ why: String?, _ expected: String) throws {
    let id = try decide(try #require(Kind(rawValue: kind)))
    #expect(try acknowledge(id, outcome, why) == expected)
    let records = try guardian.records("acknowledged")
    #expect(records.count == (expected == "done" ? 1 : 0))
    guard expected == "done" else {
      // What was refused is not used up.
      #expect(try acknowledge(id, "block") == "done")
      return
    }
    #expect(records.first?["decided"]?.string == kind && records.first?["outcome"]?.string == outcome)
    #expect(records.first?["justification"]?.string == why)
    #expect(try acknowledge(id, outcome, why).hasPrefix("UnknownDecision"), "once")
  }

  @Test(arguments: [(1024, "done"), (1025, #"LimitReached {"limit":"justificationBytes","maximum":1024}"#)])
  func aJustificationHasALimit(_ bytes: Int, _ expected: String) throws {
    let id = try decide(.warn)
    #expect(try acknowledge(id, "allow", String(repeating: "j", count: bytes)) == expected)
    let wide = String(repeating: "ä", count: (bytes + 1) / 2)
    #expect(try acknowledge(try decide(.warn), "allow", wide) == (bytes == 1024 ? "done" : expected), "bytes count")
  }

  /// Numbers that were never given, or to another instance; the refusal repeats no more of them than a number has.
  @Test func decisionsOfOthersAreUnknown() throws {
    let id = try decide(.block)
    let other = try guardian.app(uid: 1001, features: ["warn"])
    let call: JSONTree = ["decision": id, "outcome": "block"]
    #expect(try other.outcome("Acknowledge", call).hasPrefix("UnknownDecision"))
    for text in ["0", "-1", "1", " \(id.string ?? "")", "\(id.string ?? "")0", "18446744073709551616", "NaN"] {
      #expect(try acknowledge(.string(text)).hasPrefix("UnknownDecision"), "\(text)")
    }
    let refused = try acknowledge(.string(String(repeating: "9", count: 5000)))
    #expect(refused == #"UnknownDecision {"decision":"\#(String(repeating: "9", count: 64))"}"#)
    #expect(try acknowledge(id) == "done")
    #expect(try guardian.program().outcome("Acknowledge", call) == "NotAttached")
  }

  /// Any connection of the instance may say it.
  @Test func theInstanceRemembersAndNotTheConnection() throws {
    let id = try decide(.block)
    let second = try guardian.program()
    try second.attach(["instance": .string(app.token)])
    app.line.close()
    #expect(try second.outcome("Acknowledge", ["decision": id, "outcome": "block"]) == "done")
  }

  /// The attack: an app asks so much that a person's warning is forgotten before the person has answered it.
  @Test func otherQuestionsPushNoWarningOut() throws {
    let warning = try decide(.warn)
    for _ in 0..<600 { _ = try decide(.block) }
    for _ in 0..<63 { _ = try decide(.warn) }
    #expect(try acknowledge(warning) == "done")
    let next = try decide(.warn)
    for _ in 0..<64 { _ = try decide(.warn) }
    #expect(try acknowledge(next).hasPrefix("UnknownDecision"))
  }

  /// The attack: a person declines, clicks again within the action, and gives a reason that no record has.
  @Test func anAnsweredWarningIsAskedAboutAnew() throws {
    var files = TestPolicy.files(protection: TestPolicy.protection + "\nwarn: [navigate]")
    files["policy.d/policy.yaml"]?.replace("webTransfer: managedBrowser", with: "webTransfer: block")
    let guardian = try TestGuard(files)
    let app = try guardian.app(features: ["warn"])
    let click: JSONTree = ["viewer": "E", "url": "https://evil.example/", "frame": "main", "action": "click-1"]
    var ids: [JSONTree] = []
    for turn in 0..<70 {
      let first = try app.decide("Navigate", click)
      try #require(first["outcome"]?.string == "warn")
      #expect(first["repeat"] == nil, "\(turn)")
      let again = try app.decide("Navigate", click)
      #expect(again["id"] == first["id"] && again["repeat"] == true, "nobody has answered yet")
      let said = JSONTree.string("reason \(turn)")
      let id = try #require(first["id"])
      let outcome: JSONTree = turn.isMultiple(of: 2) ? "block" : "allow"
      let call: JSONTree = ["decision": id, "outcome": outcome, "justification": said]
      #expect(try app.outcome("Acknowledge", call) == "done")
      #expect(try app.outcome("Acknowledge", call).hasPrefix("UnknownDecision"), "once")
      ids.append(id)
    }
    let records = try guardian.records("acknowledged")
    #expect(records.map { $0["id"] } == ids)
    #expect(records.map { $0["justification"]?.string } == (0..<70).map { "reason \($0)" })
    #expect(try guardian.records("repeats").map { $0["id"] } == ids, "no repetition is lost")
  }

  /// The last 64 warnings and the last 256 other decisions, in plain lists.
  @Test func randomReportsFollowTheModel() throws {
    var random = SeededGenerator()
    var known: [Bool: [(id: JSONTree, isOver: Bool)]] = [true: [], false: []]
    var forgotten: [JSONTree] = []
    for step in 0..<Effort.scaled(20_000) {
      let kind = random.one(of: Kind.allCases)
      let id = try decide(kind)
      var ring = known[kind == .warn] ?? []
      ring.append((id, false))
      if ring.count > (kind == .warn ? 64 : 256) { forgotten.append(ring.removeFirst().id) }
      known[kind == .warn] = ring
      guard random.oneIn(3) else { continue }
      let isWarning = random.oneIn(2)
      if random.oneIn(4), !forgotten.isEmpty {
        let old = random.one(of: forgotten)
        #expect(try acknowledge(old).hasPrefix("UnknownDecision"), "\(random.note) at \(step)")
      } else if let list = known[isWarning], !list.isEmpty {
        let index = random.below(list.count)
        let answer = try acknowledge(list[index].id)
        #expect((answer == "done") == !list[index].isOver, "\(random.note) at \(step)")
        known[isWarning]?[index].isOver = true
      }
    }
  }

  /// Without an answer too it is recorded.
  @Test func onewayIsRecorded() throws {
    let id = try decide(.block)
    app.send("Acknowledge", ["decision": id, "outcome": "allow"], flags: ["oneway"])
    app.send("Acknowledge", ["decision": id, "outcome": "allow"], flags: ["oneway"])
    #expect(try app.replies().isEmpty)
    #expect(try guardian.records("acknowledged").count == 1)
  }
}
