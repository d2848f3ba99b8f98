import Foundation
import GuardModel
import TestSupport
import Testing
import WebViewGuardClient

/// `clients/vectors/conversations.json`: what a daemon may say, and what every client makes of it.
@Suite(.timeLimit(.minutes(10))) struct ConversationTests {
  @Test func meansTheSameToAllClients() async throws {
    let cases = try Vectors.cases("conversations")
    for example in cases { try await play(example) }
    #expect(cases.count >= 18)
  }

  private func play(_ example: GuardValue) async throws {
    let name = example["name"]?.string ?? ""
    let place = try Place()
    if let file = example["file"]?.string { try place.writeContract(file) }
    let script = Conversation(example)
    let daemon = try FakeDaemon(at: place.socket) { script.answer($0) }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    for step in example["steps"]?.array ?? [] {
      if let pause = step["pauseMs"]?.integer {
        try await Task.sleep(for: .milliseconds(pause))
      } else if step["say"] != nil {
        let said = try #require(step["parameters"])
        _ = try? await guardian.registerViewer(said["viewer"]?.string ?? "", class: said["class"]?.string)
      } else {
        let wanted = step["is"]?.array?.compactMap(\.string) ?? [step["is"]?.string ?? ""]
        let answer = try await ask(guardian, step)
        #expect(wanted.contains(answer), "\(name): \(step.text): \(answer)")
      }
    }
    for (index, methods) in (example["heard"]?.array ?? []).enumerated() {
      #expect(daemon.methods(on: index + 1) == methods.array?.compactMap(\.string), "\(name)")
    }
  }

  private func ask(_ guardian: GuardClient, _ step: GuardValue) async throws -> String {
    let event = GuardEvent(viewer: step["viewer"]?.string ?? "")
    let kinds: [String: EventKind] = ["navigate": .navigate, "copy": .copy, "print": .print]
    let decision = await guardian.decide(try #require(kinds[step["ask"]?.string ?? ""]), event)
    return "\(decision.outcome.name) \(decision.reason.rawValue)"
  }
}

/// The daemon's part of a case: for each connection, what becomes of each call.
private struct Conversation: Sendable {
  /// A call is heard, and then this is sent after a while; nothing is an answer that never comes.
  struct Turn: Sendable {
    var bytes: [UInt8] = []
    var milliseconds: UInt32 = 0
    var hangsUp = false
  }

  private let connections: [[Turn]]

  init(_ example: GuardValue) {
    connections = (example["connections"]?.array ?? []).enumerated().map { number, steps in
      Self.turns(steps.array ?? [], instance: "I\(number + 1)")
    }
  }

  private static func turns(_ steps: [GuardValue], instance: String) -> [Turn] {
    var turns: [Turn] = []
    for step in steps {
      if let reply = reply(step, instance) {
        turns.append(Turn(bytes: Array(reply.utf8) + [0]))
      } else if let count = step["hear"]?.integer {
        turns += Array(repeating: Turn(), count: Int(count))
      } else if let text = step["send"]?.string {
        turns[turns.count - 1].bytes += Array(text.utf8)
      } else if let pause = step["waitMs"]?.integer {
        turns[turns.count - 1].milliseconds += UInt32(pause)
      }
    }
    if steps.last?["silence"] == nil { turns[turns.count - 1].hangsUp = true }
    return turns
  }

  private static func reply(_ step: GuardValue, _ instance: String) -> String? {
    if let contract = step["attach"] {
      let usual: [String: GuardValue] = [
        "startMs": 10_000, "answerMs": 10_000, "navigation": "closed", "clipboard": "closed", "other": "closed",
      ]
      return parameters([
        "instance": .string(instance), "app": "a", "features": [], "generation": 1, "digest": "d",
        "contract": .object(usual.merging(contract.object ?? [:]) { $1 }),
      ])
    }
    if let decision = step["decision"] {
      let usual: [String: GuardValue] = [
        "id": "1", "identityLevel": "process", "generation": 1, "digest": "ab", "mode": "enforced",
      ]
      return parameters(["decision": .object(usual.merging(decision.object ?? [:]) { $1 })])
    }
    if let error = step["error"]?.string { return Wire.error(error) }
    return step["reply"].map(parameters)
  }

  private static func parameters(_ value: GuardValue) -> String { GuardValue.object(["parameters": value]).text }

  func answer(_ heard: FakeDaemon.Heard) -> FakeDaemon.Answer {
    guard heard.connection <= connections.count else { return .close }
    let turns = connections[heard.connection - 1]
    guard heard.number <= turns.count else { return .silence }
    let turn = turns[heard.number - 1]
    usleep(turn.milliseconds * 1_000)
    return turn.hangsUp ? .parting(turn.bytes) : .bytes(turn.bytes)
  }
}
