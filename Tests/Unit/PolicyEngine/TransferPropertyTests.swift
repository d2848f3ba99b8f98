import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// What holds of every way data enters or leaves, whatever the policy: over random policies, identities and events.
struct TransferPropertyTests {
  private static let transfers: [EventKind] = [.save, .open, .receive, .share, .download, .upload]

  /// Managed data never reaches a place that is not policy-managed for its account unless a setting lets it.
  @Test
  func managedDataStaysUnlessASettingLetsItGo() throws {
    var leaks = 0
    try forEachAnswer(seed: 10, kinds: Self.transfers) { world, event, decision, random in
      guard decision.outcome == .allow, decision.reason != .inPlace, decision.reason != .noPolicy, !event.isChooser
      else {
        return
      }
      let instance = world.model.instances[event.instance]
      guard let owner = owner(of: event, decision, world) else { return }
      for protection in world.model.protections(of: owner, in: instance) {
        leaks += 1
        let isSave = event.kind == .save || event.kind == .download
        let destination = receiver(of: event, decision, isSave: isSave)
        // What the rules call external is nobody's place, however it came into the viewer.
        let isSentOut = event.kind == .upload && decision.verdict == .external
        let isKept =
          !isSentOut && destination == owner && (event.kind != .share || isManaged(event.peer, protection, world))
        let isListed = protection.save.allowed || protection.save.exceptions.contains(decision.location ?? .other)
        let mayLeave = protection.send == .any || isSave && protection.send.isManaged && isListed
        #expect(isKept || mayLeave, "\(event) \(decision); \(random.note)")
      }
    }
    #expect(leaks > Effort.scaled(1_500))
  }

  /// What is nobody's may go to and come from nobody's, whatever the policies of others say.
  @Test
  func anUnmanagedPairIsAlwaysAllowed() throws {
    var pairs = 0
    try forEachAnswer(seed: 11, kinds: Self.transfers) { world, event, decision, random in
      guard decision.reason != .noPolicy, decision.protection == nil, !isRefusedBefore(decision) else { return }
      // What has a label is never nobody's.
      guard event.label == nil, event.kept == nil else { return }
      let instance = world.model.instances[event.instance]
      let account: String?
      switch event.kind {
      case .share, .receive: account = event.peerAccount
      default: account = decision.location?.takesAccount == false ? nil : event.locationAccount
      }
      let named = [event.owner, account].compactMap(\.self).filter { !$0.isEmpty }
      guard named.allSatisfy({ world.model.knows($0, in: instance) && isFree($0, world, instance) }) else { return }
      guard decision.identity == .absent || decision.identity == .nobody || isFree(decision.identity, world, instance)
      else { return }
      pairs += 1
      #expect(decision.outcome == .allow, "\(event) \(decision); \(random.note)")
    }
    #expect(pairs > Effort.scaled(5_000))
  }

