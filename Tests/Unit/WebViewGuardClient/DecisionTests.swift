import GuardModel
import TestSupport
import Testing
import WebViewGuardClient

/// What a client makes of a reply.
@Suite(.timeLimit(.minutes(10))) struct DecisionTests {
  private let event = GuardEvent(viewer: "v1", url: "https://a.example/")

  @Test func readsWhatTheVectorsSay() async throws {
    let cases = try Vectors.cases("decisions")
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      guard let number = call.parameters["event"]?["length"]?.integer else { return Wire.usual(call) }
      return .text(cases[number]["reply"]?.text ?? "")
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    for (number, example) in cases.enumerated() {
      var event = event
      event.length = number
      let decision = await guardian.paste(event)
      let name = example["name"]?.string ?? ""
      for (member, means) in example["means"]?.object ?? [:] {
        #expect(decision.onTheWire(member) == means, "\(name): \(member)")
      }
    }
    #expect(cases.count >= 40)
    // None of them, however odd, ended the connection.
    #expect(daemon.connectionCount == 1)
  }

  @Test func readsABatch() async throws {
    let cases = try Vectors.cases("decisions").filter { $0["reply"]?["parameters"]?["decision"] != nil }
    let decisions = cases.compactMap { $0["reply"]?["parameters"]?["decision"] }
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      guard call.method == "DecideMany" else { return Wire.usual(call) }
      let asked = call.parameters["questions"]?.array?.count ?? 0
      let reply: GuardValue = ["parameters": ["decisions": .array(Array(decisions.prefix(asked)))]]
      return .text(reply.text)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let answers = await guardian.decide(decisions.map { _ in (EventKind.copy, event) })
    #expect(answers.count == decisions.count)
    for (answer, decision) in zip(answers, decisions) where !answer.isLocal {
      #expect(GuardValue.object(answer.members) == decision)
    }
    #expect(answers.contains { $0.reason.rawValue == "invalidReply" })
    #expect(await guardian.decide([]).isEmpty)
  }

  @Test func aBatchWithTooFewAnswersIsBlocked() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "Attach"
        ? .text(Wire.attached(contract: "open")) : .text(#"{"parameters":{"decisions":[{"outcome":"allow"}]}}"#)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let answers = await guardian.decide([(.copy, event), (.paste, event)])
    #expect(answers.map(\.outcome) == [.block, .block])
  }

  @Test("F11: blocks that are decided here say something to people") func messagesOfLocalBlocks() async throws {
    let cases = try Vectors.cases("messages")
    for example in cases {
      let reason = example["reason"]?.string == "*" ? "SomethingNew" : try #require(example["reason"]?.string)
      let place = try Place(isPatient: reason != "noAnswer")
      let daemon = try FakeDaemon(at: place.socket) { call in
        switch (call.method, reason) {
        case ("Attach", _): .text(Wire.attached())
        case (_, "noAnswer"): .close
        case (_, "invalidReply"): .text(#"{"parameters":{}}"#)
        default: .text(Wire.error(reason))
        }
      }
      defer { daemon.stop() }
      let decision = await GuardClient.at(place).navigate(event)
      #expect((decision.reason.rawValue, decision.message) == (reason, example["message"]?.string))
    }
    #expect(cases.count >= 7)
    let place = try Place(isPatient: false)
    try place.writeContract(#"{"navigation":"open"}"#)
    #expect(await GuardClient.at(place).navigate(event).message == nil)
  }

  @Test func garbageEndsTheConnection() async throws {
    let cases = try Vectors.cases("garbage")
    for example in cases {
      let place = try Place()
      let bytes = Array((example["text"]?.string ?? "").utf8)
      let daemon = try FakeDaemon(at: place.socket) { call in
        call.method == "Attach" ? .text(Wire.attached(contract: "open")) : .bytes(bytes)
      }
      defer { daemon.stop() }
      let problems = Problems()
      let guardian = GuardClient.at(place, problems)
      #expect(await guardian.start())
      let decision = await guardian.navigate(event)
      #expect(decision.reason == .noAnswer, "\(example["name"]?.string ?? "")")
      #expect(decision.isAllowed)
      #expect(problems.all.contains(.unreadable), "\(example["name"]?.string ?? "")")
    }
    #expect(cases.count >= 9)
  }

  @Test func whatNobodyCanAskIsBlocked() async throws {
    let place = try Place()
    try place.writeContract(#"{"navigation":"open","clipboard":"open","other":"open"}"#)
    let guardian = GuardClient.at(place)
    let decision = await guardian.decide(.unknown, event)
    #expect(decision.outcome == .block)
    #expect(decision.reason.known == .unknownEvent)
    #expect(decision.isLocal)
  }

  @Test func aNewDecisionIsABlock() {
    #expect(Outcome(rawValue: 0) == .block)
    #expect(DecisionReason.noAnswer.known == nil)
    #expect(DecisionReason(.external).known == .external)
  }
}

extension GuardDecision {
  /// A member as the vectors name it. A word that the library has no case for is looked up in what the daemon said.
  func onTheWire(_ member: String) -> GuardValue {
    switch member {
    case "outcome": .string(outcome.name)
    case "reason": .string(reason.rawValue)
    case "isLocal": .bool(isLocal)
    case "opensNow": text(opensNow?.url)
    case "id": .string(id)
    case "generation": .integer(generation)
    case "digest": .string(digest)
    case "mode": members["mode"] ?? .string(isMonitored ? "monitored" : "enforced")
    case "identityLevel": .string(identityLevel.rawValue)
    case "repeat": .bool(isRepeat)
    case "onlyPlainText": .bool(onlyPlainText)
    case "mimeWrap": .bool(mimeWrap)
    case "bodyDropped": .bool(bodyDropped)
    case "signIn": .bool(signIn)
    case "mustEncrypt": .bool(mustEncrypt)
    case "viewerIsUnknown": .bool(viewerIsUnknown)
    case "limit": limit.map { .integer($0) } ?? .null
    case "notes": .array(notes.map { .string($0) })
    case "offered": text(offered?.name)
    case "verdict": text(verdict?.name)
    case "policy": text(policy?.name ?? members["policy"]?.string)
    case "policySource": text(policySource?.rawValue)
    case "location": text(location?.name)
    case "open": open.map(\.onTheWire) ?? .null
    case "advice": advice.map(\.onTheWire) ?? .null
    default: text(texts[member] ?? nil)
    }
  }

  private var texts: [String: String?] {
    [
      "identity": identity, "protection": protection, "ruleSet": ruleSet, "rule": rule, "ruleLocation": ruleLocation,
      "message": message, "clip": clip, "proposal": proposal, "replacement": replacement, "setOwner": setOwner,
      "tagAs": tagAs,
      "switchTo": switchTo, "request": request, "exception": exception,
    ]
  }
}

private func text(_ text: String?) -> GuardValue { text.map { .string($0) } ?? .null }

extension GuardDecision.Offer {
  var onTheWire: GuardValue {
    [
      "target": .string(target), "desktopId": text(desktopID), "url": .string(url),
      "argv": argv.map { .array($0.map { .string($0) }) } ?? .null, "fallback": .array(fallback.map(\.onTheWire)),
    ]
  }
}

extension GuardDecision.Advice {
  var onTheWire: GuardValue {
    [
      "outcome": .string(outcome.name), "reason": .string(reason.rawValue), "cause": text(cause?.rawValue),
      "ruleSet": text(ruleSet), "rule": text(rule), "ruleLocation": text(ruleLocation),
    ]
  }
}
