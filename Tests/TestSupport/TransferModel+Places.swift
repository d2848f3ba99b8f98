internal import GuardModel
internal import PolicyEngine

/// Places and programs: ledger SL, OL, RX, SX.
extension TransferModel {
  /// A place as it is judged.
  struct Place {
    var location: Location
    var account: String?
    var notes: Set<String> = []
  }

  func place(_ asked: Asked, isSave: Bool, shown: Side) -> Place {
    let event = asked.event
    var place = Place(location: event.location, account: event.locationAccount)
    let strange: [Location] = isSave ? [.camera] : [.dropbox, .googleDrive]
    if strange.contains(place.location) {
      place.location = .other
      place.notes.insert("otherLocation")
    }
    if let path = event.path, !isPlain(path) {
      place.location = .other
      place.notes.insert("unreadablePath")
    }
    if place.location == .photoLibrary || place.location == .camera, place.account != nil {
      place.account = nil
      place.notes.insert("accountIgnored")
    }
    if place.location == .localStorage, event.locationAccount == nil, shown != .nobody {
      place.notes.insert("localWithoutAccount")
    }
    return place
  }

  private func isPlain(_ path: String) -> Bool {
    guard path.hasPrefix("/"), !path.contains("//"), !path.utf8.contains(where: { $0 < 32 || $0 == 127 }) else {
      return false
    }
    return !path.split(separator: "/").contains { $0 == "." || $0 == ".." }
  }

  /// SL-12, SL-13; OL-07, OL-08: nil when the settings let the data pass; what is excepted is said beside.
  private func listed(_ side: Side, _ location: Location, isSave: Bool) -> (refusal: Refusal?, isException: Bool) {
    guard let protection = side.protection else { return (nil, false) }
    let isFree = isSave ? protection.send == .any : protection.receive == .any || protection.receive == .anyTagOrg
    let isClosed = isSave ? protection.send == .none : protection.receive == .none
    if isFree { return (nil, false) }
    if isClosed { return ((isSave ? .outgoingDisallowed : .incomingDisallowed, protection), false) }
    let stated = isSave ? protection.save : protection.open
    if stated.allowed { return (nil, false) }
    var listable: [Location] = [
      .oneDriveForBusiness, .sharePoint, .box, .photoLibrary, .iManage, .egnyte, .localStorage,
    ]
    if !isSave { listable.append(.camera) }
    if listable.contains(location), stated.exceptions.locations.contains(location) { return (nil, true) }
    return ((isSave ? .saveLocationNotListed : .openLocationNotListed, protection), false)
  }

  // MARK: Save and open

  func save(_ asked: Asked) -> ModelDecision {
    let event = asked.event
    let owners = owners(event.owner, place: asked.own, asked)
    let place = place(asked, isSave: true, shown: owners[0])
    var decision = standing([event.owner, place.account], asked) ?? judgeSave(asked, owners, place)
    decision.location = place.location
    decision.notes.formUnion(place.notes)
    decision.notes.formUnion(strangers(owner: event.owner, location: place.account, asked))
    return decision
  }

  private func judgeSave(_ asked: Asked, _ owners: [Side], _ place: Place) -> ModelDecision {
    if asked.event.isInPlace { return asked.model.answer(.allow, .inPlace) }
    for owner in owners {
      if let refusal = listed(owner, place.location, isSave: true).refusal { return refused(refusal, asked) }
    }
    let destination = side(place.account, asked)
    for owner in owners {
      if let refusal = into(destination, from: owner, isManagedProgram: true) { return refused(refusal, asked) }
    }
    if owners[0] == .nobody, destination == .nobody {
      return asked.model.answer(.allow, freeReason(asked.event.owner, asked))
    }
    let isException = listed(owners[0], place.location, isSave: true).isException
    return passed(isException ? .locationAllowed : .transferAllowed, owners[0], destination, asked)
  }

  func open(_ asked: Asked) -> ModelDecision {
    let event = asked.event
    let place = place(asked, isSave: false, shown: asked.own)
    let owners = owners(event.owner, place: side(place.account, asked), asked)
    var decision = standing([event.owner, place.account], asked) ?? judgeOpen(asked, owners, place)
    decision.location = place.location
    decision.notes.formUnion(place.notes)
    decision.notes.formUnion(strangers(owner: event.owner, location: place.account, asked))
    return decision
  }

  private func judgeOpen(_ asked: Asked, _ owners: [Side], _ place: Place) -> ModelDecision {
    if asked.event.isInPlace, asked.event.kind == .open { return asked.model.answer(.allow, .inPlace) }
    let list = listed(asked.own, place.location, isSave: false)
    if let refusal = list.refusal { return refused(refusal, asked) }
    for owner in owners {
      if let refusal = out(owner, to: asked.own, isManagedProgram: true) { return refused(refusal, asked) }
    }
    if owners[0] == .nobody, asked.own == .nobody { return asked.model.answer(.allow, asked.model.freeReason) }
    return passed(list.isException ? .locationAllowed : .transferAllowed, owners[0], asked.own, asked)
  }

