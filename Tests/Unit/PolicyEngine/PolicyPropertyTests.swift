import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// What holds of every question at once, navigation, clipboard and data paths, over random policies and worlds.
struct PolicyPropertyTests {
  /// One question, whatever of.
  private struct Asked {
    let instance: Int
    let event: Event
    let words: String

    init(_ worlds: RandomWorld, _ world: inout TwinWorld, _ random: inout SeededGenerator) {
      switch random.below(3) {
      case 0:
        let asked = worlds.navigation(world, &random)
        (instance, event, words) = (asked.instance, world.engineEvent(asked), "\(asked)")
      case 1:
        let asked = worlds.clipEvent(world, [], time: 119_999, &random)
        (instance, event, words) = (asked.instance, world.engineEvent(asked), "\(asked)")
      default:
        let asked = worlds.dataEvent(world, time: 1_000, &random)
        (instance, event, words) = (asked.instance, world.engineEvent(asked), "\(asked)")
      }
    }
  }

  // MARK: Restrictions

  /// What a policy says beside the settings of data paths: a stricter one lets nothing more happen, of any question.
  ///
  /// With one protection: a stricter web transfer would make another one the strictest. Rules that name a browser may send
  /// there what loads in place in that browser, so that only `block` is stricter than every other web transfer.
  @Test(arguments: PolicyRestriction.allCases)
  func aRestrictionNeverLoosens(_ restriction: PolicyRestriction) throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 41)
    let worlds = RandomWorld(try RandomRules())
    var stricter = 0
    for _ in 0..<Effort.scaled(500) {
      var world = worlds.plainWorld(&random)
      for _ in 0..<10 {
        let asked = Asked(worlds, &world, &random)
        _ = world.decide(asked.event, in: asked.instance)
      }
      let loose = restriction.isFelt(in: world.snapshot)
      let snapshot = restriction.applied(to: loose)
      for _ in 0..<30 {
        let asked = Asked(worlds, &world, &random)
        let event = restriction.calls(asked.event, &random)
        var (before, after) = (world, world)
        before.state.adopt(loose)
        after.state.adopt(snapshot)
        let id = after.ids[asked.instance]
        let one = PolicyEngine.decide(event, of: id, &before.state, under: loose)
        let other = PolicyEngine.decide(event, of: id, &after.state, under: snapshot)
        if other.freedom(of: event.kind) < one.freedom(of: event.kind) { stricter += 1 }
        #expect(
          other.freedom(of: event.kind) <= one.freedom(of: event.kind),
          "\(asked.words) \(before.plain(one)) became \(other.outcome) \(other.reason); \(random.note)")
      }
    }
    #expect(stricter > 0 || restriction == .oneDialer)
  }

  // MARK: Unknown viewers

  /// A viewer that nobody names or registered is judged no more weakly than any that is there.
  @Test
  func anUnknownViewerIsNeverWeaker() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 42)
    let worlds = RandomWorld(try RandomRules())
    var compared = 0
    for _ in 0..<Effort.scaled(2_000) {
      let world = worlds.plainWorld(&random)
      for _ in 0..<30 {
        var asked = worlds.dataEvent(world, time: 1_000, &random)
        asked.scope = .absent
        guard !Self.incoming.contains(asked.kind), asked.viewer != nil else { continue }
        var (known, unknown) = (world, world)
        let before = known.decide(known.engineEvent(asked), in: asked.instance)
        var stranger = asked
        // Saving without a viewer is work in the background, which the identity of file tasks decides.
        let mayBeInBackground = asked.kind == .save || asked.kind == .download
        stranger.viewer = !mayBeInBackground && random.oneIn(2) ? nil : "never registered"
        let after = unknown.decide(unknown.engineEvent(stranger), in: asked.instance)
        guard !Self.othersWord.contains(before.reason) else { continue }
        compared += 1
        #expect(
          after.freedom(of: asked.kind) <= before.freedom(of: asked.kind),
          "\(asked) \(known.plain(before)), of nobody knows which viewer \(unknown.plain(after)); \(random.note)")
      }
    }
    #expect(compared > Effort.scaled(20_000))
  }

  /// Whether data may come in is another order of strictness: what is nobody's is refused where a managed account's is not.
  private static let othersWord: [Reason] = [.noIdentity, .incomingRestricted, .incomingDisallowed]
  private static let incoming: [EventKind] = [.open, .receive, .upload, .unknown]

  // MARK: Order

  /// Families of viewers that have nothing to do with each other may come in any order, and so may windows; what is asked
  /// then is answered the same, one question after the other.
  @Test
  func theOrderOfUnrelatedFamiliesDoesNotMatter() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 43)
    let worlds = RandomWorld(try RandomRules())
    for _ in 0..<Effort.scaled(1_000) {
      let snapshot = worlds.policy(&random)
      let families = Self.families(&random)
      let windows = RandomWorld.windows.map { ($0, random.one(of: RandomPolicy.accountNames, orNilOneIn: 5)) }
      var (first, second) = (TwinWorld(snapshot), TwinWorld(snapshot))
      Self.build(&first, families, windows)
      Self.build(&second, families.reversed(), windows.reversed())
      for _ in 0..<20 {
        let asked = Asked(worlds, &first, &random)
        guard asked.event.scope == .absent else { continue }
        let (left, right) = (first.decide(asked.event, in: 0), second.decide(asked.event, in: 0))
        #expect(first.plain(left) == second.plain(right), "\(asked.words); \(random.note)")
      }
    }
  }

  /// A root with what is inside it and what it opened, each with random words of its own.
  private static func families(_ random: inout SeededGenerator) -> [[ViewerDescription]] {
    let names = RandomWorld.viewers
    return [names[0..<3], names[3..<5], names[5..<7]].map { family in
      var calls: [ViewerDescription] = []
      for name in family {
        let above = calls.isEmpty ? nil : random.one(of: calls).name
        let isOpened = random.oneIn(2)
        calls.append(
          ViewerDescription(
            name, class: random.one(of: RandomPolicy.classNames, orNilOneIn: 2), parent: isOpened ? nil : above,
            window: random.one(of: RandomWorld.windows, orNilOneIn: 2), opener: isOpened ? above : nil,
            kind: random.one(of: [.embedded, .popup, .auth, .ephemeral], orNilOneIn: 2)))
      }
      return calls
    }
  }

  private static func build(_ world: inout TwinWorld, _ families: [[ViewerDescription]], _ windows: [(String, String?)])
  {
    world.attach(app: RandomPolicy.appNames[0], uid: 1000, groups: [100], features: [.wrap, .plainText])
    for (window, account) in windows { world.setIdentity(account, window: window, in: 0) }
    for call in families.flatMap(\.self) { world.register(call, in: 0) }
  }
}

