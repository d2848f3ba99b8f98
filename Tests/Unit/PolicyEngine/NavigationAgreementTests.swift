import GuardModel
import TestSupport
import Testing
import URLRules

/// The engine answers navigations as the model of the amendments does, in random worlds.
struct NavigationAgreementTests {
  @Test
  func engineAndModelAgree() throws {
    var random = SeededGenerator()
    let worlds = RandomWorld(try RandomRules())
    var reasons: [Reason: Int] = [:]
    var asked = 0
    for _ in 0..<Effort.scaled(4_000) {
      var world = worlds.world(&random)
      for round in 0..<160 {
        if round % 8 == 0 { worlds.change(&world, &random) }
        let event = worlds.navigation(world, &random)
        let several = MonitoringModel(
          world.model, .navigate, in: event.instance, viewer: event.viewer, scope: event.scope)
        let expected = several.decide { NavigationModel($0).decide(event) }
        let engineEvent = world.engineEvent(event)
        let decision = world.decide(engineEvent, in: event.instance)
        let answer = world.plain(decision)
        asked += 1
        reasons[answer.reason, default: 0] += 1
        if answer != expected {
          Issue.record("\(event)\nengine \(answer)\nmodel  \(expected)\n\(random.note), question \(asked)")
          return
        }
      }
    }
    #expect(asked == Effort.scaled(4_000) * 160)
    if Effort.isPartial { return }
    let navigationReasons = Set(Reason.allCases).subtracting(Self.reasonsOfOtherEvents)
    #expect(
      Set(reasons.keys).isSuperset(of: navigationReasons), "never seen: \(navigationReasons.subtracting(reasons.keys))")
  }

  private static let reasonsOfOtherEvents: Set<Reason> = [
    .unknownApp, .unknownEvent, .clipRecorded, .sameAccount, .clipboardAllowed, .withinLimit, .orgData,
    .orgDataOverLimit, .incomingRestricted, .personalDataOverLimit, .uploadBlockedViewer, .ownerUnknown,
    .changeRecorded, .inPlace, .transferAllowed, .locationAllowed, .outgoingRestricted, .outgoingDisallowed,
    .incomingDisallowed, .wrongAccount, .unknownAccount, .saveLocationNotListed, .openLocationNotListed,
    .downloadBlocked, .shareBlocked, .webTransferAny, .printAllowed, .printBlocked, .captureAllowed, .captureBlocked,
    .captureOwnImage, .notificationAllowed, .notificationRedacted, .notificationBlocked, .indexAllowed, .indexBlocked,
    .channelAllowed, .channelBlocked, .scanRequired, .scanBlocked, .scanTooLarge, .scanOffline, .scanCancelled,
    .mixedViewLockdown, .identitySwitchNeeded, .identitySwitchFailed,
    // Of policies with timed exceptions: ExceptionAgreementTests.
    .exception,
    // Of policies that only monitor: MonitoringAgreementTests.
    .monitored,
  ]
}
