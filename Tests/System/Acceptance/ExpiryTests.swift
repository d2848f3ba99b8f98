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

  /// A daemon on these rules with a time in them, and the first verdict, which came before that time. A machine without
  /// time for that gets more.
  private func startedInTime(_ rules: (String) -> String) throws -> (DaemonProcess, Viewers, JSONTree) {
    for seconds in [3.0, 10, 30, 100] {
      let end = Date(timeIntervalSinceNow: seconds)
      let daemon = try DaemonProcess(ExamplePolicy.files(rules: rules(end.formatted(.iso8601))))
      let app = try Viewers.signedIn(daemon)
      let found = try verdict(app)
      // The text names whole seconds.
      if Date() < end - 1 { return (daemon, app, found) }
    }
    throw DaemonFailure(text: "it did not answer within 100 seconds")
  }

  /// The first verdict that is no `allow`; after four minutes, whatever it is.
  private func verdictOnceNotAllowed(_ app: Viewers) throws -> JSONTree {
    let deadline = Date(timeIntervalSinceNow: 240)
    while true {
      let found = try verdict(app)
      guard found["outcome"] == "allow", Date() < deadline else { return found }
      usleep(100_000)
    }
  }

  @Test func aRuleEndsAtItsTimeWithoutAReload() throws {
    let (daemon, app, before) = try startedInTime(Self.rules)
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
    let (daemon, app, before) = try startedInTime { end in
      Self.rules("2099-12-31").replacing("default: external", with: "default: internal")
        .replacing("internal: { host", with: "then: block, monitorOnly: { until: \"\(end)\" }, external: { host")
    }
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
