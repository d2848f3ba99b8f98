import GuardModel
import TestSupport
import Testing
import WebViewGuardClient

/// What one click asks is known as one click.
@Suite(.timeLimit(.minutes(10))) struct ActionTests {
  @Test func groupsWhatTheVectorsGroup() throws {
    let cases = try Vectors.cases("actions")
    for example in cases {
      var book = ActionBook(prefix: "t")
      var letters: [String: String] = [:]
      for step in example["steps"]?.array ?? [] {
        let name = "\(example["name"]?.string ?? "") at \(step["at"]?.integer ?? -1)"
        if let viewer = step["register"]?["viewer"]?.string, let opener = step["register"]?["opener"]?.string {
          book.registered(viewer, opener: opener)
        }
        guard let navigation = step["navigate"] else { continue }
        let event = GuardEvent(
          viewer: navigation["viewer"]?.string, url: navigation["url"]?.string,
          newWindow: navigation["newWindow"]?.bool)
        let action = navigation["action"]?.string ?? book.action(of: event, at: Int64(step["at"]?.integer ?? 0))
        if step["sent"] != nil || step["action"] == nil { #expect(action == step["sent"]?.string, "\(name)") }
        if let letter = step["action"]?.string, let action {
          if let known = letters[letter] { #expect(action == known, "\(name)") }
          #expect(!letters.contains { $0.key != letter && $0.value == action }, "\(name)")
          letters[letter] = action
        }
      }
    }
    #expect(cases.count >= 9)
  }

  @Test func forgetsWhatAPageMadeUp() {
    var book = ActionBook(prefix: "t")
    let first = book.action(of: .init(viewer: "v", url: "u"), at: 0)
    for number in 0..<10_000 {
      _ = book.action(of: .init(viewer: "v", url: "u\(number)", newWindow: true), at: 1)
    }
    #expect(book.action(of: .init(viewer: "v", url: "u"), at: 2) != first)
  }

  @Test func navigationsCarryTheirActionAndOthersNone() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let event = GuardEvent(viewer: "v1", url: "https://a.example/")
    _ = await guardian.decide([(.navigate, event), (.navigate, event), (.openURL, event)])
    _ = await guardian.openURL(event)
    var named = event
    named.action = "click-1"
    _ = await guardian.navigate(named)
    let navigation = daemon.heard("Navigate").first?.parameters["event"]?["action"]
    let batch = daemon.heard("DecideMany").first?.parameters["questions"]?.array?.map { $0["event"]?["action"]?.string }
    #expect(navigation == "click-1")
    #expect(batch?.count == 3)
    #expect(batch?[0] != nil)
    #expect(batch?[0] == batch?[1])
    #expect(batch?[2] == .some(nil))
    #expect(daemon.heard("OpenURL").first?.parameters["event"]?["action"] == nil)
  }
}
