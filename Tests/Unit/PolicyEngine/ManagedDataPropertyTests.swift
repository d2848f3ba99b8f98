import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// Managed data stays where a policy reaches unless a setting lets it go, and what is nobody's is free: of everything
/// that is not a transfer between two named places (those are in `TransferPropertyTests`), in random worlds with several
/// accounts in a view, scopes and switches.
struct ManagedDataPropertyTests {
  private static let kinds: [EventKind] = [.print, .capture, .notify, .index, .exchange, .openURL]

  @Test
  func whatAManagedViewShowsGoesOnlyWhereASettingLetsIt() throws {
    var allowed: [EventKind: Int] = [:]
    try forEachAnswer(seed: 51, kinds: Self.kinds) { world, event, decision, random in
      guard decision.outcome != .block, decision.reason != .noPolicy else { return }
      guard case .account(let name) = decision.identity else { return }
      for protection in world.model.protections(of: name, in: world.model.instances[event.instance]) {
        allowed[event.kind, default: 0] += 1
        #expect(
          Self.lets(protection, event, decision, of: name, in: world), "\(event) \(decision); \(random.note)")
      }
    }
    #expect(Self.kinds.allSatisfy { allowed[$0, default: 0] > Effort.scaled(100) }, "\(allowed)")
  }

  @Test
  func whatAnUnmanagedViewShowsIsFree() throws {
    var free: [EventKind: Int] = [:]
    try forEachAnswer(seed: 52, kinds: Self.kinds) { world, event, decision, random in
      guard decision.reason != .noPolicy, !Self.gates.contains(decision.reason), decision.protection == nil else {
        return
      }
      // Of what others own, of rules that apply always, and of a keyboard of all accounts other tests tell.
      let isOwn = event.owner == nil && event.peerAccount == nil && event.path == nil && event.kind != .openURL
      guard isOwn, event.channel != .inputMethod, event.channel != .unknown || event.kind != .exchange else { return }
      free[event.kind, default: 0] += 1
      #expect(decision.outcome == .allow, "\(event) \(decision); \(random.note)")
    }
    #expect(free.count == Self.kinds.count - 1 && free.values.allSatisfy { $0 > Effort.scaled(100) }, "\(free)")
  }

  /// A clip of a managed account is pasted as that account, or where the clipboard's own setting lets it go; nobody's
  /// clip is pasted freely into what is nobody's.
  @Test
  func aManagedClipGoesOnlyWhereItsSettingLetsIt() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 53)
    let worlds = RandomWorld(try RandomRules())
    var (kept, left, free) = (0, 0, 0)
    for _ in 0..<Effort.scaled(6_000) {
      var world = worlds.world(&random)
      for round in 0..<80 {
        if round % 8 == 0 { worlds.change(&world, &random) }
        let event = worlds.clipEvent(world, [], time: UInt64(round) * 7_000, &random)
        let engineEvent = world.engineEvent(event)
        let answer = world.decide(engineEvent, in: event.instance)
        let decision = world.plain(answer)
        guard event.kind == .paste, decision.reason != .noPolicy, !Self.gates.contains(decision.reason) else {
          continue
        }
        // Where rules apply always a rule of pastes blocks what is nobody's, too.
        if decision.clipOwner == .unmanaged, decision.protection == nil, decision.reason != .blockedByRule {
          free += 1
          #expect(decision.outcome == .allow, "\(event) \(decision); \(random.note)")
        }
        // An account that groups bind is bound as its own user's groups say.
        guard decision.outcome == .allow, case .account(let owner) = decision.clipOwner else { continue }
        for protection in world.model.protections(of: owner, in: nil) {
          if decision.identity == .account(owner) { kept += 1 } else { left += 1 }
          let isShort =
            decision.reason == .withinLimit && decision.flags[.onlyPlainText]
            && event.length.map { $0 <= protection.clipboard.exceptionLength } ?? false
          #expect(
            decision.identity == .account(owner) || protection.clipboard.level == .any || isShort,
            "\(event) \(decision); \(random.note)")
        }
      }
    }
    #expect(min(kept, left, free) > Effort.scaled(50), "kept \(kept), left \(left), free \(free)")
  }

  // MARK: Parts

  private static func lets(
    _ protection: Protection, _ event: ModelDataEvent, _ decision: ModelDecision, of account: String,
    in world: TwinWorld
  ) -> Bool {
    switch event.kind {
    case .print: protection.printing == .allow
    case .capture: protection.screenCapture == .allow || event.capture == .ownImage
    case .notify:
      protection.notifications == .allow || decision.outcome == .redact && protection.notifications != .block
    case .index: protection.send == .any && protection.indexing == .allow
    case .exchange: letsThrough(protection, event, of: account, in: world)
    default: letsOpen(protection, decision, world.snapshot)
    }
  }

  private static func letsThrough(
    _ protection: Protection, _ event: ModelDataEvent, of account: String, in world: TwinWorld
  ) -> Bool {
    let assistants = protection.send == .any ? protection.assistants : .block
    let settings: [Channel: Permission] = [
      .assistant: assistants, .automation: protection.automation ?? assistants,
      .writingTools: protection.writingTools, .inputMethod: protection.inputMethods, .contacts: protection.contacts,
      .widgets: protection.widgets, .backup: protection.backup,
    ]
    if let setting = settings[event.channel] { return setting == .allow }
    // An extension is another program; what nobody named is any of all of them.
    let isUnnamed = event.channel == .unknown
    // Of a backup the identity of files is asked, which is another's.
    if isUnnamed, settings.contains(where: { $0.key != .backup && $0.value == .block }) { return false }
    guard event.owner == nil else { return true }
    let isSame = event.peerAccount.map { world.model.canonical($0) } == account
    return protection.send == .any || protection.send.isManaged && isSame && event.peer != nil
  }

  private static func letsOpen(_ protection: Protection, _ decision: ModelDecision, _ snapshot: Snapshot) -> Bool {
    switch decision.reason {
    case .handledInViewer, .isManagedBrowser: true
    case .external:
      decision.target == .managedBrowser || [.any, .unmanagedBrowser].contains(protection.webTransfer)
    case .webTransferAny: protection.webTransfer == .any
    case .exemptLink: !snapshot.links.exempt.rules.rules.isEmpty
    case .managedLink: !snapshot.links.managed.rules.rules.isEmpty
    case .sendAny: protection.send == .any
    // Where everything may be sent, the lists and programs of a protection are not asked.
    case .schemeClassAllowed:
      protection.send == .any || protection.telecommunication != .none || protection.messaging != .none
    case .exemptScheme:
      protection.send == .any || protection.send.isManaged && !protection.exemptSchemes.isEmpty
    // What one protection lets go to managed programs only, another that binds the account, too, may exempt.
    case .managedScheme:
      protection.send == .any
        || protection.send.isManaged && !(protection.managedSchemes.isEmpty && protection.exemptSchemes.isEmpty)
    default: false
    }
  }

  private static let gates: [Reason] = [
    .noIdentity, .accountBlocked, .accountNotCompliant, .accountWiped, .mixedViewLockdown, .unknownApp, .unknownEvent,
    .unknownAccount,
  ]

  private func forEachAnswer(
    seed: UInt64, kinds: [EventKind],
    _ body: (TwinWorld, ModelDataEvent, ModelDecision, SeededGenerator) -> Void
  ) throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ seed)
    let worlds = RandomWorld(try RandomRules())
    for _ in 0..<Effort.scaled(2_000) {
      var world = worlds.world(&random)
      for round in 0..<60 {
        if round % 12 == 0 { _ = worlds.switchIdentity(&world, &random) }
        var event = worlds.dataEvent(world, time: 1_000, &random)
        event.kind = random.one(of: kinds)
        let engineEvent = world.engineEvent(event)
        let answer = world.decide(engineEvent, in: event.instance)
        let decision = world.plain(answer)
        body(world, event, decision, random)
      }
    }
  }
}
