internal import GuardModel
internal import PolicyEngine

/// Every way data enters or leaves a viewer, straight from ledger E.3 and the rows behind it. Slow and obvious: whose the
/// data is, whose it becomes, and then both sides' settings in words.
package struct TransferModel {
  package var world: ModelWorld

  package init(_ world: ModelWorld) { self.world = world }

  /// Goes over to another world's policy, and keeps what it knows of the instances.
  package mutating func take(policyOf other: ModelWorld) {
    let instances = world.instances
    world = other
    world.instances = instances
  }

  /// A side of a transfer.
  enum Side: Equatable {
    case nobody
    case managed(String, Protection)

    static func == (left: Side, right: Side) -> Bool {
      switch (left, right) {
      case (.nobody, .nobody): true
      case (.managed(let one, _), .managed(let other, _)): one == other
      default: false
      }
    }

    var protection: Protection? { if case .managed(_, let protection) = self { protection } else { nil } }
    var account: String? { if case .managed(let name, _) = self { name } else { nil } }
  }

  /// A question with everything that steps 2 to 4 found.
  struct Asked {
    let event: ModelDataEvent
    let instance: ModelInstance
    let app: App
    let model: ModelCase
    let own: Side
  }

  package mutating func decide(_ event: ModelDataEvent) -> ModelDecision {
    let instance = world.instances[event.instance]
    guard world.policy.generation.number > 0 else {
      return ModelDecision(world.policy.policyRequired ? .block : .allow, .noPolicy)
    }
    guard let app = world.app(instance), !instance.hasEnded else { return ModelDecision(.block, .unknownApp) }
    guard event.kind != .unknown else { return ModelDecision(.block, .unknownEvent) }
    let scope = app.identityMode == .single ? .absent : event.scope
    let model = ModelCase(world, event.viewer, scope, instance, app)
    if let end = model.dataGate { return end }
    var own = Side.nobody
    if case .account(let name) = model.whose.identity, let protection = model.protection {
      own = .managed(name, protection)
    }
    let asked = Asked(event: event, instance: instance, app: app, model: model, own: own)
    switch event.kind {
    case .save: return save(asked)
    case .open: return open(asked)
    case .receive: return receive(asked)
    case .share: return share(asked)
    case .download: return download(asked)
    case .upload: return upload(asked)
    case .openURL: return openURL(asked)
    case .print: return print(asked)
    case .capture: return capture(asked)
    case .notify: return notify(asked)
    case .index: return index(asked)
    case .exchange: return exchange(asked)
    case .unknown, .navigate, .copy, .paste, .clipboardChanged, .dragEnd: return ModelDecision(.block, .unknownEvent)
    }
  }

  // MARK: Whose

  /// An account that an event names: nobody's when empty or left out. One that the policy does not know ends the
  /// procedure before (`standing`).
  func side(_ name: String?, _ asked: Asked) -> Side {
    guard let name, !name.isEmpty else { return .nobody }
    let canonical = world.canonical(name)
    return world.protection(of: canonical, in: asked.instance).map { .managed(canonical, $0) } ?? .nobody
  }

  /// The end, when the policy does not know one of the named accounts, or when it may not work.
  func standing(_ names: [String?], _ asked: Asked) -> ModelDecision? {
    for case let name? in names where !name.isEmpty {
      guard world.taken.reachesTheUnknown || world.knows(name, in: asked.instance) else {
        return asked.model.answer(.block, .unknownAccount)
      }
      switch world.state(of: world.canonical(name)) {
      case .active: continue
      case .blocked: return asked.model.answer(.block, .accountBlocked)
      case .nonCompliant: return asked.model.answer(.block, .accountNotCompliant)
      case .wiped: return asked.model.answer(.block, .accountWiped)
      }
    }
    return nil
  }

  /// Whose the data is: what is stated, else its place's. Where both are managed and differ, both count.
  func owners(_ stated: String?, place: Side, _ asked: Asked) -> [Side] {
    guard stated != nil else { return [place] }
    let owner = side(stated, asked)
    let bothManaged = owner != .nobody && place != .nobody
    return bothManaged && owner != place ? [owner, place] : [owner]
  }

  /// Why nothing restricts data of which the app says whose it is.
  func freeReason(_ stated: String?, _ asked: Asked) -> Reason {
    guard let stated else { return asked.model.freeReason }
    return stated.isEmpty ? .noManagedIdentity : .unmanaged
  }

  // MARK: Out and in

  typealias Refusal = (reason: Reason, protection: Protection?)

  /// out(source, destination).
  func out(_ source: Side, to destination: Side, isManagedProgram: Bool, isNamed: Bool = true) -> Refusal? {
    guard let protection = source.protection else { return nil }
    switch protection.send {
    case .any: return nil
    case .none: return (.outgoingDisallowed, protection)
    case .managed, .managedOsSharing, .managedFiltered:
      if destination == .nobody || !isManagedProgram {
        return (isNamed ? .outgoingRestricted : .shareBlocked, protection)
      }
      return destination == source ? nil : (.wrongAccount, protection)
    }
  }

  /// in(destination, source).
  func into(_ destination: Side, from source: Side, isManagedProgram: Bool) -> Refusal? {
    guard let protection = destination.protection else { return nil }
    switch protection.receive {
    case .any, .anyTagOrg: return nil
    case .none: return (.incomingDisallowed, protection)
    case .managed:
      if source == .nobody || !isManagedProgram { return (.incomingRestricted, protection) }
      return source == destination ? nil : (.wrongAccount, protection)
    }
  }

  func refused(_ refusal: Refusal, _ asked: Asked) -> ModelDecision {
    var decision = asked.model.answer(.block, refusal.reason)
    if let protection = refusal.protection { decision.protection = protection.name }
    return decision
  }

  /// It passes: the owner stays, or the receiver's tag is put on it; what is kept is encrypted where that is required.
  func passed(_ reason: Reason, _ owner: Side, _ receiver: Side, _ asked: Asked) -> ModelDecision {
    var decision = asked.model.answer(.allow, reason)
    decision.setOwner = owner.account
    if owner == .nobody, receiver.protection?.receive == .anyTagOrg { decision.tagAs = receiver.account }
    let keeper = decision.tagAs == nil ? owner : receiver
    decision.mustEncrypt = keeper.protection?.encrypt ?? false
    return decision
  }

  /// What the policy does not know of the named accounts.
  func strangers(owner: String?, location: String? = nil, peer: String? = nil, _ asked: Asked) -> Set<String> {
    let named = [("unknownOwner", owner), ("unknownLocationAccount", location), ("unknownPeerAccount", peer)]
    return Set(
      named.filter { _, name in name.map { !$0.isEmpty && !world.knows($0, in: asked.instance) } ?? false }.map(\.0))
  }
}

extension ModelWorld {
  /// Whether the policy knows an account for an instance: by an entry, a pattern, or a group of its user.
  package func knows(_ name: String, in instance: ModelInstance) -> Bool {
    let folded = name.lowercased()
    if policy.accounts.entries.contains(where: { $0.upn?.lowercased() == folded || $0.objectID?.lowercased() == folded }
    ) {
      return true
    }
    return protection(of: folded, in: instance) != nil
  }
}

extension ModelInstance {
  package mutating func forgetRequests(of window: String) {
    for request in asked.keys where request.window == window { asked[request] = nil }
  }

  /// The process shows something else, and with it every window that has no identity of its own.
  package mutating func forgetRequestsOfProcess() {
    for request in asked.keys {
      if let window = request.window, mixed[window] != nil || windows[window] ?? .absent != .absent { continue }
      asked[request] = nil
    }
  }
}
