package import GuardModel
package import PolicyEngine
internal import URLRules

/// Random worlds and random questions in them.
package struct RandomWorld {
  package static let viewers = (0..<7).map { "v\($0)" }
  package static let windows = ["w0", "w1"]
  private let policies: RandomPolicy
  let urls = RandomURLs()

  package init(_ rules: RandomRules) { policies = RandomPolicy(rules) }

  /// A world with some instances, viewers and identities.
  package func world(_ random: inout SeededGenerator) -> TwinWorld {
    var world = TwinWorld(policies.snapshot(&random))
    for _ in 0..<(1 + random.below(4)) {
      let groups: [UInt32] = random.one(of: [[], [100], [101], [100, 101]])
      let features = ClientFeatures(rawValue: UInt8(random.below(64)))
      world.attach(
        app: random.one(of: RandomPolicy.appNames), uid: UInt32(1000 + random.below(2)), groups: groups,
        features: features)
    }
    for _ in 0..<40 { change(&world, &random) }
    return world
  }

  /// A world whose policy monitors and warns here and there. The same generator under another `change` builds the same
  /// world.
  package func monitoredWorld(
    _ random: inout SeededGenerator, _ change: (Snapshot) -> Snapshot = { $0 }
  ) -> TwinWorld {
    world(of: change(policies.snapshot(&random).monitored(&random)), &random)
  }

  /// A world with timed exceptions, whose policy monitors and warns here and there, or does not.
  package func exceptedWorld(
    monitors: Bool, _ random: inout SeededGenerator, _ change: (Snapshot) -> Snapshot = { $0 }
  ) -> TwinWorld {
    let policy = policies.snapshot(&random)
    let chosen = monitors ? policy.monitored(&random) : policy
    return world(of: change(chosen.excepting(RandomExceptions.list(&random))), &random)
  }

  private func world(of policy: Snapshot, _ random: inout SeededGenerator) -> TwinWorld {
    var world = TwinWorld(policy)
    for _ in 0..<(1 + random.below(3)) {
      let features = ClientFeatures(rawValue: UInt8(random.below(64)))
      world.attach(
        app: random.one(of: RandomPolicy.appNames), uid: UInt32(1000 + random.below(2)),
        groups: random.one(of: [[], [100], [101]]), features: features)
    }
    for _ in 0..<40 { self.change(&world, &random) }
    return world
  }

  /// A random policy alone, under which the order of sign-ins does not matter.
  package func policy(_ random: inout SeededGenerator) -> Snapshot {
    policies.snapshot(&random).with { $0.managedAccounts = .several }
  }

  /// A world with one protection, without links, and in which only classes give rules: one in which answers can be
  /// compared by strictness.
  package func plainWorld(_ random: inout SeededGenerator) -> TwinWorld {
    var world = TwinWorld(policies.plainSnapshot(&random))
    for app in RandomPolicy.appNames {
      world.attach(app: app, uid: 1000, groups: [], features: [.wrap, .plainText])
      let instance = world.ids.count - 1
      for viewer in Self.viewers { world.register(call(viewer, &random), in: instance) }
      for viewer in Self.viewers { world.register(call(viewer, &random), in: instance) }
      for window in Self.windows { world.setIdentity(account(&random), window: window, in: instance) }
      world.setIdentity(account(&random), window: nil, in: instance)
    }
    return world
  }

  /// One call of an app that changes state.
  package func change(_ world: inout TwinWorld, _ random: inout SeededGenerator) {
    let instance = random.below(world.ids.count)
    let viewer = random.one(of: Self.viewers)
    switch random.below(13) {
    case 0...4: world.register(call(viewer, &random), in: instance)
    case 5: world.tag(viewer, random.one(of: WebViewPolicy.allCases), in: instance)
    case 6: world.setRules(random.one(of: RandomPolicy.ruleSetNames, orNilOneIn: 4), viewer, in: instance)
    case 7: world.setDocument(random.oneIn(5) ? nil : urls.text(&random), viewer, in: instance)
    case 8 where random.oneIn(2): world.forget(viewer, in: instance)
    case 9 where random.oneIn(6): world.setIdentity(account(&random), window: nil, in: instance)
    case 9: world.setIdentity(random.one(of: RandomPolicy.accountNames), window: nil, in: instance)
    case 10 where random.oneIn(3):
      let accounts = (0...random.below(3)).map { _ in random.oneIn(4) ? "" : random.one(of: RandomPolicy.accountNames) }
      world.setIdentities(accounts, window: random.one(of: Self.windows), in: instance)
    case 11: world.setScope(account(&random), connection: UInt64(random.below(3)), in: instance)
    default: world.setIdentity(account(&random), window: random.one(of: Self.windows), in: instance)
    }
  }

  /// Asks for a switch; the result, and what it has to be: nil where the call is an error.
  package func switchIdentity(
    _ world: inout TwinWorld, _ random: inout SeededGenerator
  ) -> (said: SwitchResult?, expected: SwitchResult?) {
    let instance = random.below(world.ids.count)
    let window = random.one(of: Self.windows, orNilOneIn: 4)
    let gates = random.oneIn(3) ? random.one(of: SwitchResult.allCases) : .success
    return world.switchIdentity(
      to: account(&random), window: window, scope: scope(world, &random), gates: gates, in: instance)
  }

  private func call(_ viewer: String, _ random: inout SeededGenerator) -> ViewerDescription {
    ViewerDescription(
      viewer, class: random.one(of: RandomPolicy.classNames, orNilOneIn: 2),
      parent: random.one(of: Self.viewers, orNilOneIn: 2), window: random.one(of: Self.windows, orNilOneIn: 2),
      opener: random.one(of: Self.viewers, orNilOneIn: 2), kind: random.one(of: ViewerKind.allCases, orNilOneIn: 2),
      document: random.oneIn(3) ? urls.text(&random) : nil)
  }

  /// nil is absent, `""` nobody.
  private func account(_ random: inout SeededGenerator) -> String? {
    random.oneIn(4) ? random.one(of: [nil, ""]) : random.one(of: RandomPolicy.accountNames)
  }

  package func navigation(_ world: borrowing TwinWorld, _ random: inout SeededGenerator) -> ModelNavigation {
    var event = ModelNavigation()
    event.instance = random.below(world.ids.count)
    event.viewer = random.one(of: Self.viewers, orNilOneIn: 10)
    event.url = random.oneIn(30) ? nil : urls.text(&random)
    event.from = random.oneIn(3) ? nil : urls.text(&random)
    event.method = random.one(of: [nil, nil, "GET", "POST", "HEAD"])
    event.frame = random.one(of: [.main, .main, .main, .sub, .resource, .unknown])
    event.hop = random.one(of: [true, false], orNilOneIn: 3)
    event.isSameDocument = random.oneIn(8)
    event.opensWindow = random.oneIn(8)
    event.scope = scope(world, &random)
    return event
  }

  package func clipEvent(
    _ world: borrowing TwinWorld, _ given: [ClipID], _ copies: [Int] = [], time: UInt64,
    _ random: inout SeededGenerator
  ) -> ModelClipEvent {
    var event = ModelClipEvent(
      random.one(of: [.copy, .copy, .paste, .paste, .paste, .clipboardChanged, .clipboardChanged, .dragEnd]))
    if random.oneIn(200) { event.kind = .unknown }
    event.instance = random.below(world.ids.count)
    event.viewer = random.one(of: Self.viewers, orNilOneIn: 10)
    event.selection = random.one(of: [.clipboard, .clipboard, .clipboard, .primary, .drag, .unknown])
    event.display = random.one(of: ["", "", ":0", ":0", "wayland-1"])
    event.length = random.one(of: [0, 1, 3, 5, 6, 12, 20, 21, 1_000], orNilOneIn: 10)
    event.offersPlainText = !random.oneIn(8)
    event.selfOwned = random.one(of: [true, false, false], orNilOneIn: 5)
    event.claim = claim(given, &random)
    event.isInFields = random.oneIn(6)
    event.from = random.oneIn(2) ? nil : urls.text(&random)
    event.inspection = random.one(of: Inspection.allCases)
    event.scope = scope(world, &random)
    event.time = time
    if event.kind == .clipboardChanged, random.oneIn(3) {
      event.echoOf = copies.suffix(6).randomElement(using: &random)
    }
    return event
  }

  private func claim(_ given: [ClipID], _ random: inout SeededGenerator) -> ClipClaim {
    switch random.below(8) {
    case 0: .unreadable
    case 1: .id(ClipID(epoch: TwinWorld.epoch - 1, number: 1))
    case 2, 3: random.one(of: given, orNilOneIn: 20).map { .id($0) } ?? .none
    default: .none
    }
  }

  func scope(_ world: borrowing TwinWorld, _ random: inout SeededGenerator) -> ModelIdentity {
    guard random.oneIn(8) else { return .absent }
    let name = account(&random)
    // Only accounts that the policy knows may be named.
    guard let name, !name.isEmpty else { return name == nil ? .absent : .nobody }
    return name == "other@contoso.com" ? .absent : world.modelIdentity(name)
  }
}