  /// A stricter setting never turns a block into anything that lets more through.
  @Test
  func aRestrictionNeverLoosens() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 12)
    let worlds = RandomWorld(try RandomRules())
    var compared = 0
    for _ in 0..<Effort.scaled(2_000) {
      let world = worlds.world(&random)
      for protection in world.snapshot.protections.indices {
        let restriction = random.one(of: Restriction.allCases)
        guard let stricter = world.snapshot.restricting(protection, restriction) else { continue }
        for _ in 0..<30 {
          var event = worlds.dataEvent(world, time: 1_000, &random)
          if random.oneIn(3) { event.kind = restriction.kind }
          var (before, after) = (world, world)
          let engineEvent = before.engineEvent(event)
          _ = after.engineEvent(event)
          let one = before.decide(engineEvent, in: event.instance)
          let id = after.ids[event.instance]
          let other = PolicyEngine.decide(engineEvent, of: id, &after.state, under: stricter)
          compared += 1
          #expect(
            other.outcome.freedom <= one.outcome.freedom,
            "\(restriction): \(event) \(before.plain(one)) became \(other.outcome) \(other.reason); \(random.note)")
        }
      }
    }
    #expect(compared > Effort.scaled(50_000))
  }

  /// What an app does not say, or says in a name that nobody knows, is never judged more weakly than what it could have
  /// said. An account left out is nobody's by ledger SL-03, so that it is not unknown.
  @Test
  func whatIsUnknownIsNeverWeaker() throws {
    var compared = 0
    try forEachAnswer(seed: 13, kinds: EventKind.allCases.filter { $0 != .unknown }) { world, event, decision, random in
      guard decision.reason != .noPolicy else { return }
      for fact in DataFact.allCases {
        // For a user whose groups are bound, every name is a known one.
        let instance = world.model.instances[event.instance]
        guard let less = fact.dropped(from: event), !world.model.knows(DataFact.stranger, in: instance) else {
          continue
        }
        var copy = world
        let engineEvent = copy.engineEvent(less)
        let after = copy.decide(engineEvent, in: less.instance)
        compared += 1
        #expect(
          after.outcome.freedom <= decision.outcome.freedom,
          "without \(fact): \(event) \(copy.plain(after)), with it \(decision); \(random.note)")
      }
    }
    #expect(compared > Effort.scaled(100_000))
  }

  /// Saving from one account into another's place, and opening from the other's place into the one: with the settings of
  /// both directions exchanged, one answer. Ledger E.3: mirror image.
  @Test
  func savingAndOpeningMirrorEachOther() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 14)
    let accounts = [Name.work, Name.second, Name.home, "", "boss@fabrikam.example", "who@else.example"]
    var reasons: Set<Reason> = []
    for _ in 0..<Effort.scaled(20_000) {
      var policy = ExamplePolicy()
      policy.otherAccounts += [Name.second, "boss@fabrikam.example"].map { AccountEntry(upn: $0, objectID: nil) }
      policy.otherProtections = [Protection(name: "fabrikam")]
      policy.otherProtections[0].accountPatterns = ["*@fabrikam.example"]
      let locations: [Location] = [.other, .oneDriveForBusiness, .sharePoint, .box, .localStorage, .accountDocument]
      let location = random.one(of: locations)
      let levels: [(SendLevel, ReceiveLevel)] = [(.any, .any), (.none, .none), (.managed, .managed)]
      func settings() -> (level: (SendLevel, ReceiveLevel), places: LocationSettings) {
        let exceptions = LocationSet(locations.filter { _ in random.oneIn(3) })
        return (random.one(of: levels), LocationSettings(allowed: random.oneIn(2), exceptions: exceptions))
      }
      let (own, other) = (settings(), settings())
      func apply(_ protection: inout Protection, _ chosen: (level: (SendLevel, ReceiveLevel), places: LocationSettings))
      {
        (protection.send, protection.receive) = chosen.level
        (protection.save, protection.open) = (chosen.places, chosen.places)
      }
      apply(&policy.protection, own)
      apply(&policy.otherProtections[0], other)
      let (near, far) = (random.one(of: Array(accounts.prefix(5))), random.one(of: accounts))
      var example = try Example(policy, as: near)
      let save = Event.data(.save, at: location, of: far)
      let open = Event.data(.open, at: location, of: far)
      let saved = decide(save, of: example.portal, &example.state, under: example.snapshot)
      let opened = decide(open, of: example.portal, &example.state, under: example.snapshot)
      reasons.insert(saved.reason)
      #expect(saved.outcome == opened.outcome, "\(near) \(far) \(location) \(own) \(other); \(random.note)")
      #expect(saved.reason.mirrored == opened.reason, "\(near) \(far) \(location) \(own) \(other); \(random.note)")
    }
    #expect(reasons.count >= 8)
  }

  /// The answer to a matrix, a share sheet and a single call is one, wherever it is asked.
  @Test
  func matricesAreTheSingleCalls() throws {
    try forEachAnswer(seed: 15, kinds: [.save, .open]) { world, event, decision, random in
      var copy = world
      let engineEvent = copy.engineEvent(event)
      let all = decideLocations(
        engineEvent, of: copy.ids[event.instance], &copy.state, under: copy.snapshot)
      let place = Location.allCases.firstIndex(of: event.location) ?? 0
      #expect(copy.plain(all[place]) == decision, "\(event); \(random.note)")
    }
  }

  /// Families of viewers that have nothing to do with each other may come in any order.
  @Test
  func theOrderOfUnrelatedViewersDoesNotMatter() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 16)
    let worlds = RandomWorld(try RandomRules())
    for _ in 0..<Effort.scaled(2_000) {
      let snapshot = worlds.policy(&random)
      let viewers = RandomWorld.viewers.map { name in
        ViewerDescription(
          name, class: random.one(of: RandomPolicy.classNames, orNilOneIn: 2),
          window: random.one(of: RandomWorld.windows, orNilOneIn: 3))
      }
      let windows = RandomWorld.windows.map { ($0, random.one(of: RandomPolicy.accountNames, orNilOneIn: 5)) }
      var (first, second) = (TwinWorld(snapshot), TwinWorld(snapshot))
      build(&first, viewers, windows)
      build(&second, viewers.reversed(), windows.reversed())
      for _ in 0..<20 {
        var event = worlds.dataEvent(first, time: 1_000, &random)
        (event.instance, event.scope) = (0, .absent)
        let (one, other) = (first.engineEvent(event), second.engineEvent(event))
        let (left, right) = (first.decide(one, in: 0), second.decide(other, in: 0))
        #expect(first.plain(left) == second.plain(right), "\(event); \(random.note)")
      }
    }
  }

  private func build(_ world: inout TwinWorld, _ viewers: [ViewerDescription], _ windows: [(String, String?)]) {
    world.attach(app: RandomPolicy.appNames[0], uid: 1000, groups: [100])
    for (window, account) in windows { world.setIdentity(account, window: window, in: 0) }
    for call in viewers { world.register(call, in: 0) }
  }

  // MARK: Parts

  /// Asks random questions of the given kinds in random worlds, of which only the model's word of the answer is used.
  private func forEachAnswer(
    seed: UInt64, kinds: [EventKind],
    _ body: (TwinWorld, ModelDataEvent, ModelDecision, SeededGenerator) -> Void
  ) throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ seed)
    let worlds = RandomWorld(try RandomRules())
    for _ in 0..<Effort.scaled(3_000) {
      var world = worlds.world(&random)
      for _ in 0..<40 {
        let event = worlds.dataEvent(world, time: 1_000, &random)
        guard kinds.contains(event.kind) else { continue }
        let before = world
        let engineEvent = world.engineEvent(event)
        let decision = world.decide(engineEvent, in: event.instance)
        body(before, event, world.plain(decision), random)
      }
    }
  }

  /// The managed account whose data an allowed transfer moves; nil when it moves nobody's.
  private func owner(of event: ModelDataEvent, _ decision: ModelDecision, _ world: TwinWorld) -> String? {
    let isOutgoing = [.save, .download, .share].contains(event.kind)
    let place = event.kind == .receive ? event.peerAccount : event.locationAccount
    let ignoresPlace = event.kind != .receive && decision.location?.takesAccount == false
    if let owner = event.owner { return owner.isEmpty ? nil : world.model.canonical(owner) }
    if isOutgoing { if case .account(let name) = decision.identity { return name } else { return nil } }
    guard let place, !place.isEmpty, !ignoresPlace else { return nil }
    return world.model.canonical(place)
  }

  private func receiver(of event: ModelDataEvent, _ decision: ModelDecision, isSave: Bool) -> String? {
    let name: String?
    switch event.kind {
    case .share: name = event.peerAccount
    case .save, .download: name = nil
    default: if case .account(let account) = decision.identity { name = account } else { name = nil }
    }
    return name.map { $0.lowercased() == "oid-1" ? "work@contoso.com" : $0.lowercased() }
  }

  private func isManaged(_ peer: String?, _ protection: Protection, _ world: TwinWorld) -> Bool {
    guard let peer else { return false }
    return world.snapshot.apps.contains { $0.name == peer } || protection.managedApps.contains(Array(peer.utf8))
  }

  private func isFree(_ name: String, _ world: TwinWorld, _ instance: ModelInstance) -> Bool {
    world.model.protections(of: world.model.canonical(name), in: instance).isEmpty
  }

  private func isFree(_ identity: ModelIdentity, _ world: TwinWorld, _ instance: ModelInstance) -> Bool {
    if case .account(let name) = identity { isFree(name, world, instance) } else { true }
  }

  /// The gates before E.3, and rules that apply always.
  private func isRefusedBefore(_ decision: ModelDecision) -> Bool {
    let gates: [Reason] = [
      .noIdentity, .accountBlocked, .accountNotCompliant, .accountWiped, .mixedViewLockdown, .blockedByRule,
      .invalidURL, .unknownApp,
    ]
    return decision.outcome == .block && gates.contains(decision.reason)
  }
}

