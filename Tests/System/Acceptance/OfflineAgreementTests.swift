import Foundation
import JSONText
import TestSupport
import Testing

/// `decide` answers as the daemon does, event for event.
@Suite struct OfflineAgreementTests {
  @Test func decideAnswersAsTheSocketDoes() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let app = try DataApp(daemon)
    let events = Self.spread()
    let online = try events.map { event in
      let reply = try app.peer.reply("org.webviewguard.Guard." + event.method, ["event": event.event])
      return Self.comparable(reply["parameters"]?["decision"] ?? reply)
    }
    var lines = DataApp.setUp.map { call in
      JSONTree.object([.init("call", .string(call.method)), .init("parameters", call.parameters)]).text()
    }
    lines += events.map { event in
      guard case .object(let members) = event.event else { return "" }
      let kind = event.method == "OpenURL" ? "openURL" : event.method.prefix(1).lowercased() + event.method.dropFirst()
      return JSONTree.object([.init("event", .string(kind))] + members).text()
    }
    let answers = try decide(lines, daemon).dropFirst(DataApp.setUp.count)
    let offline = answers.map { Self.comparable($0["decision"] ?? $0) }
    #expect(offline.count == online.count && online.count > 600)
    for (index, event) in events.enumerated() where offline[index] != online[index] {
      Issue.record("\(event.method) \(event.event.text()): \(online[index]) but offline \(offline[index])")
    }
    #expect(
      Set(online.map { $0.split(separator: ",").prefix(2).joined() }).count > 20, "a spread of outcomes and reasons")
  }

  /// Switches, batches and hints.
  @Test func decideTakesTheOtherCallsAsWell() throws {
    let daemon = try DaemonProcess(DataPolicy.files())
    let lines =
      DataApp.setUp.map { #"{"call":"\#($0.method)","parameters":\#($0.parameters.text())}"# } + [
        #"{"event":"receive","viewer":"E","peer":"x.desktop"}"#,
        #"{"call":"Answer","parameters":{"request":"switch-0000000000000001-1","result":"success"}}"#,
        #"{"event":"receive","viewer":"E","peer":"x.desktop"}"#,
        #"{"call":"DecideMany","parameters":{"questions":[{"kind":"print","event":{"viewer":"P"}}]}}"#,
        #"{"call":"DecideLocations","parameters":{"kind":"save","event":{"viewer":"P"}}}"#,
        #"{"call":"DecidePeers","parameters":{"peers":["x"],"event":{"viewer":"P"}}}"#,
        #"{"call":"Answer","parameters":{"request":"switch-0000000000000001-1","result":"success"}}"#,
      ]
    let answers = Array(try decide(lines, daemon).dropFirst(DataApp.setUp.count))
    #expect(answers[0]["decision"]?["request"]?.string == "switch-0000000000000001-1")
    #expect(answers[1].text() == #"{"reply":{}}"#)
    #expect(answers[2]["decision"]?["outcome"]?.string == "allow")
    #expect(answers[3]["reply"]?["decisions"]?.text().contains(#""outcome":"allow""#) == true)
    #expect(answers[4]["reply"]?["locations"]?.text().contains(#""location":"camera""#) == true)
    #expect(answers[5]["reply"]?.text() == #"{"peers":[{"peer":"x","outcome":"allow","reason":"unmanaged"}]}"#)
    #expect(answers[6]["error"]?.string == "org.webviewguard.Guard.UnknownRequest")
  }

  /// A cap of the configuration refuses here what it refuses there.
  @Test func decideHasTheCapsOfTheConfiguration() throws {
    let daemon = try DaemonProcess(DataPolicy.files(settings: "limits: { viewersPerInstance: 2 }\n"))
    let app = try DataApp(daemon)
    let reply = try app.peer.reply("org.webviewguard.Guard.RegisterViewer", ["viewer": "third"])
    #expect(reply["error"]?.string == "org.webviewguard.Guard.LimitReached")
    let calls = DataApp.setUp + [("RegisterViewer", ["viewer": "third"])]
    let lines = calls.map { #"{"call":"\#($0.method)","parameters":\#($0.parameters.text())}"# }
    let offline = try decide(lines, daemon).map { $0["error"]?.string }
    #expect(offline.dropLast().allSatisfy { $0 == nil })
    #expect(offline.last == "org.webviewguard.Guard.LimitReached")
  }

  private func decide(_ lines: [String], _ daemon: DaemonProcess) throws -> [JSONTree] {
    let input = daemon.directory.appendingPathComponent("events")
    let output = daemon.directory.appendingPathComponent("answers")
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: input)
    try Data().write(to: output)
    let process = Process()
    process.executableURL = try BuiltProgram.url
    process.arguments = [
      "decide", "--config", daemon.directory.appendingPathComponent("configuration").path,
      "--app", "com.contoso.viewers", "--feature", "redact", "--feature", "switchIdentity",
      "--feature", "wrap", "--feature", "plainText",
    ]
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    return try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map {
      try JSONTree(parsing: String($0))
    }
  }

  /// Without the numbers that differ from start to start.
  private static func comparable(_ answer: JSONTree) -> String {
    guard case .object(let members) = answer else { return answer.text() }
    let varying: Set<String> = ["id", "generation", "digest", "request", "clip", "proposal"]
    return JSONTree.object(members.filter { !varying.contains($0.key) }).text()
  }

  /// Every event with every place, program and account that there is, and with some that there are not.
  private static func spread() -> [(method: String, event: JSONTree)] {
    let viewers: [JSONTree] = ["E", "P", "nobody"]
    let accounts: [JSONTree] = [.null, "", "work@contoso.com", "me@example.org", "who@unknown.example"]
    let places: [JSONTree] = [.null, "other", "sharePoint", "photoLibrary", "camera", "localStorage", "moonBase"]
    let peers: [JSONTree] = [.null, "com.contoso.mail", "org.example.chat.desktop"]
    var events: [(String, JSONTree)] = []
    for viewer in viewers {
      for account in accounts {
        for place in places {
          for method in ["Save", "Open", "Download", "Upload"] {
            events.append(
              (
                method,
                [
                  "viewer": viewer, "url": "https://www.contoso.com/a", "location": place, "locationAccount": account,
                ]
              ))
          }
        }
        for peer in peers {
          for method in ["Share", "Receive"] {
            events.append((method, ["viewer": viewer, "peer": peer, "peerAccount": account]))
            events.append((method, ["viewer": viewer, "peer": peer, "owner": account]))
          }
        }
      }
      for channel: JSONTree in [.null, "nativeMessaging", "assistant", "inputMethod", "contacts", "telepathy"] {
        events.append(("Exchange", ["viewer": viewer, "channel": channel]))
      }
      for capture: JSONTree in [.null, "screenshot", "ownImage"] {
        events.append(("Capture", ["viewer": viewer, "capture": capture]))
      }
      for method in ["Print", "Notify", "Index"] { events.append((method, ["viewer": viewer])) }
      for url: JSONTree in ["https://www.contoso.com/", "https://news.example/", "tel:1", "nonsense", "market://x"] {
        for method in ["OpenURL", "Navigate"] {
          events.append((method, ["viewer": viewer, "url": url, "frame": "main"]))
        }
      }
      for inspection: JSONTree in [.null, "passed", "blocked"] {
        let copy: JSONTree = [
          "viewer": viewer, "selection": "clipboard", "length": 3, "inspection": inspection,
        ]
        events.append(("Copy", copy))
        events.append(("Paste", ["viewer": "P", "selection": "clipboard", "length": 3]))
      }
    }
    return events
  }
}
