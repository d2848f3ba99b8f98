import GuardModel
import Synchronization
import TestSupport
import Testing
import WebViewGuardClient

/// Static rules that the daemon exports: what is asked for, in which parts, and what the app gets.
@Suite(.timeLimit(.minutes(10))) struct RulesTests {
  @Test func aDocumentIsReadAsTheVectorsSay() async throws {
    let cases = try Vectors.cases("rules")
    for example in cases {
      let talk = example["talk"]?.array ?? []
      let step = Mutex(0)
      let place = try Place()
      let daemon = try FakeDaemon(at: place.socket) { call in
        guard call.method == "ExportRules" else { return Wire.usual(call) }
        let said = step.withLock { step in
          defer { step += 1 }
          return step < talk.count ? talk[step] : .null
        }
        if let reply = said["reply"] { return .text(GuardValue.object(["parameters": reply]).text) }
        return .text(GuardValue.object((said.object ?? [:]).filter { $0.key != "sent" }).text)
      }
      defer { daemon.stop() }
      let found = await Self.means(GuardClient.at(place), example["ask"])
      let name = example["name"]?.string ?? ""
      #expect(found == example["means"], "\(name)")
      #expect(daemon.heard("ExportRules").map(\.parameters) == talk.map { $0["sent"] }, "\(name)")
    }
    #expect(cases.count >= 12)
  }

  private static func means(_ guardian: GuardClient, _ ask: GuardValue?) async -> GuardValue {
    do throws(GuardError) {
      let rules = try await guardian.rules(
        .init(rawValue: ask?["format"]?.string ?? ""), class: ask?["class"]?.string)
      return [
        "document": .string(rules.document), "digest": .string(rules.digest), "gaps": .integer(rules.gaps),
        "generation": .integer(rules.generation),
      ]
    } catch {
      guard case .refused(let refusal) = error else { return ["error": .string("\(error)")] }
      return ["error": .string(refusal.word)]
    }
  }

  @Test func aDocumentThatIsNeverMadeIsGivenUp() async throws {
    let place = try Place()
    let reply = #"{"parameters":{"generation":1,"digest":"a","ready":false}}"#
    let daemon = try FakeDaemon(at: place.socket) { $0.method == "ExportRules" ? .text(reply) : Wire.usual($0) }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let error = await #expect(throws: GuardError.self) {
      try await guardian.rules(.chromiumPolicy, patience: .milliseconds(60))
    }
    guard case .refused(let refusal) = error else { throw TestFailure("\(String(describing: error))") }
    #expect(refusal.word == "notReady")
    // After 20 ms once more; a pause of 30 ms would still end in time, one of 45 ms does not.
    #expect((1...3).contains(daemon.heard("ExportRules").count))
    // Nobody waits on behalf of a task that was cancelled.
    let task = Task { try await guardian.rules(.webkitContentBlocker) }
    task.cancel()
    await #expect(throws: GuardError.cancelled) { try await task.value }
  }
}