extension Reason {
  /// What the same step is called in the other direction.
  fileprivate var mirrored: Reason {
    switch self {
    case .outgoingDisallowed: .incomingDisallowed
    case .incomingDisallowed: .outgoingDisallowed
    case .incomingRestricted: .outgoingRestricted
    case .saveLocationNotListed: .openLocationNotListed
    default: self
    }
  }
}

/// One setting made stricter, and an event that it speaks of.
private enum Restriction: CaseIterable {
  case sendManaged, sendNone, receiveManaged, receiveNone, save, saveException, open, openException, printing, capture,
    notifications, redaction, indexing, contacts, widgets, backup, assistants, automation, writingTools, inputMethods,
    managedApps, block, exemptSchemes, managedSchemes, telecommunication

  var kind: EventKind {
    switch self {
    case .sendManaged, .sendNone, .managedApps: .share
    case .receiveManaged, .receiveNone: .receive
    case .save, .saveException: .save
    case .open, .openException: .open
    case .printing: .print
    case .capture: .capture
    case .notifications, .redaction: .notify
    case .indexing: .index
    case .contacts, .widgets, .backup, .assistants, .automation, .writingTools, .inputMethods: .exchange
    case .block, .exemptSchemes, .managedSchemes, .telecommunication: .openURL
    }
  }