/// One thing that a policy says, made stricter.
enum PolicyRestriction: CaseIterable, Sendable {
  case noExternalPages, noMessages, noCalls, oneDialer, clipboard, noException, inspection, blockedAccounts,
    noHandledSchemes, noPopups, untilIdentity, noBrowsers

  /// The policy, changed so that the restriction makes a difference.
  func isFelt(in old: Snapshot) -> Snapshot {
    var (protections, apps) = (old.protections, old.apps)
    if self == .noHandledSchemes { for index in apps.indices { apps[index].handledSchemes.append(Array("tel".utf8)) } }
    for index in protections.indices {
      switch self {
      case .noMessages, .noCalls, .oneDialer:
        protections[index].send = .managed
        (protections[index].messaging, protections[index].telecommunication) = (.any, .any)
      case .noException:
        protections[index].clipboard.level = .managedWithPasteIn
        protections[index].clipboard.exceptionLength = 1_000
        protections[index].clipboard.exceptionPerMinute = nil
      default: break
      }
    }
    return Snapshot(
      generation: old.generation, policyRequired: old.policyRequired, apps: apps, accounts: old.accounts,
      protections: protections, ruleSets: old.ruleSets, browsers: old.browsers, links: old.links)
  }

  /// The event, or now and then one that the restriction speaks of.
  func calls(_ event: Event, _ random: inout SeededGenerator) -> Event {
    let called: [Self] = [.noMessages, .noCalls, .oneDialer, .noException, .noHandledSchemes]
    guard called.contains(self), random.oneIn(3) else { return event }
    var call = Event(self == .noException ? .paste : .openURL)
    call.viewer = event.string(event.viewer).map { call.append($0) }
    (call.selection, call.length, call.time) = (.clipboard, 5, event.time)
    call.url = call.append(self == .noMessages ? "sms:1" : "tel:1")
    return call
  }

  func applied(to old: Snapshot) -> Snapshot {
    var (apps, protections, accounts) = (old.apps, old.protections, old.accounts)
    for index in protections.indices { restrict(&protections[index]) }
    for index in apps.indices {
      if self == .noHandledSchemes { apps[index].handledSchemes = [] }
      if self == .noPopups { apps[index].popups = .block }
      if self == .untilIdentity { apps[index].untilIdentity = .block }
    }
    if self == .blockedAccounts { for index in accounts.entries.indices { accounts.entries[index].state = .blocked } }
    return Snapshot(
      generation: old.generation, policyRequired: old.policyRequired, apps: apps, accounts: accounts,
      protections: protections, ruleSets: old.ruleSets, browsers: self == .noBrowsers ? Browsers() : old.browsers,
      links: old.links)
  }

  private func restrict(_ protection: inout Protection) {
    switch self {
    case .noExternalPages: protection.webTransfer = .block
    case .noMessages: protection.messaging = .none
    case .noCalls: protection.telecommunication = .none
    // Both are handed off: one program is no more than any.
    case .oneDialer: protection.telecommunication = .program(Program(desktopID: "org.gnome.Calls.desktop"))
    case .clipboard: protection.clipboard.level = .blocked
    case .noException: protection.clipboard.exceptionLength = 0
    case .inspection: protection.requiresInspection = true
    case .blockedAccounts, .noHandledSchemes, .noPopups, .untilIdentity, .noBrowsers: break
    }
  }
}

extension Decision {
  /// How much it lets happen. An app that opens a URL hands it to another program; where the app is the managed browser,
  /// the URL stays where a redirect would take it.
  fileprivate func freedom(of kind: EventKind) -> Int {
    kind == .openURL && reason == .isManagedBrowser ? Outcome.redirect.freedom : outcome.freedom
  }
}
