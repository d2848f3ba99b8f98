import Foundation
import JSONText
import Testing

/// What a hostile or broken peer sends: the standard varlink error, the connection kept where framing allows, and the
/// daemon alive in any case.
@Suite struct BadInputTests {
  private let daemon: DaemonProcess

  init() throws { daemon = try DaemonProcess(ExamplePolicy.files(settings: "limits: { partialMessageSeconds: 1 }\n")) }

  @Test(arguments: [
    (#"{"parameters":{}}"#, "InvalidParameter"),
    (#"{"method":7}"#, "InvalidParameter"),
    (#"{"method":"org.webviewguard.Guard.Teleport"}"#, "MethodNotFound"),
    (#"{"method":"org.example.Other.Do"}"#, "InterfaceNotFound"),
    (#"{"method":"org.webviewguard.Admin.Status"}"#, "InterfaceNotFound"),
    (#"{"method":"org.webviewguard.Guard.Navigate","parameters":{"event":{"viewer":7}}}"#, "InvalidParameter"),
    (#"{"method":"org.webviewguard.Guard.Navigate","parameters":{"event":{"colour":"red"}}}"#, "InvalidParameter"),
    (#"{"method":"org.webviewguard.Guard.Navigate","parameters":{"event":{"frame":"side"}}}"#, "InvalidParameter"),
    (#"{"method":"org.webviewguard.Guard.Navigate"}"#, "InvalidParameter"),
    (#"{"method":"org.webviewguard.Guard.Subscribe"}"#, "ExpectedMore"),
  ])
  func badCallsAreAnsweredAndTheConnectionStays(call: String, error: String) throws {
    let peer = try daemon.connect()
    peer.send(Array(call.utf8) + [0])
    #expect(try peer.receive()?["error"]?.string == "org.varlink.service." + error)
    #expect(try peer.ask("WhoAmI")["uid"]?.int == Int64(getuid()))
  }

  @Test(arguments: ["nonsense", "[]", "{", #"{"method":"a"} trailing"#, "\u{FEFF}{}", ""])
  func whatIsNoMessageClosesTheConnectionOnly(frame: String) throws {
    let peer = try daemon.connect()
    peer.send(Array(frame.utf8) + [0])
    #expect(try peer.receive() == nil)
    #expect(try daemon.connect().ask("WhoAmI")["uid"] != nil)
  }

  @Test func blanksAreNoMessage() throws {
    let peer = try daemon.connect()
    peer.send([UInt8](repeating: 0x20, count: 65_536) + [0])
    #expect(try peer.receive() == nil)
  }

  @Test func anOverlongMessageIsNamedAndEnds() throws {
    let peer = try daemon.connect()
    peer.send([UInt8](repeating: UInt8(ascii: "x"), count: 600_000))
    #expect(try peer.receive()?["error"]?.string == "org.webviewguard.Guard.LimitReached")
    #expect(try peer.receive() == nil)
  }

  @Test func halfAMessageMayNotStay() throws {
    let peer = try daemon.connect()
    peer.send(Array(#"{"method":"org.webviewguard.Guard."#.utf8))
    let began = Date()
    #expect(try peer.receive() == nil)
    #expect(Date().timeIntervalSince(began) < 10)
  }

  @Test func aMessageMayComeByteByByte() throws {
    let peer = try daemon.connect()
    for byte in Array(#"{"method":"org.webviewguard.Guard.WhoAmI"}"#.utf8) + [0] { peer.send([byte]) }
    #expect(try peer.receive()?["parameters"]?["uid"]?.int == Int64(getuid()))
  }

  @Test func anEventBeforeAttachIsRefused() throws {
    let peer = try daemon.connect()
    let reply = try peer.reply("org.webviewguard.Guard.Navigate", ["event": ["url": "https://x.example/"]])
    #expect(reply["error"]?.string == "org.webviewguard.Guard.NotAttached")
  }

  @Test func anUnknownViewerIsJudgedStrictly() throws {
    let app = try Viewers.signedIn(daemon)
    let decision = try app.peer.decide("Navigate", ["viewer": "nobody", "url": "https://x.example/", "frame": "main"])
    #expect(decision["viewerIsUnknown"]?.bool == true)
    #expect(decision["policy"]?.string == "currentIdentityBlockUpload")
    #expect(decision["outcome"]?.string == "redirect")
  }

  @Test(arguments: ["http://exa mple/", "https://[::1", "", "http://", "no url", String(repeating: "a", count: 70_000)])
  func whatNoBrowserOpensIsBlocked(url: String) throws {
    let app = try Viewers.signedIn(daemon)
    let decision = try app.peer.decide("Navigate", ["viewer": "E", "url": .string(url), "frame": "main"])
    #expect(decision["outcome"]?.string == "block")
    #expect(decision["reason"]?.string == "invalidURL")
  }
}