  /// The stricter settings; nil when they are no stricter.
  func tightened(_ old: Protection) -> Protection? {
    var new = old
    switch self {
    case .sendManaged:
      guard old.send == .any else { return nil }
      new.send = .managed
    case .sendNone: new.send = .none
    case .receiveManaged:
      guard old.receive == .any || old.receive == .anyTagOrg else { return nil }
      new.receive = .managed
    case .receiveNone: new.receive = .none
    case .save: new.save.allowed = false
    case .saveException: new.save.exceptions = []
    case .open: new.open.allowed = false
    case .openException: new.open.exceptions = []
    case .printing: new.printing = .block
    case .capture: new.screenCapture = .block
    case .notifications: new.notifications = .block
    case .redaction:
      guard old.notifications == .allow else { return nil }
      new.notifications = .blockOrgData
    case .indexing: new.indexing = .block
    case .contacts: new.contacts = .block
    case .widgets: new.widgets = .block
    case .backup: new.backup = .block
    case .assistants: new.assistants = .block
    case .automation: new.automation = .block
    case .writingTools: new.writingTools = .block
    case .inputMethods: new.inputMethods = .block
    case .managedApps: new.managedApps = []
    case .block: return nil
    case .exemptSchemes: new.exemptSchemes = []
    case .managedSchemes: new.managedSchemes = []
    case .telecommunication: new.telecommunication = .none
    }
    return new
  }
}

extension Snapshot {
  fileprivate func restricting(_ index: Int, _ restriction: Restriction) -> Snapshot? {
    var changed = protections
    guard let stricter = restriction.tightened(changed[index]) else { return nil }
    changed[index] = stricter
    return Snapshot(
      generation: generation, policyRequired: policyRequired, apps: apps, accounts: accounts, protections: changed,
      ruleSets: ruleSets, browsers: browsers, links: links)
  }
}

/// Something that an app may not know, or names in a way that nobody knows.
private enum DataFact: CaseIterable {
  case owner, location, locationAccount, path, peer, peerAccount, inPlace, chooser, channel, capture

  static let stranger = "nobody.knows@else.example"

  /// The event without it; nil when it says nothing of it.
  func dropped(from event: ModelDataEvent) -> ModelDataEvent? {
    var less = event
    switch self {
    case .owner:
      guard event.owner != nil else { return nil }
      less.owner = Self.stranger
    case .location: less.location = .other
    case .locationAccount:
      guard event.locationAccount != nil else { return nil }
      less.locationAccount = Self.stranger
    case .path:
      guard event.path != nil else { return nil }
      less.path = "relative"
    case .peer: (less.peer, less.isChooser) = (nil, false)
    case .chooser: less.isChooser = false
    case .peerAccount:
      guard event.peerAccount != nil else { return nil }
      less.peerAccount = Self.stranger
    case .inPlace: (less.isInPlace, less.isChooser) = (false, false)
    case .channel: less.channel = .unknown
    case .capture: less.capture = .unknown
    }
    return less
  }
}
