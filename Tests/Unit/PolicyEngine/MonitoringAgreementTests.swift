import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// Policies that monitor and warn, in random worlds: the engine answers as the models do, and advises what the same policy
/// would answer if it were enforced.
struct MonitoringAgreementTests {
  private static func worlds() throws -> RandomWorld {
    var rules = try RandomRules()
    rules.monitors = true
    return RandomWorld(rules)
  }

  @Test
  func navigationsAgree() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 11)
    let worlds = try Self.worlds()
    var seen = Seen()
    for _ in 0..<Effort.scaled(2_000) {
      var world = worlds.monitoredWorld(&random)
      for round in 0..<160 {
        if round % 8 == 0 { worlds.change(&world, &random) }
        let event = worlds.navigation(world, &random)
        let model = MonitoringModel(
          world.model, .navigate, in: event.instance, isMain: event.frame == .main, viewer: event.viewer,
          scope: event.scope)
        let plain = model.decide { NavigationModel($0).decide(event) }
        let expected = world.model.marked(plain, viewer: event.viewer, in: event.instance, event)
        let engineEvent = world.engineEvent(event)
        let decision = world.decide(engineEvent, in: event.instance)
        let answer = world.plain(decision)
        guard seen.add(answer, expected, "\(event)", random.note) else { return }
      }
    }
    #expect(Set(seen.causes.keys) == Set(MonitorCause.allCases))
    #expect(seen.warned > 0 && seen.afterAdvised > 0 && seen.monitored > 0)
    #expect(seen.asked == Effort.scaled(2_000) * 160)
  }

  @Test
  func dataPathsAgree() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 12)
    let worlds = try Self.worlds()
    var seen = Seen()
    for _ in 0..<Effort.scaled(2_500) {
      var world = worlds.monitoredWorld(&random)
      for round in 0..<130 {
        let time = UInt64(1_000 + round * 1_000)
        if round % 16 == 0 { worlds.change(&world, &random) }
        if round % 16 == 8 {
          world.answerRequest(random.one(of: SwitchResult.allCases), in: random.below(world.ids.count), at: time)
        }
        let event = worlds.dataEvent(world, time: time, &random)
        let expected = world.expectedTransfer(event)
        let engineEvent = world.engineEvent(event)
        let decision = world.decide(engineEvent, in: event.instance)
        let answer = world.plain(decision)
        guard seen.add(answer, expected, "\(event)", random.note) else { return }
      }
    }
    #expect(Set(seen.causes.keys) == Set(MonitorCause.allCases))
    #expect(seen.warned > 0 && seen.monitored > 0)
    #expect(seen.asked == Effort.scaled(2_500) * 130)
  }

  @Test
  func clipsAgree() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 13)
    let worlds = try Self.worlds()
    var seen = Seen()
    for _ in 0..<Effort.scaled(2_000) {
      var world = worlds.monitoredWorld(&random)
      var clips = ClipboardModel(world.model, epoch: TwinWorld.epoch)
      var given: [ClipID] = []
      for round in 0..<120 {
        let time = UInt64(round) * 20_000
        world.state.time = time
        if round % 8 == 0 { worlds.change(&world, &random) }
        let event = worlds.clipEvent(world, given, time: time + 15_000, &random)
        clips.asked = round
        let plain = MonitoringModel(
          world.model, event.kind, in: event.instance, viewer: event.viewer, scope: event.scope
        ).decide { inForce in
          clips.world = inForce
          return clips.decide(event)
        }
        let able = clips.able(plain, event)
        let expected = world.model.marked(able, viewer: event.viewer, in: event.instance)
        let engineEvent = world.engineEvent(event)
        let decision = world.decide(engineEvent, in: event.instance)
        let answer = world.plain(decision)
        if let clip = answer.clip { given.append(clip) }
        guard seen.add(answer, expected, "\(event)", random.note) else { return }
      }
    }
    // A rule is one where it says whose the page is that takes a paste.
    #expect(Set(seen.causes.keys).isSuperset(of: [.app, .protection]))
    #expect(seen.warned > 0 && seen.monitored > 0)
    #expect(seen.asked == Effort.scaled(2_000) * 120)
  }

  /// Under monitoring the advice, or the answer where there is none, is the answer of the same policy without it, after the
  /// same calls and answers.
  @Test
  func theAdviceIsTheAnswerOfTheEnforcedPolicy() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 14)
    let worlds = try Self.worlds()
    var advised = 0
    for _ in 0..<Effort.scaled(2_000) {
      var monitored = worlds.monitoredWorld(&random)
      let enforced = monitored.snapshot.enforced
      for round in 0..<60 {
        let (event, instance) = Self.event(round, worlds, &monitored, &random)
        var twin = monitored
        let decision = PolicyEngine.decide(event, of: twin.ids[instance], &twin.state, under: enforced)
        let other = twin.plain(decision)
        let answer = monitored.decide(event, in: instance)
        let one = monitored.plain(answer)
        let said = one.advice.map { ($0.outcome, $0.reason, $0.ruleSet, $0.rule) }
        let (outcome, reason, ruleSet, rule) = said ?? (one.outcome, one.reason, one.ruleSet, one.rule)
        advised += one.advice == nil ? 0 : 1
        guard (outcome, reason, ruleSet, rule) == (other.outcome, other.reason, other.ruleSet, other.rule) else {
          Issue.record("monitored \(one)\nenforced \(other)\n\(random.note)")
          return
        }
      }
    }
    #expect(advised > Effort.scaled(5_000))
  }

  /// A warning stands until something changes: the same question, asked again without effect, is not refused.
  @Test
  func aWarningStandsUntilSomethingChanges() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 15)
    let worlds = try Self.worlds()
    var warned: [EventKind: Int] = [:]
    for _ in 0..<Effort.scaled(2_000) {
      var world = worlds.monitoredWorld(&random)
      for round in 0..<60 {
        if round % 8 == 0 { worlds.change(&world, &random) }
        var (event, instance) = Self.event(round, worlds, &world, &random)
        guard !event.isProbe, world.decide(event, in: instance).outcome == .warn else { continue }
        warned[event.kind, default: 0] += 1
        event.isProbe = true
        let again = world.decide(event, in: instance)
        guard again.outcome == .warn || again.outcome == .allow else {
          Issue.record("\(event)\nwarned, and then \(world.plain(again))\n\(random.note)")
          return
        }
      }
    }
    #expect(warned.count > 5 && warned.values.reduce(0, +) > Effort.scaled(200), "\(warned)")
  }

  private static func event(
    _ round: Int, _ worlds: RandomWorld, _ world: inout TwinWorld, _ random: inout SeededGenerator
  ) -> (Event, instance: Int) {
    if round % 2 == 0 {
      let asked = worlds.navigation(world, &random)
      return (world.engineEvent(asked), asked.instance)
    }
    let asked = worlds.dataEvent(world, time: 1_000, &random)
    return (world.engineEvent(asked), asked.instance)
  }

  /// What was seen of many answers.
  private struct Seen {
    var causes: [MonitorCause: Int] = [:]
    var warned = 0
    var afterAdvised = 0
    var asked = 0
    var monitored = 0

    /// False when the engine and the model differ.
    mutating func add(_ answer: ModelDecision, _ expected: ModelDecision, _ event: String, _ note: String) -> Bool {
      if let advice = answer.advice { causes[advice.cause, default: 0] += 1 }
      asked += 1
      if answer.outcome == .warn { warned += 1 }
      if answer.reason == .monitored { monitored += 1 }
      if answer.notes.contains("afterAdvised") { afterAdvised += 1 }
      guard answer != expected else { return true }
      Issue.record("\(event)\nengine \(answer)\nmodel  \(expected)\n\(note)")
      return false
    }
  }
}

extension TwinWorld {
  /// The models' answer to a question about data where the policy may only monitor, warn or be excepted from.
  mutating func expectedTransfer(_ event: ModelDataEvent) -> ModelDecision {
    var transfers = TransferModel(model)
    let plain = MonitoringModel(
      model, event.kind, in: event.instance, viewer: event.viewer, scope: event.scope, isFileTask: event.isFileTask
    ).decide { inForce in
      transfers.take(policyOf: inForce)
      return transfers.decide(event)
    }
    model.instances = transfers.world.instances
    return model.marked(plain, viewer: event.viewer, in: event.instance)
  }
}
