import Foundation
import GuardModel
import TestSupport
import Testing
import WebViewGuardClient

/// The client speaks the whole interface: every member of its structures, and every word of its enums.
@Suite struct InterfaceTests {
  private static let file = Vectors.root
    .appending(path: "Sources/GuardProtocol/Interfaces/org.webviewguard.Guard.varlink")

  /// The names at the beginning of a type's lines, as `name: type` or `name`.
  private func names(ofType name: String) throws -> [String] {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    let start = try #require(text.range(of: "\ntype \(name) (\n"))
    let body = text[start.upperBound...].prefix { $0 != ")" }
    return body.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
      .map { String($0.prefix { $0.isLetter || $0.isNumber }) }
  }

  /// A decision with an offer and an advice, as a client read it.
  private func decision() async throws -> GuardDecision {
    let place = try Place()
    let text = #"""
      {"parameters":{"decision":{"outcome":"redirect","reason":"external","open":{"target":"managedBrowser","url":"u"},
      "advice":{"outcome":"block","reason":"external","cause":"app"}}}}
      """#
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "Attach" ? Wire.usual(call) : .text(text)
    }
    defer { daemon.stop() }
    return await GuardClient.at(place).navigate(.init(viewer: "v1", url: "u"))
  }

  @Test func knowsEveryMemberOfOfferAndAdvice() async throws {
    let decision = try await decision()
    let offer = Mirror(reflecting: try #require(decision.open)).children.compactMap(\.label)
    #expect(Set(offer.map { $0 == "desktopID" ? "desktopId" : $0 }) == Set(try names(ofType: "OpenOffer")))
    let advice = Mirror(reflecting: try #require(decision.advice)).children.compactMap(\.label)
    #expect(Set(advice) == Set(try names(ofType: "Advice")))
  }

  @Test func knowsEveryMemberOfAnEventAndSendsIt() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    _ = await guardian.navigate(.full)
    let sent = daemon.heard("Navigate").first?.parameters["event"]?.object ?? [:]
    #expect(Set(sent.keys) == Set(try names(ofType: "Event")))
    for (member, value) in sent where member != "deadline" {
      #expect(value == GuardEvent.fullOnTheWire[member], "\(member)")
    }
    let known = Set(Mirror(reflecting: GuardEvent()).children.compactMap(\.label))
    #expect(known.union(["deadline"]) == Set(try names(ofType: "Event")))
  }

  @Test func sendsNothingThatWasNotSaid() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    _ = await guardian.copy(.init())
    #expect(daemon.heard("Copy").first?.parameters["event"]?.object?.keys.sorted() == ["deadline"])
  }

  /// The members of a method's reply.
  private func names(ofReplyTo method: String) throws -> [String] {
    let text = try String(contentsOf: Self.file, encoding: .utf8)
    let start = try #require(text.range(of: "\nmethod \(method)("))
    let reply = try #require(text[start.upperBound...].range(of: ") -> (\n"))
    return text[reply.upperBound...].prefix { $0 != ")" }.split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
      .map { String($0.prefix { $0.isLetter || $0.isNumber }) }
  }

  @Test func knowsEveryMemberOfNewsAndOfAStatedAccount() async throws {
    let place = try Place()
    let text = #"{"parameters":{"topic":"policy","generation":1,"digest":"d"},"continues":true}"#
    let daemon = try FakeDaemon(at: place.socket) { $0.method == "Subscribe" ? .text(text) : Wire.usual($0) }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let change = Mirror(reflecting: try await guardian.setIdentity(account: "a")).children.compactMap(\.label)
    #expect(Set(change) == Set(try names(ofReplyTo: "SetIdentity")))
    for await news in guardian.news(.policy) {
      #expect(Set(Mirror(reflecting: news).children.compactMap(\.label)) == Set(try names(ofReplyTo: "Subscribe")))
      break
    }
  }

  @Test func knowsEveryWord() throws {
    let words: [String: [String]] = [
      "Frame": Frame.allCases.map(\.name), "Selection": Selection.allCases.map(\.name),
      "Location": Location.allCases.map(\.name), "Channel": Channel.allCases.map(\.name),
      "CaptureKind": CaptureKind.allCases.map(\.name), "Inspection": Inspection.allCases.map(\.name),
      "MonitorCause": MonitorCause.allCases.map(\.rawValue), "Outcome": Outcome.allCases.map(\.name),
      "Reason": Reason.allCases.map(\.rawValue), "WebViewPolicy": WebViewPolicy.allCases.map(\.name),
      "PolicySource": PolicySource.allCases.map(\.rawValue), "IdentityLevel": IdentityLevel.allCases.map(\.rawValue),
      "Verdict": [Verdict.external, .internal].map(\.name), "ViewerKind": ViewerKind.allCases.map(\.rawValue),
      "FailureAnswer": FailureAnswer.allCases.map(\.rawValue), "SwitchResult": SwitchResult.allCases.map(\.rawValue),
      "SwitchCause": SwitchCause.allCases.map(\.rawValue), "AccountState": AccountState.allCases.map(\.rawValue),
      "EventKind": EventKind.allCases.filter { $0 != .unknown }.map(\.name), "Topic": Topic.allCases.map(\.rawValue),
      "PlaceQuestion": GuardClient.PlaceQuestion.allCases.map(\.rawValue), "Gesture": ["unknown", "no", "yes"],
      "UnlockResult": UnlockResult.allCases.map(\.rawValue),
    ]
    for (type, known) in words { #expect(Set(known) == Set(try names(ofType: type)), "\(type)") }
  }
}

extension GuardEvent {
  /// Everything at once.
  fileprivate static let full = GuardEvent(
    viewer: "v1", url: "https://a.example/\u{1F600}\"\\\n", from: "f", frame: .main, hop: true, method: "POST",
    gesture: false, sameDocument: true, newWindow: false, selection: .primary, cut: true, length: 7,
    formats: ["text/plain", "text/html"], selfOwned: false, clip: "c", proposal: "p", display: ":0", owner: "",
    location: .box, locationAccount: "l", path: "/p", inPlace: true, peer: "q", peerAccount: "r", channel: .backup,
    capture: .recording, inspection: .tooLarge, surface: .chrome, chooser: true, probe: false, action: "a",
    label: "57", file: "u:1:0:0.0", origin: "https://o/")

  fileprivate static let fullOnTheWire: [String: GuardValue] = [
    "viewer": "v1", "url": "https://a.example/\u{1F600}\"\\\n", "from": "f", "frame": "main", "hop": true,
    "method": "POST", "gesture": "no", "sameDocument": true, "newWindow": false, "selection": "primary", "cut": true,
    "length": 7, "formats": ["text/plain", "text/html"], "selfOwned": false, "clip": "c", "proposal": "p",
    "display": ":0", "owner": "", "location": "box", "locationAccount": "l", "path": "/p", "inPlace": true, "peer": "q",
    "peerAccount": "r", "channel": "backup", "capture": "recording", "inspection": "tooLarge", "action": "a",
    "surface": "chrome", "chooser": true, "probe": false, "label": "57", "file": "u:1:0:0.0", "origin": "https://o/",
  ]
}