  // MARK: Share and receive

  /// Whether the other program counts as managed for this side: an app of the policy, or one that its protection lists.
  private func isManaged(_ peer: String?, for side: Side) -> Bool {
    guard let peer else { return false }
    let listed = side.protection?.managedApps.map { String(decoding: $0, as: UTF8.self) } ?? []
    return world.policy.apps.contains { $0.name == peer } || listed.contains(peer)
  }

  private func peerNotes(_ asked: Asked) -> Set<String> {
    var known = Set(world.policy.apps.map(\.name))
    for app in world.policy.protections.flatMap(\.managedApps) { known.insert(String(decoding: app, as: UTF8.self)) }
    let isKnown = asked.event.peer.map(known.contains) ?? false
    return strangers(owner: asked.event.owner, peer: asked.event.peerAccount, asked).union(
      isKnown ? [] : ["unknownPeer"])
  }

  func share(_ asked: Asked) -> ModelDecision {
    let event = asked.event
    var decision =
      standing([event.owner, event.peerAccount], asked)
      ?? judgeShare(asked, owners(event.owner, place: asked.own, asked), side(event.peerAccount, asked))
    decision.notes.formUnion(peerNotes(asked))
    return decision
  }

  private func judgeShare(_ asked: Asked, _ owners: [Side], _ peer: Side) -> ModelDecision {
    let event = asked.event
    for owner in owners {
      let isManaged = isManaged(event.peer, for: owner)
      if let refusal = out(owner, to: peer, isManagedProgram: isManaged, isNamed: event.peer != nil) {
        return refused(refusal, asked)
      }
    }
    for owner in owners {
      if let refusal = into(peer, from: owner, isManagedProgram: true) { return refused(refusal, asked) }
    }
    if owners[0] == .nobody, peer == .nobody { return asked.model.answer(.allow, freeReason(event.owner, asked)) }
    return asked.model.answer(.allow, .transferAllowed)
  }

  mutating func receive(_ asked: Asked) -> ModelDecision {
    let event = asked.event
    let peer = side(event.peerAccount, asked)
    let end = standing([event.owner, event.peerAccount], asked)
    var decision = end ?? judgeReceive(asked, owners(event.owner, place: peer, asked), peer)
    decision.notes.formUnion(peerNotes(asked))
    return decision
  }

  private mutating func judgeReceive(_ asked: Asked, _ owners: [Side], _ peer: Side) -> ModelDecision {
    for sender in [peer] + owners {
      if let refusal = out(sender, to: asked.own, isManagedProgram: true) { return refused(refusal, asked) }
    }
    // An owner that is stated vouches for itself; else the program does.
    let vouched = asked.event.owner != nil || isManaged(asked.event.peer, for: asked.own)
    for owner in owners {
      guard let refusal = into(asked.own, from: owner, isManagedProgram: vouched) else { continue }
      let decision = refused(refusal, asked)
      return owners[0] == .nobody ? askedToSwitch(decision, asked) : decision
    }
    if owners[0] == .nobody, asked.own == .nobody { return asked.model.answer(.allow, asked.model.freeReason) }
    return passed(.transferAllowed, owners[0], asked.own, asked)
  }

  /// DT-10: first the app is asked to show nobody; when it did not in 30 seconds, or says no, the data is refused.
  private mutating func askedToSwitch(_ refusal: ModelDecision, _ asked: Asked) -> ModelDecision {
    var decision = refusal
    let (app, model) = (asked.app, asked.model)
    guard app.identityMode == .multi, !model.resolved.isUnknown, model.whose.level != .scope else { return decision }
    guard asked.instance.canSwitch else {
      decision.notes.insert("cannotSwitch")
      return decision
    }
    if app.isMonitored || asked.own.protection?.isMonitored == true {
      // Nobody is asked to do what is only recorded.
      (decision.outcome, decision.reason, decision.switchTo) = (.switchIdentity, .identitySwitchNeeded, .nobody)
      return decision
    }
    let window = asked.event.viewer.flatMap { world.window(of: $0, in: asked.instance) }
    let request = ModelRequest(window: window, from: model.whose.identity)
    let deadline = asked.instance.asked[request] ?? asked.event.time + 30_000
    world.instances[asked.event.instance].asked[request] = deadline
    guard asked.event.time <= deadline else {
      decision.reason = .identitySwitchFailed
      return decision
    }
    (decision.outcome, decision.reason, decision.switchTo) = (.switchIdentity, .identitySwitchNeeded, .nobody)
    return decision
  }
}
