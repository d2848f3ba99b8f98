import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// The engine answers sequences of copies, pastes, changes and drags as the model does: over several instances, apps,
/// users and displays.
struct ClipboardAgreementTests {
  @Test
  func engineAndModelAgree() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 1)
    let worlds = RandomWorld(try RandomRules())
    var reasons: [Reason: Int] = [:]
    var (asked, intoExternal) = (0, 0)
    for _ in 0..<Effort.scaled(4_000) {
      var world = worlds.world(&random)
      var model = ClipboardModel(world.model, epoch: TwinWorld.epoch)
      var given: [ClipID] = []
      var copies: [Int] = []
      var time: UInt64 = 0
      for round in 0..<120 {
        // What an app showed up to ten seconds ago is told of in `ClipboardChangeTests`.
        time += random.one(of: [0, 1_000, 1_000, 4_000, 15_000, 100_000])
        if round % 8 == 0 {
          world.state.time = time
          worlds.change(&world, &random)
          time += 15_000
        }
        if round % 8 == 5 {
          let navigation = worlds.navigation(world, &random)
          let engineEvent = world.engineEvent(navigation)
          _ = world.decide(engineEvent, in: navigation.instance)
        }
        if round == 80, world.ids.count > 1 {
          world.end(0)
          model.world = world.model
          model.end(0)
        }
        let event = worlds.clipEvent(world, given, copies, time: time, &random)
        model.asked = round
        let several = MonitoringModel(
          world.model, event.kind, in: event.instance, viewer: event.viewer, scope: event.scope)
        let plain = several.decide { asked in
          model.world = asked
          return model.decide(event)
        }
        let expected = model.able(plain, event)
        let engineEvent = world.engineEvent(event)
        let decision = world.decide(engineEvent, in: event.instance)
        let answer = world.plain(decision)
        if let clip = answer.clip { given.append(clip) }
        if let proposal = decision.proposal {
          world.proposals[round] = proposal
          copies.append(round)
        }
        asked += 1
        if answer.notes.contains("externalReceiver") { intoExternal += 1 }
        reasons[answer.reason, default: 0] += 1
        if answer != expected {
          Issue.record(
            "\(event)\nengine \(answer)\nmodel  \(expected)\nround \(round), question \(asked); \(random.note)")
          return
        }
      }
    }
    #expect(intoExternal > Effort.scaled(300))
    #expect(asked == Effort.scaled(4_000) * 120)
    if Effort.isPartial { return }
    #expect(Set(reasons.keys).isSuperset(of: Self.reasons), "never seen: \(Self.reasons.subtracting(reasons.keys))")
  }

  private static let reasons: Set<Reason> = [
    .noPolicy, .unknownApp, .unknownEvent, .noIdentity, .noManagedIdentity, .unmanaged, .accountBlocked,
    .accountNotCompliant, .accountWiped, .clipRecorded, .sameAccount, .clipboardAllowed, .withinLimit, .orgData,
    .orgDataOverLimit, .incomingRestricted, .personalDataOverLimit, .uploadBlockedViewer, .ownerUnknown,
    .changeRecorded,
  ]
}
