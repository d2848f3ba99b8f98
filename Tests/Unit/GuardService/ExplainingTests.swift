import EmbeddedGuard
import GuardService
import JSONText
import PolicyFiles
import TestSupport
import Testing

/// Administrators ask why: the last decisions are remembered, with no more than the log has of them.
@Suite struct ExplainingTests {
  private func explain(_ admin: TestProgram, _ id: JSONTree?) throws -> JSONTree {
    try admin.ask("org.webviewguard.Rules.Explain", ["decision": id ?? .null])
  }

  private static func page(_ url: String, in viewer: String = "E") -> JSONTree {
    ["viewer": .string(viewer), "url": .string(url), "frame": "main"]
  }

  /// A ring of 4,096: the oldest goes first, and nothing else.
  @Test func theLastDecisionsAreRemembered() throws {
    let guardian = try TestGuard(withLog: false)
    let (app, admin) = (try guardian.app(), try guardian.administrator())
    var ids: [JSONTree?] = []
    let count = 4096 + 50
    for number in 0..<count {
      let decision = try app.decide("Navigate", Self.page("https://h\(number).contoso.com/"))
      ids.append(decision["id"])
    }
    for index in [0, 1, 48, 49] {
      let refused = try admin.outcome("org.webviewguard.Rules.Explain", ["decision": ids[index] ?? .null])
      #expect(refused.hasPrefix("UnknownDecision"))
    }
    for index in [50, 51, 2000, count - 2, count - 1] {
      let told = try explain(admin, ids[index])
      #expect(told["decision"]?["id"] == ids[index] && told["decision"]?.verdict == "allow internal")
      #expect(told["steps"]?.text().contains("h\(index).contoso.com") == true)
    }
  }

  @Test(arguments: ["0", "7", "nonsense", "99999999999999999999999", "-5"])
  func inventedNumbersAreUnknown(_ text: String) throws {
    let guardian = try TestGuard()
    _ = try guardian.app().decide("Print", ["viewer": "E"])
    let refused = try guardian.administrator().outcome(
      "org.webviewguard.Rules.Explain", ["decision": .string(text)])
    #expect(refused == #"UnknownDecision {"decision":"\#(text)"}"#)
  }

  /// The trap: an offer repeats the URL with its query, and a message may name the account; administrators who may ask
  /// why need not be allowed to read the log.
  @Test func nothingIsToldThatTheLogLeavesOut() throws {
    let rules = TestPolicy.rules.replacing(
      "then: block }", with: "then: block, message: \"{url} is not for {account}\" }")
    let guardian = try TestGuard(TestPolicy.files(rules: rules))
    let (app, admin) = (try guardian.app(), try guardian.administrator())
    for url in ["https://shop.example/buy?token=secret#part", "https://files.example/up?token=secret"] {
      let decision = try app.decide("Navigate", Self.page(url))
      let told = try explain(admin, decision["id"])
      #expect(!told.text().contains("secret") && !told.text().contains("work@contoso.com"), "\(told.text())")
      #expect(told["decision"]?.verdict == decision.verdict)
      #expect(told.text().contains("acct:") && !decision.text().contains("acct:"))
    }
  }

  /// A private page is nobody's business but the user's.
  @Test func privatePagesAreNotNamed() throws {
    let guardian = try TestGuard()
    let (app, admin) = (try guardian.app(), try guardian.administrator())
    let decision = try app.decide("Navigate", Self.page("https://clinic.example/results", in: "P"))
    let told = try explain(admin, decision["id"])
    #expect(!told.text().contains("clinic"), "\(told.text())")
    #expect(!(try guardian.records().map { $0.text() }.joined().contains("clinic")))
  }

  /// A long URL is for reading, and is shortened; two of them are still told apart by their numbers.
  @Test func longURLsAreShortened() throws {
    let guardian = try TestGuard()
    let (app, admin) = (try guardian.app(), try guardian.administrator())
    let long = "https://a.contoso.com/" + String(repeating: "p", count: 10_000)
    let first = try app.decide("Navigate", Self.page(long + "1"))
    let second = try app.decide("Navigate", Self.page(long + "2"))
    let told = [try explain(admin, first["id"]), try explain(admin, second["id"])]
    #expect(told.allSatisfy { $0.text().utf8.count < 6000 })
    #expect(told.map { $0["decision"]?["id"] } == [first["id"], second["id"]])
  }

  /// After a reload the settings that a decision used are not known any more; the decision itself is.
  @Test func aDecisionOutlivesItsPolicy() throws {
    let guardian = try TestGuard()
    let (app, admin) = (try guardian.app(), try guardian.administrator())
    let decision = try app.decide("Print", ["viewer": "E"])
    let before = try explain(admin, decision["id"])
    try guardian.adopt(TestPolicy.files(protection: "printing: allow"))
    let after = try explain(admin, decision["id"])
    #expect(after["decision"] == before["decision"])
    #expect(after["decision"]?["generation"]?.int == 1)
    #expect(try app.answer("Print", ["viewer": "E"]) == "allow printAllowed")
  }

  /// Questions that only draw a menu leave nothing behind.
  @Test func probesAreNotRemembered() throws {
    let guardian = try TestGuard()
    let (app, admin) = (try guardian.app(), try guardian.administrator())
    let probe = try app.decide("Share", ["viewer": "E", "peer": "com.contoso.mail", "probe": true])
    let real = try app.decide("Share", ["viewer": "E", "peer": "com.contoso.mail"])
    #expect(probe.verdict == real.verdict)
    let call = "org.webviewguard.Rules.Explain"
    #expect(try admin.outcome(call, ["decision": probe["id"] ?? .null]).hasPrefix("UnknownDecision"))
    #expect(try admin.outcome(call, ["decision": real["id"] ?? .null]) == "done")
    #expect(try guardian.records("decision").map { $0["id"] } == [real["id"]])
  }

  /// Classify says what the rules say, of any rule set, and without a program.
  @Test(
    arguments: [
      ("documents", "https://a.contoso.com/x?q", "internal", "tenant", "matched"),
      ("documents", "http://a.contoso.com/", "external", "default", "default"),
      ("documents", "https://files.example/", "external", "sharing", "matched"),
      ("documents", "not a url", "external", nil, "invalidURL"), ("documents", "", "external", nil, "invalidURL"),
    ] as [(String, String, String, String?, String)])
  func rulesAreAsked(_ set: String, _ url: String, _ verdict: String, _ rule: String?, _ reason: String) throws {
    let admin = try TestGuard().administrator()
    let told = try admin.ask("org.webviewguard.Rules.Classify", ["ruleSet": .string(set), "url": .string(url)])
    #expect(told["verdict"]?.string == verdict && told["rule"]?.string == rule && told["reason"]?.string == reason)
  }

  @Test func rulesThatAreNotThereAreUnknown() throws {
    let guardian = try TestGuard()
    let call: JSONTree = ["ruleSet": "other", "url": "https://a.example/"]
    let method = "org.webviewguard.Rules.Classify"
    #expect(try guardian.administrator().outcome(method, call) == #"UnknownRuleSet {"ruleSet":"other"}"#)
    #expect(try guardian.program().outcome(method, call).hasPrefix("InterfaceNotFound"), "not on the apps' socket")
    let empty = try TestGuard(withoutPolicy: DaemonSettings())
    #expect(try empty.administrator().outcome(method, call) == "NoPolicy")
  }
}
