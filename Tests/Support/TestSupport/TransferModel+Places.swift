internal import GuardModel
internal import PolicyEngine
internal import URLRules

/// Places and programs: ledger SL, OL, RX, SX.
extension TransferModel {
  /// A place as it is judged.
  struct Place {
    var location: Location
    var account: String?
    var notes: Set<String> = []
  }

  func place(_ asked: Asked, isSave: Bool, shown: Side, at named: Location? = nil) -> Place {
    let event = asked.event
    var place = Place(location: named ?? event.location, account: event.locationAccount)
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
    // SL-11: at a service of others the name is a text.
    let isForeign = place.location == .dropbox || place.location == .googleDrive
    if isForeign, let account = place.account, account.contains("@"), world.knows(account, in: asked.instance) {
      place.account = ""
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
  func listed(_ side: Side, _ location: Location, isSave: Bool) -> (refusal: Refusal?, isException: Bool) {
    var isException = false
    var refusals: [Refusal] = []
    for protection in side.protections {
      let one = listed(protection, location, isSave: isSave)
      if let refusal = one.refusal { refusals.append(refusal) }
      if one.isListed { isException = true }
    }
    let closed: [Reason] = [.outgoingDisallowed, .incomingDisallowed]
    let shut = refusals.filter { closed.contains($0.reason) }
    let strictest = shut.isEmpty ? refusals : shut
    return (strictest.first { $0.protection?.isMonitored == false } ?? strictest.first, isException)
  }

  /// The same of one protection; `isListed` also where its list says no.
  private func listed(
    _ protection: Protection, _ location: Location, isSave: Bool
  ) -> (refusal: Refusal?, isListed: Bool) {
    let isFree = isSave ? protection.send == .any : protection.receive == .any || protection.receive == .anyTagOrg
    let isClosed = isSave ? protection.send == .none : protection.receive == .none
    if isFree { return (nil, false) }
    if isClosed { return ((isSave ? .outgoingDisallowed : .incomingDisallowed, protection), true) }
    let stated = isSave ? protection.save : protection.open
    if stated.allowed { return (nil, false) }
    var listable: [Location] = [
      .oneDriveForBusiness, .sharePoint, .box, .photoLibrary, .iManage, .egnyte, .localStorage,
    ]
    if !isSave { listable.append(.camera) }
    if listable.contains(location), stated.exceptions.locations.contains(location) { return (nil, true) }
    return ((isSave ? .saveLocationNotListed : .openLocationNotListed, protection), true)
  }

  // MARK: Save and open

  /// - Parameter source: whose place the data comes from.
  func save(_ asked: Asked, from source: Named? = nil) -> ModelDecision {
    let event = asked.event
    var owners = owners(event.owner, place: asked.own, asked)
    let origin = source.map { side($0.account, asked) } ?? .nobody
    let isStranger = !strangers(owner: event.owner, asked).isEmpty
    if owners[0] == .nobody, !isStranger { owners[0] = origin }
    if origin != .nobody, origin != owners[0] { owners.append(origin) }
    owners = all(owners, asked)
    if event.kind == .save, event.isChooser, !event.isInPlace { return chooser(owners, isSave: true, asked) }
    let named = event.kind == .save && event.path == nil ? named(event.url, .upload, asked) : nil
    var (decision, place) = judged(asked, isSave: true, shown: owners[0], named) { place in
      standing([event.owner, source?.account, place.account], asked) ?? judgeSave(asked, owners, place)
    }
    if event.owner == nil, decision.outcome == .allow, decision.reason != .inPlace { own(&decision, asked) }
    decision.location = place.location
    decision.notes.formUnion(place.notes)
    decision.notes.formUnion(strangers(owner: event.owner, location: place.account, asked))
    if let source {
      decision.notes.insert("namedByRule")
      decision.notes.formUnion(strangers(owner: source.account, asked))
    }
    return named.map { told(decision, $0, asked) } ?? decision
  }

  /// FO-02: what a window shows and is nobody's goes into a file that is whose files are at the moment.
  private func own(_ decision: inout ModelDecision, _ asked: Asked) {
    guard decision.setOwner == nil, decision.tagAs == nil, asked.model.whose.level == .window else { return }
    let files = ofFiles(asked).own
    decision.setOwner = files.account
    decision.flags[.mustEncrypt] = files.protections.contains(where: \.encrypt)
  }

  private func judgeSave(_ asked: Asked, _ owners: [Side], _ place: Place) -> ModelDecision {
    if asked.event.isInPlace { return asked.model.answer(.allow, .inPlace) }
    for owner in owners {
      if let refusal = listed(owner, place.location, isSave: true).refusal { return refused(refusal, asked) }
    }
    let destination = side(place.account, asked)
    for owner in owners {
      if let refusal = into(destination, from: owner) { return refused(refusal, asked) }
    }
    if owners[0] == .nobody, destination == .nobody {
      return asked.model.answer(.allow, freeReason(asked.event.owner, asked))
    }
    let isException = listed(owners[0], place.location, isSave: true).isException
    return passed(isException ? .locationAllowed : .transferAllowed, owners[0], destination, asked)
  }

  func open(_ asked: Asked, into page: ModelReceiver = ModelReceiver()) -> ModelDecision {
    let event = asked.event
    if event.kind == .open, !event.isInPlace, takesNothing(asked) {
      return asked.model.answer(.block, .uploadBlockedViewer)
    }
    if event.kind == .open, event.isChooser, !event.isInPlace { return chooser([asked.own], isSave: false, asked) }
    let named = event.kind == .open && event.path == nil ? named(event.url, .download, asked) : nil
    var (decision, place) = judged(asked, isSave: false, shown: asked.own, named) { place in
      let owners = owners(event.owner, place: side(place.account, asked), asked)
      return standing([event.owner, place.account], asked) ?? judgeOpen(asked, all(owners, asked), place, into: page)
    }
    decision.location = place.location
    decision.notes.formUnion(place.notes)
    decision.notes.formUnion(strangers(owner: event.owner, location: place.account, asked))
    return named.map { told(decision, $0, asked) } ?? decision
  }

  private func judgeOpen(
    _ asked: Asked, _ owners: [Side], _ place: Place, into page: ModelReceiver
  ) -> ModelDecision {
    if asked.event.isInPlace, asked.event.kind == .open { return asked.model.answer(.allow, .inPlace) }
    let receiver = asked.own.only { !page.isNobodys(for: $0) }
    let list = listed(receiver, place.location, isSave: false)
    if let refusal = list.refusal { return refused(refusal, asked) }
    for owner in owners {
      if let refusal = out(owner, to: asked.own) { return refused(refusal, asked) }
    }
    if owners[0] == .nobody, asked.own == .nobody { return asked.model.answer(.allow, asked.model.freeReason) }
    return passed(list.isException ? .locationAllowed : .transferAllowed, owners[0], receiver, asked)
  }

  /// DT-15: the dialogue may be shown where some place could be chosen in it.
  private func chooser(_ parties: [Side], isSave: Bool, _ asked: Asked) -> ModelDecision {
    let stated = asked.event.owner
    if var end = standing([stated], asked) {
      end.notes.formUnion(strangers(owner: stated, asked))
      return end
    }
    for party in parties {
      let refusals = Location.allCases.map { listed(party, $0, isSave: isSave).refusal }
      if let first = refusals[0], refusals.allSatisfy({ $0 != nil }) { return refused(first, asked) }
    }
    let reason = isSave ? freeReason(stated, asked) : asked.model.freeReason
    if parties[0] == .nobody { return asked.model.answer(.allow, reason) }
    let isException =
      listed(parties[0], .other, isSave: isSave).isException
      || parties[0].protections.contains {
        isSave ? $0.send.isManaged && !$0.save.allowed : $0.receive == .managed && !$0.open.allowed
      }
    return asked.model.answer(.allow, isException ? .locationAllowed : .transferAllowed)
  }

  // MARK: Share and receive

  private func peerNotes(_ asked: Asked) -> Set<String> {
    var known = Set(world.policy.apps.map(\.name))
    for app in world.policy.protections.flatMap(\.managedApps) { known.insert(String(decoding: app, as: UTF8.self)) }
    let isKnown = asked.event.peer.map(known.contains) ?? false
    return strangers(owner: asked.event.owner, peer: asked.event.peerAccount, asked).union(
      isKnown ? [] : ["unknownPeer"])
  }

  /// DT-14: the programs may be shown unless nothing may be sent at all.
  private func programs(_ owners: [Side], _ asked: Asked) -> ModelDecision {
    if var end = standing([asked.event.owner], asked) {
      end.notes.formUnion(strangers(owner: asked.event.owner, asked))
      return end
    }
    for owner in owners { if let refusal = out(owner, to: owners[0]) { return refused(refusal, asked) } }
    if owners[0] == .nobody { return asked.model.answer(.allow, freeReason(asked.event.owner, asked)) }
    var decision = asked.model.answer(.allow, .transferAllowed)
    decision.offersPrograms = owners[0].protections.contains { $0.send != .any }
    return decision
  }

  func share(_ asked: Asked) -> ModelDecision {
    let event = asked.event
    if event.kind == .share, event.isChooser, event.peer == nil {
      return programs(all(owners(event.owner, place: asked.own, asked), asked), asked)
    }
    var decision =
      standing([event.owner, event.peerAccount], asked)
      ?? judgeShare(asked, all(owners(event.owner, place: asked.own, asked), asked), side(event.peerAccount, asked))
    decision.notes.formUnion(peerNotes(asked))
    return decision
  }

  private func judgeShare(_ asked: Asked, _ owners: [Side], _ peer: Side) -> ModelDecision {
    let event = asked.event
    for owner in owners {
      if let refusal = out(owner, to: peer, event.peer.map { .named($0) } ?? .unnamed) {
        return refused(refusal, asked)
      }
    }
    for owner in owners {
      if let refusal = into(peer, from: owner) { return refused(refusal, asked) }
    }
    if owners[0] == .nobody, peer == .nobody { return asked.model.answer(.allow, freeReason(event.owner, asked)) }
    return asked.model.answer(.allow, .transferAllowed)
  }

  mutating func receive(_ asked: Asked) -> ModelDecision {
    if takesNothing(asked) { return asked.model.answer(.block, .uploadBlockedViewer) }
    let event = asked.event
    let peer = side(event.peerAccount, asked)
    let end = standing([event.owner, event.peerAccount], asked)
    var decision = end ?? judgeReceive(asked, all(owners(event.owner, place: peer, asked), asked), peer)
    decision.notes.formUnion(peerNotes(asked))
    return decision
  }

  private mutating func judgeReceive(_ asked: Asked, _ owners: [Side], _ peer: Side) -> ModelDecision {
    for sender in [peer] + owners {
      if let refusal = out(sender, to: asked.own) { return refused(refusal, asked) }
    }
    // An owner that is stated vouches for itself; else the program does.
    let program = asked.event.peer.map { ProgramSaid.named($0) } ?? .unnamed
    let vouched = asked.event.owner != nil ? .managed : program
    for owner in owners {
      guard let refusal = into(asked.own, from: owner, vouched) else { continue }
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
    if app.isMonitored || world.policy.protections.first(where: { $0.name == refusal.decider })?.isMonitored == true {
      // Nobody is asked to do what is only recorded.
      (decision.outcome, decision.reason, decision.switchTo) = (.switchIdentity, .identitySwitchNeeded, .nobody)
      return decision
    }
    if asked.event.isProbe {
      (decision.outcome, decision.reason, decision.switchTo) = (.switchIdentity, .identitySwitchNeeded, .nobody)
      return decision
    }
    let window = asked.event.viewer.flatMap { world.window(of: $0, in: asked.instance) }
    let request = ModelRequest(
      window: window, from: model.whose.identity, isByURL: asked.event.url != nil)
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
