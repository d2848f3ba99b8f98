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
    case managed(String, [Protection])

    static func == (left: Side, right: Side) -> Bool {
      switch (left, right) {
      case (.nobody, .nobody): true
      case (.managed(let one, _), .managed(let other, _)): one == other
      default: false
      }
    }

    var protections: [Protection] { if case .managed(_, let protections) = self { protections } else { [] } }
    /// Bound by some of its protections; nobody's without any.
    func only(_ asks: (Protection) -> Bool) -> Side {
      guard case .managed(let name, let protections) = self else { return .nobody }
      let asking = protections.filter(asks)
      return asking.isEmpty ? .nobody : .managed(name, asking)
    }

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
    let event = read(event, in: instance)
    let model = ModelCase(world, event.viewer, scope, instance, app, isFileTask: event.isFileTask)
    if var end = model.dataGate {
      end.flags[.blurPreview] = event.kind == .capture || event.kind == .notify
      return end
    }
    let asked = Asked(event: event, instance: instance, app: app, model: model, own: side(of: model))
    switch event.kind {
    case .save: return save(asked)
    case .open: return open(asked)
    case .receive: return receive(asked)
    case .share: return share(asked)
    case .download: return download(asked)
    case .upload: return upload(asked)
    case .openURL: return openURL(asked)
    case .print: return print(asked)
    case .capture: return blurred(capture(asked), asked)
    case .notify: return blurred(notify(asked), asked)
    case .index: return index(asked)
    case .exchange: return exchange(asked)
    case .unknown, .navigate, .copy, .paste, .clipboardChanged, .dragEnd: return ModelDecision(.block, .unknownEvent)
    }
  }

  // MARK: Whose

  /// FO-01: the owner by all that is said of a file. A label and the table name managed owners only, else nobody knows whose
  /// the file is. The first managed owner counts, others stand beside it, and no word lowers another.
  private func read(_ event: ModelDataEvent, in instance: ModelInstance) -> ModelDataEvent {
    let written = [event.label, event.kept].compactMap(\.self)
    guard !written.isEmpty else { return event }
    func isManaged(_ name: String) -> Bool {
      name != ModelDataEvent.unreadable && !world.protections(of: world.canonical(name), in: instance).isEmpty
    }
    let said = event.owner.flatMap { $0.isEmpty ? nil : $0 }
    var read = event
    read.words = written + [said].compactMap(\.self)
    let managed = read.words.filter(isManaged)
    read.beside = Array(managed.dropFirst())
    read.isStrange = !written.allSatisfy(isManaged) || said.map { !world.knows($0, in: instance) } ?? false
    read.owner = managed.first ?? said ?? ""
    return read
  }

  /// With the owners beside the first by label and table.
  func all(_ owners: [Side], _ asked: Asked) -> [Side] {
    owners + asked.event.beside.map { side($0, asked) }.filter { $0 != owners[0] }
  }

  private func side(of model: ModelCase) -> Side {
    guard case .account(let name) = model.whose.identity, model.isManaged else { return .nobody }
    return .managed(name, model.protections)
  }

  /// The same question as one of files, whatever is shown.
  func ofFiles(_ asked: Asked) -> Asked {
    let scope = asked.app.identityMode == .single ? .absent : asked.event.scope
    let model = ModelCase(world, asked.event.viewer, scope, asked.instance, asked.app, isFileTask: true)
    return Asked(event: asked.event, instance: asked.instance, app: asked.app, model: model, own: side(of: model))
  }

  /// A viewer that takes no uploads takes nothing that names it.
  func takesNothing(_ asked: Asked) -> Bool {
    asked.own != .nobody && asked.model.resolved.policy == .currentIdentityBlockUpload
      && !asked.model.isInBackground && world.taken != .everything
  }

  /// An account that an event names: nobody's when empty or left out. One that the policy does not know ends the
  /// procedure before (`standing`).
  func side(_ name: String?, _ asked: Asked) -> Side {
    guard let name, !name.isEmpty else { return .nobody }
    let canonical = world.canonical(name)
    let protections = world.protections(of: canonical, in: asked.instance)
    return protections.isEmpty ? .nobody : .managed(canonical, protections)
  }

  /// The end, when the policy does not know one of the named accounts, or when it may not work.
  func standing(_ names: [String?], _ asked: Asked) -> ModelDecision? {
    if asked.event.isStrange, !world.taken.reachesTheUnknown { return asked.model.answer(.block, .unknownAccount) }
    let all = asked.event.words.map(Optional.some) + names
    for case let name? in all where !name.isEmpty {
      guard world.taken.reachesTheUnknown || world.knows(name, in: asked.instance) else {
        return asked.model.answer(.block, .unknownAccount)
      }
      switch world.state(of: world.canonical(name)) {
      case .active: continue
      case .blocked: return asked.model.answer(.block, .accountBlocked)
      case .nonCompliant: return asked.model.answer(.block, .accountNotCompliant)
      case .wiped: return asked.model.answer(.block, .accountWiped)
      case .policyRequired: return asked.model.answer(.block, .policyRequired)
      case .notAllowed: return asked.model.answer(.block, .accountNotAllowed)
      case .notChecked: return asked.model.answer(.block, .notChecked)
      case .locked: return asked.model.answer(.block, .locked)
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

  /// Which program has the data: one that is managed for whom it asks, by its name where it has one.
  enum ProgramSaid {
    case managed
    case named(String)
    case unnamed
  }

  /// out(source, destination): nil when it may.
  func out(_ source: Side, to destination: Side, _ program: ProgramSaid = .managed) -> Refusal? {
    guard let send = source.protections.strictest(Protection.sends, \.send), send.value != .any else { return nil }
    if send.value == .none { return (.outgoingDisallowed, send.protection) }
    var isNamed = true
    if case .unnamed = program { isNamed = false }
    let asking = source.protections.filter { $0.send != .any }
    if destination == .nobody { return (isNamed ? .outgoingRestricted : .shareBlocked, send.protection) }
    if let stranger = stranger(program, asking, send.protection) {
      return (isNamed ? .outgoingRestricted : .shareBlocked, stranger)
    }
    return destination == source ? nil : (.wrongAccount, send.protection)
  }

  /// in(destination, source).
  func into(_ destination: Side, from source: Side, _ program: ProgramSaid = .managed) -> Refusal? {
    guard let receive = destination.protections.strictest(Protection.receives, \.receive) else { return nil }
    switch receive.value {
    case .any, .anyTagOrg: return nil
    case .none: return (.incomingDisallowed, receive.protection)
    case .managed:
      let asking = destination.protections.filter { $0.receive == .managed }
      if source == .nobody { return (.incomingRestricted, receive.protection) }
      if let stranger = stranger(program, asking, receive.protection) { return (.incomingRestricted, stranger) }
      return source == destination ? nil : (.wrongAccount, receive.protection)
    }
  }

  /// The protection for which the program is not managed: all that ask have to list it, unless it is an app of the policy.
  private func stranger(_ program: ProgramSaid, _ asking: [Protection], _ speaker: Protection) -> Protection? {
    switch program {
    case .managed: return nil
    case .unnamed: return speaker
    case .named(let name):
      if world.policy.apps.contains(where: { $0.name == name }) { return nil }
      return asking.first { !$0.managedApps.contains(Array(name.utf8)) }
    }
  }

  func refused(_ refusal: Refusal, _ asked: Asked) -> ModelDecision {
    var decision = asked.model.answer(.block, refusal.reason)
    if let protection = refusal.protection {
      (decision.protection, decision.decider) = (protection.name, protection.name)
    }
    return decision
  }

  /// It passes: the owner stays, or the receiver's tag is put on it; what is kept is encrypted where that is required.
  func passed(_ reason: Reason, _ owner: Side, _ receiver: Side, _ asked: Asked) -> ModelDecision {
    var decision = asked.model.answer(.allow, reason)
    decision.setOwner = owner.account
    let receive = receiver.protections.strictest(Protection.receives, \.receive)?.value
    if owner == .nobody, receive == .anyTagOrg { decision.tagAs = receiver.account }
    let keeper = decision.tagAs == nil ? owner : receiver
    let beside = decision.tagAs == nil ? asked.event.beside.flatMap { side($0, asked).protections } : []
    decision.flags[.mustEncrypt] = (keeper.protections + beside).contains(where: \.encrypt)
    return decision
  }

  /// What the policy does not know of the named accounts.
  func strangers(owner: String?, location: String? = nil, peer: String? = nil, _ asked: Asked) -> Set<String> {
    let named = [("unknownOwner", owner), ("unknownLocationAccount", location), ("unknownPeerAccount", peer)]
    let strange = owner != nil && asked.event.isStrange ? ["unknownOwner"] : []
    return Set(
      strange
        + named.filter { _, name in name.map { !$0.isEmpty && !world.knows($0, in: asked.instance) } ?? false }.map(\.0)
    )
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
    return !protections(of: folded, in: instance).isEmpty
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
