import JSONText
import Testing

/// Questions by which a menu is drawn (ledger PR-02, SC-06).
@Suite struct ProbeTests {
  /// PR-02: whether the entry is shown is asked as often as the menu opens, in any form, and leaves no record; the event
  /// itself leaves one.
  @Test func aProbeLeavesNoRecord() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    let probe: JSONTree = ["viewer": "E", "probe": true]
    for _ in 0..<300 { #expect(try app.answer("Print", probe) == "block printBlocked") }
    #expect(
      try app.answer("Capture", ["viewer": "E", "capture": "screenshot", "probe": true]) == "allow captureAllowed")
    let batch = try app.peer.reply(
      "org.webviewguard.Guard.DecideMany", ["questions": [["kind": "print", "event": probe]]])
    #expect(batch["parameters"]?["decisions"] != nil, "\(batch.text())")
    let id = try app.decide("Print", probe)["id"] ?? .null
    let refused = try app.peer.reply(
      "org.webviewguard.Guard.Acknowledge", ["decision": id, "outcome": "block"])["error"]?.string
    #expect(refused == "org.webviewguard.Guard.UnknownDecision")
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
    daemon.stop()
    let records = try daemon.records().filter { $0["type"] == "decision" }
    #expect(records.compactMap { $0["event"]?.string } == ["print"])
  }

  /// SC-04: previews of the window are blurred where pictures are blocked.
  @Test func previewsAreBlurred() throws {
    let daemon = try DaemonProcess(DataPolicy.files(protection: DataPolicy.protection + "\nscreenCapture: block"))
    let app = try DataApp(daemon)
    for method in ["Capture", "Notify"] {
      #expect(try app.decide(method, ["viewer": "E"])["blurPreview"]?.bool == true)
      #expect(try app.decide(method, ["viewer": "P"])["blurPreview"] == nil)
    }
  }

  /// DT-14: the sheet of programs may be shown, and the answer says from which to choose; a batch leaves them out.
  @Test func theSheetOfProgramsMayBeShown() throws {
    let daemon = try DaemonProcess(
      DataPolicy.files(protection: DataPolicy.protection + "\nmanagedApps: [word.desktop]"))
    let app = try DataApp(daemon)
    let chooser: JSONTree = ["viewer": "E", "chooser": true]
    let decision = try app.decide("Share", chooser)
    #expect(decision["outcome"]?.string == "allow" && decision["reason"]?.string == "transferAllowed")
    #expect(decision["programs"] == ["com.contoso.viewers", "com.contoso.mail", "word.desktop"])
    #expect(try app.answer("Share", ["viewer": "E"]) == "block shareBlocked")
    let batch = try app.peer.reply(
      "org.webviewguard.Guard.DecideMany", ["questions": [["kind": "share", "event": chooser]]])
    let first = batch["parameters"]?["decisions"]?.array?.first
    #expect(first?["outcome"]?.string == "allow" && first?["programs"] == nil, "\(batch.text())")
  }
}
