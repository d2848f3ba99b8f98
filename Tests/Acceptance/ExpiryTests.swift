import Foundation
import JSONText
import Testing

/// Rules that end by themselves, in a running daemon.
@Suite struct ExpiryTests {
  private static func rules(_ expires: String) -> String {
    """
    ruleSet: documents
    default: external
    rules:
      - { id: visitor-wifi, internal: { host: portal.hotel.example }, expires: "\(expires)" }
    """
  }

  private func verdict(_ app: Viewers) throws -> JSONTree {
    try app.peer.decide("Navigate", ["viewer": "E", "url": "https://portal.hotel.example/", "frame": "main"])
  }

  /// The first verdict that is no `allow`; after 20 seconds, whatever it is.
  private func verdictOnceNotAllowed(_ app: Viewers) throws -> JSONTree {
    let deadline = Date(timeIntervalSinceNow: 20)
    while true {
      let found = try verdict(app)
      guard found["outcome"] == "allow", Date() < deadline else { return found }
      usleep(100_000)
    }
  }

  @Test func aRuleEndsAtItsTimeWithoutAReload() throws {
    let end = Date(timeIntervalSinceNow: 3).formatted(.iso8601)
    let daemon = try DaemonProcess(ExamplePolicy.files(rules: Self.rules(end)))
    let app = try Viewers.signedIn(daemon)
    let before = try verdict(app)
    #expect(before["outcome"] == "allow")
    #expect(before["rule"] == "visitor-wifi")
    let after = try verdictOnceNotAllowed(app)
    #expect(after["outcome"] == "redirect")
    #expect(after["rule"] == "default")
    #expect(after["generation"] != before["generation"])
    daemon.stop()
    let expired = try daemon.records().filter { $0["type"] == "policy" }.compactMap { $0["expired"] }
    #expect(expired == [["documents/visitor-wifi"]])
  }

  /// The log names what is enforced from then on.
  @Test func monitoringEndsAtItsTimeWithoutAReload() throws {
    let end = Date(timeIntervalSinceNow: 3).formatted(.iso8601)
    let rules = Self.rules("2099-12-31").replacing("default: external", with: "default: internal")
      .replacing("internal: { host", with: "then: block, monitorOnly: { until: \"\(end)\" }, external: { host")
    let daemon = try DaemonProcess(ExamplePolicy.files(rules: rules))
    let app = try Viewers.signedIn(daemon)
    let before = try verdict(app)
    #expect(before["outcome"] == "allow")
    #expect(before["advice"]?["rule"] == "visitor-wifi")
    let after = try verdictOnceNotAllowed(app)
    #expect(after["outcome"] == "block")
    #expect(after["reason"] == "blockedByRule")
    #expect(after["advice"] == nil)
    daemon.stop()
    let enforced = try daemon.records().filter { $0["type"] == "policy" }.compactMap { $0["enforced"] }
    #expect(enforced == [["rule `documents/visitor-wifi`"]])
  }

  /// The clock of the log counts: setting the system's clock back revives nothing.
  @Test func whatExpiredBeforeTheStartIsNotInForce() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(rules: Self.rules("2026-01-31")))
    let app = try Viewers.signedIn(daemon)
    #expect(try verdict(app)["rule"] == "default")
  }
}
