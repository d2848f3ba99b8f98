import GuardModel
import TestSupport
import Testing
import URLRules

/// The engine answers every way that data enters or leaves as the model of the ledger does, in random worlds.
struct TransferAgreementTests {
  @Test
  func engineAndModelAgree() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 6)
    var rules = try RandomRules()
    rules.places = true
    let worlds = RandomWorld(rules)
    var reasons: [Reason: Int] = [:]
    var kinds: [EventKind: Int] = [:]
    var switches: [SwitchResult: Int] = [:]
    var (asked, intoExternal) = (0, 0)
    var places: [EventKind: Int] = [:]
    for _ in 0..<Effort.scaled(8_000) {
      var world = worlds.world(&random)
      for round in 0..<130 {
        let time = UInt64(1_000 + round * 1_000)
        if round % 16 == 0 { worlds.change(&world, &random) }
        if round % 16 == 5 {
          let navigation = worlds.navigation(world, &random)
          let engineEvent = world.engineEvent(navigation)
          _ = world.decide(engineEvent, in: navigation.instance)
        }
        if round % 16 == 8 {
          world.answerRequest(random.one(of: SwitchResult.allCases), in: random.below(world.ids.count), at: time)
        }
        if round % 16 == 4 {
          let (said, expected) = worlds.switchIdentity(&world, &random)
          if let said { switches[said, default: 0] += 1 }
          guard said == expected else {
            Issue.record(
              "switch: engine \(String(describing: said)), model \(String(describing: expected)); \(random.note)")
            return
          }
        }
        if round == 120, world.ids.count > 1 { world.end(0) }
        let event = worlds.dataEvent(world, time: time, &random)
        var model = TransferModel(world.model)
        let several = MonitoringModel(
          world.model, event.kind, in: event.instance, viewer: event.viewer, scope: event.scope,
          isFileTask: event.isFileTask)
        let expected = several.decide { asked in
          model.take(policyOf: asked)
          return model.decide(event)
        }
        world.model.instances = model.world.instances
        let engineEvent = world.engineEvent(event)
        let decision = world.decide(engineEvent, in: event.instance)
        let answer = world.plain(decision)
        asked += 1
        reasons[answer.reason, default: 0] += 1
        kinds[event.kind, default: 0] += 1
        if answer.notes.contains("namedByRule") { places[event.kind, default: 0] += 1 }
        if answer.notes.contains("externalReceiver") { intoExternal += 1 }
        if answer != expected {
          Issue.record("\(event)\nengine \(answer)\nmodel  \(expected)\n\(random.note), question \(asked)")
          return
        }
      }
    }
    let placed: [EventKind] = [.save, .open, .upload, .download]
    #expect(placed.allSatisfy { places[$0, default: 0] > Effort.scaled(200) }, "\(places)")
    #expect(intoExternal > Effort.scaled(50))
    #expect(asked == Effort.scaled(8_000) * 130)
    if Effort.isPartial { return }
    let unseen = Self.reasons.subtracting(reasons.keys)
    #expect(unseen.isEmpty, "never seen: \(unseen)")
    #expect(Self.kinds.allSatisfy { kinds[$0, default: 0] >= 40_000 }, "\(kinds)")
    #expect(switches.values.allSatisfy { $0 > 100 } && switches.count == SwitchResult.allCases.count, "\(switches)")
  }

  private static let kinds: [EventKind] = [
    .save, .open, .receive, .share, .download, .upload, .print, .capture, .notify, .openURL, .exchange, .index,
  ]

  private static let reasons = Set(Reason.allCases).subtracting([
    // Of navigation and the clipboard alone.
    .sameDocument, .subFrame, .resource, .popupBlocked, .noRules, .internal, .externalInPlace, .clipRecorded,
    .sameAccount,
    .clipboardAllowed, .withinLimit, .orgData, .orgDataOverLimit, .personalDataOverLimit, .ownerUnknown,
    .changeRecorded, .scanRequired, .scanBlocked, .scanTooLarge, .scanOffline, .scanCancelled,
    // Of policies that only monitor: MonitoringAgreementTests; of timed exceptions: ExceptionAgreementTests.
    .monitored, .exception,
  ])
}
