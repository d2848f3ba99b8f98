import Foundation
import JSONText
import TestSupport
import Testing

/// Timed exceptions in a running daemon: in force when they are answered, on record, and over by themselves.
@Suite struct ExceptionTests {
  @Test func whatIsGrantedIsInForceAndOnRecord() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    let before = try app.open("files.example")
    #expect(before["reason"] == "blockedByRule")
    let admin = try ExceptionGrants(daemon)
    let granted = try admin.add(["app": "com.contoso.viewers", "account": "Work@Contoso.com"])
    let id = try #require(granted["id"]?.string)
    let after = try app.open("files.example")
    #expect(after["outcome"] == "allow" && after["reason"] == "exception")
    #expect(after["exception"]?.string == id)
    #expect(after["verdict"] == "external" && after["rule"] == "sharing", "what the rules said stands")
    #expect(after["digest"] == before["digest"] && after["generation"] != before["generation"])
    #expect(after["message"] == nil)
    #expect(try app.open("www.files.example")["reason"] == "blockedByRule", "one host")
    #expect(try admin.status()["exceptions"] == 1)
    #expect(try admin.status()["nextExceptionEnd"] == granted["until"])
    #expect(try admin.list() == [granted])
    let decision = try #require(after["id"]?.string)
    let steps = try admin.peer.call("org.webviewguard.Rules.Explain", ["decision": .string(decision)])["steps"]
    let told = steps?.array?.compactMap(\.string).first { $0.contains("exception `\(id)`") }
    #expect(told?.contains("host `files.example` counts as internal") == true)
    #expect(told?.hasSuffix("`a tender`") == true && told?.contains("uid \(getuid())") == true)
    daemon.stop()
    let added = try #require(try daemon.exceptionRecords().first)
    #expect(added["act"] == "added" && added["id"]?.string == id && added["host"] == "files.example")
    #expect(added["uid"]?.int == Int64(getuid()) && added["reason"] == "a tender" && added["until"] != nil)
    #expect(added["account"]?.string?.hasPrefix("acct:") == true, "as every account in the log")
    let named = try daemon.records().filter { $0["type"] == "decision" && $0["exception"]?.string == id }
    #expect(named.count == 1)
  }

  @Test func itIsForWhatItSays() throws {
    let purposes = "for: [page, frame, resource, download]"
    let rules = ExamplePolicy.rules.replacing("then: block", with: "then: block, \(purposes)")
    let daemon = try DaemonProcess(ExamplePolicy.files(app: "identityMode: multi", rules: rules))
    let app = try Viewers.signedIn(daemon)
    let admin = try ExceptionGrants(daemon)
    try admin.add(["domain": "files.example", "subjects": ["page"]])
    #expect(try app.open("a.b.files.example")["reason"] == "exception")
    #expect(try app.open("files.example", frame: "resource")["reason"] == "blockedByRule")
    #expect(try app.open("xfiles.example")["reason"] == "external")
    #expect(try app.open("user@files.example")["outcome"] == "block", "credentials stay what they are")
    #expect(try app.open("files.example", in: "nobody-registered-it")["outcome"] == "block")
    let other = try admin.add(["host": "other.example", "account": "me@contoso.com"])
    #expect(try app.open("other.example")["reason"] == "external", "another account's")
    try admin.remove(try #require(other["id"]?.string))
    let file: JSONTree = ["viewer": "E", "url": "https://files.example/x", "location": "localStorage"]
    #expect(try app.peer.decide("Download", file)["reason"] == "blockedByRule")
    try admin.add(["subjects": ["download"]])
    let download = try app.peer.decide("Download", file)
    #expect(download["reason"] != "blockedByRule" && download["exception"] != nil)
  }

  @Test func itEndsByItself() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    let admin = try ExceptionGrants(daemon)
    let granted = try admin.add(["seconds": 2])
    #expect(try app.open("files.example")["reason"] == "exception")
    let after = try app.openOnceOver("files.example")
    #expect(after["reason"] == "blockedByRule" && after["exception"] == nil)
    #expect(try admin.list() == [] && admin.status()["exceptions"] == nil)
    let ended = try #require(try admin.list(all: true).first)
    #expect(ended["id"] == granted["id"] && ended["ended"] == "over" && ended["endedAt"] == granted["until"])
    daemon.stop()
    let records = try daemon.exceptionRecords()
    #expect(records.map { $0["act"] } == ["added", "ended"])
    #expect(records.last?["generation"] == after["generation"])
  }

  @Test func whatIsTakenBackNoLongerHolds() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    let admin = try ExceptionGrants(daemon)
    let id = try #require(try admin.add()["id"]?.string)
    #expect(try app.open("files.example")["reason"] == "exception")
    let removed = try admin.remove(id)
    #expect(removed["ended"] == "removed" && removed["endedBy"]?.int == Int64(getuid()))
    #expect(try app.open("files.example")["reason"] == "blockedByRule")
    #expect(throws: VarlinkError.self) { try admin.remove(id) }
    daemon.kill()
    try daemon.startAgain()
    #expect(try Viewers.signedIn(daemon).open("files.example")["reason"] == "blockedByRule")
    #expect(try ExceptionGrants(daemon).list(all: true).first?["ended"] == "removed")
    #expect(try daemon.exceptionRecords().map { $0["act"] } == ["added", "removed"])
  }

  @Test func aReloadLeavesItInForce() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    let admin = try ExceptionGrants(daemon)
    try admin.add()
    let more = "\n  - { id: more, external: { host: more.example } }"
    try daemon.write(ExamplePolicy.rules + more, to: "rules/documents.yaml")
    #expect(try admin.peer.call("org.webviewguard.Admin.Reload")["changed"] == true)
    #expect(try app.open("files.example")["reason"] == "exception")
  }

  // MARK: Refused

  private static let doubtful: [([String: JSONTree], String)] = [
    (["host": "a.example", "domain": "b.example"], "noSite"), (["host": .null], "noSite"),
    (["host": "a b"], "badSite"), (["host": ""], "badSite"), (["host": "https://a.example/"], "badSite"),
    (["host": "a.example:80"], "badSite"), (["domain": "127.0.0.1"], "badSite"), (["domain": "co.uk"], "publicSuffix"),
    (["domain": "com"], "publicSuffix"), (["domain": "github.io"], "publicSuffix"), (["seconds": 0], "badTime"),
    (["seconds": -1], "seconds"), (["seconds": 2_592_001], "badTime"), (["reason": " \n"], "badReason"),
    (["reason": .string(String(repeating: "x", count: 501))], "badReason"),
    (["app": "com.contoso.none"], "unknownApp"), (["account": "someone@nowhere.example"], "unknownAccount"),
    (["subjects": ["clipboard"]], "subjects"), (["seconds": "2h"], "seconds"), (["colour": "blue"], "colour"),
  ]

  @Test func whatIsDoubtfulIsRefused() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let admin = try ExceptionGrants(daemon)
    for (more, why) in Self.doubtful {
      #expect(try admin.refusal(ExceptionGrants.parameters(more)) == why, "\(more)")
    }
    #expect(try admin.list(all: true) == [])
    #expect(try daemon.exceptionRecords() == [])
  }

  @Test func noMoreThanAThousand() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let admin = try ExceptionGrants(daemon)
    for number in 0..<1000 { try admin.add(["host": .string("h\(number).example")]) }
    #expect(try admin.refusal(ExceptionGrants.parameters()) == "tooMany")
    #expect(try admin.list().count == 1000)
    let app = try Viewers.signedIn(daemon)
    #expect(try app.open("h999.example")["reason"] == "exception")
    #expect(try app.open("h1000.example")["reason"] == "external")
  }

  @Test func appsMayNotAsk() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try Viewers.signedIn(daemon)
    let reply = try app.peer.reply("org.webviewguard.Admin.AddException", ExceptionGrants.parameters())
    #expect(reply["error"] == "org.varlink.service.InterfaceNotFound")
  }
}
