import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// Policies with timed exceptions, in random worlds that monitor and warn, too: the engine answers as the models do.
struct ExceptionAgreementTests {
  private static func worlds(monitors: Bool) throws -> RandomWorld {
    var rules = try RandomRules()
    rules.monitors = monitors
    return RandomWorld(rules)
  }

  @Test(arguments: [false, true])
  func navigationsAgree(monitors: Bool) throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 21)
    let worlds = try Self.worlds(monitors: monitors)
    var seen = Seen()
    for _ in 0..<Effort.scaled(3_000) {
      var world = worlds.exceptedWorld(monitors: monitors, &random)
      for round in 0..<120 {
        if round % 8 == 0 { worlds.change(&world, &random) }
        let event = worlds.navigation(world, &random)
        let model = MonitoringModel(
          world.model, .navigate, in: event.instance, isMain: event.frame == .main, viewer: event.viewer,
          scope: event.scope)
        let plain = model.decide { NavigationModel($0).decide(event) }
        let expected = world.model.marked(plain, viewer: event.viewer, in: event.instance, event)
        let engineEvent = world.engineEvent(event)
        let decision = world.decide(engineEvent, in: event.instance)
        guard seen.add(world.plain(decision), expected, .navigate, "\(event)", random.note) else { return }
      }
    }
    #expect(seen.asked == Effort.scaled(3_000) * 120)
    #expect(seen.lifted > Effort.scaled(500), "\(seen.lifted)")
  }

  @Test(arguments: [false, true])
  func dataPathsAgree(monitors: Bool) throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 22)
    let worlds = try Self.worlds(monitors: monitors)
    var seen = Seen()
    for _ in 0..<Effort.scaled(3_000) {
      var world = worlds.exceptedWorld(monitors: monitors, &random)
      for round in 0..<120 {
        let time = UInt64(1_000 + round * 1_000)
        if round % 16 == 0 { worlds.change(&world, &random) }
        var event = worlds.dataEvent(world, time: time, &random)
        // The two kinds that exceptions are for.
        if random.oneIn(2) {
          event.kind = random.oneIn(2) ? .download : .upload
          (event.label, event.kept) = (nil, nil)
        }
        let expected = world.expectedTransfer(event)
        let engineEvent = world.engineEvent(event)
        let decision = world.decide(engineEvent, in: event.instance)
        guard seen.add(world.plain(decision), expected, event.kind, "\(event)", random.note) else { return }
      }
    }
    #expect(seen.asked == Effort.scaled(3_000) * 120)
    #expect(seen.kinds[.download, default: 0] > 0 && seen.kinds[.upload, default: 0] > 0, "\(seen.kinds)")
    #expect(Set(seen.kinds.keys).isSubset(of: [.download, .upload]), "\(seen.kinds)")
  }

  /// Whatever the exceptions: they never restrict, and where none is named the answer is that without any.
  @Test(arguments: [false, true])
  func whatNoExceptionTakesIsDecidedAsWithoutAny(monitors: Bool) throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 23)
    let worlds = try Self.worlds(monitors: monitors)
    var taken = 0
    for _ in 0..<Effort.scaled(1_500) {
      var excepted = worlds.exceptedWorld(monitors: monitors, &random)
      let without = excepted.snapshot.excepting([])
      for _ in 0..<60 {
        let asked = worlds.navigation(excepted, &random)
        let event = excepted.engineEvent(asked)
        // From the same state each time: a page that an exception let in is remembered as external.
        var plain = excepted
        let id = plain.ids[asked.instance]
        let other = plain.plain(PolicyEngine.decide(event, of: id, &plain.state, under: without))
        let one = excepted.plain(excepted.decide(event, in: asked.instance))
        if one.exception != nil || one.advice?.reason == .exception {
          taken += 1
          #expect(one.outcome == .allow, "\(one)\n\(random.note)")
          #expect(one.exception == nil || other.verdict == .external, "\(other)\n\(random.note)")
        } else {
          #expect((one.outcome, one.reason, one.rule) == (other.outcome, other.reason, other.rule), "\(random.note)")
        }
      }
    }
    #expect(taken > Effort.scaled(50), "\(taken)")
  }

  private struct Seen {
    var asked = 0
    /// Answers whose reason is the exception.
    var lifted = 0
    /// Answers that name one, by the kind of their event.
    var kinds: [EventKind: Int] = [:]

    /// False when the engine and the model differ.
    mutating func add(
      _ answer: ModelDecision, _ expected: ModelDecision, _ kind: EventKind, _ event: String, _ note: String
    ) -> Bool {
      asked += 1
      if answer.reason == .exception { lifted += 1 }
      if answer.exception != nil { kinds[kind, default: 0] += 1 }
      guard answer != expected else { return true }
      Issue.record("\(event)\nengine \(answer)\nmodel  \(expected)\n\(note)")
      return false
    }
  }
}
