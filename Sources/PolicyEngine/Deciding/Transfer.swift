internal import GuardModel
internal import URLRules

/// Ledger E.3: data passes when its owner's settings let it leave and the receiver's let it enter.
///
///     allowed(source, destination) = leaves(source, to: destination) and enters(destination, from: source)
///
/// An unmanaged side always says yes. The procedure has already ended for an account that the policy does not know.
struct Transfer {
  let question: Question

  /// Why the owner's settings stop the data; nil when they do not.
  func refusal(of source: Party, to destination: Side, _ event: borrowing Event) -> Denial? {
    guard let send = snapshot.strictest(of: source.protections, { $0.send }) else { return nil }
    switch send.value {
    case .any: return nil
    case .none: return Denial(.outgoingDisallowed, send.protection)
    case .managed, .managedOsSharing, .managedFiltered:
      let unmanaged: Reason = destination.program == .unnamed ? .shareBlocked : .outgoingRestricted
      let asking = asking(source.protections) { $0.send.isManaged }
      return mismatch(source, destination, asking, event).map { mismatch in
        switch mismatch {
        case .unmanaged(let protection): Denial(unmanaged, protection ?? send.protection)
        case .wrongAccount: Denial(.wrongAccount, send.protection, owner: source)
        }
      }
    }
  }

  /// Why the receiver's settings stop the data; nil when they do not.
  func refusal(of destination: Party, from source: Side, _ event: borrowing Event) -> Denial? {
    guard let receive = snapshot.strictest(of: destination.protections, { $0.receive }) else { return nil }
    switch receive.value {
    case .any, .anyTagOrg: return nil
    case .none: return Denial(.incomingDisallowed, receive.protection)
    case .managed:
      let asking = asking(destination.protections) { $0.receive == .managed }
      return mismatch(destination, source, asking, event).map { mismatch in
        switch mismatch {
        case .unmanaged(let protection): Denial(.incomingRestricted, protection ?? receive.protection)
        case .wrongAccount: Denial(.wrongAccount, receive.protection, owner: source.party)
        }
      }
    }
  }

  private var snapshot: Snapshot { question.snapshot }

  /// Those of the protections that ask whether the other side is managed.
  private func asking(_ protections: ProtectionSet, where asks: (borrowing Protection) -> Bool) -> ProtectionSet {
    var asking = ProtectionSet()
    protections.forEach { if asks(snapshot[$0]) { asking.insert($0) } }
    return asking
  }

  /// A counterpart is policy-managed when its program is, for the same account (ledger DT-20).
  private func mismatch(_ own: Party, _ other: Side, _ asking: ProtectionSet, _ event: borrowing Event) -> Mismatch? {
    guard case .managed = other.party else { return .unmanaged(by: nil) }
    switch other.program {
    case .guarded: break
    case .unnamed: return .unmanaged(by: nil)
    case .peer:
      guard let peer = event.peer else { return .unmanaged(by: nil) }
      // All asking protections have to call the program managed.
      let refusing = asking.first { !snapshot.isManaged(program: event.bytes(peer), for: $0) }
      if let refusing { return .unmanaged(by: refusing) }
    }
    return own.account == other.party.account ? nil : .wrongAccount
  }

  /// The data passes, with duties for the app that stores it: its owner stays, unmanaged data becomes the receiver's if
  /// the receiver tags, and either is encrypted if a protection of an owner by name or by label says so (ledger SL-15, SX-02, DT-09).
  func allow(_ reason: Reason, from owners: Owners, to receiver: Party) -> Decision {
    let owner = owners.first.party
    var decision = question.answer(.allow, reason)
    decision.setOwner = owner.account
    var keeper = owners.beside.reduce(owner.protections) { $0.union($1.protections) }
    if owner == .unmanaged, snapshot.strictest(of: receiver.protections, { $0.receive })?.value == .anyTagOrg {
      decision.tagAs = receiver.account
      keeper = receiver.protections
    }
    decision.flags[.mustEncrypt] = snapshot.first(of: keeper, where: { $0.encrypt }) != nil
    return decision
  }

  /// The program that holds a party's data: it helps to decide whether the party counts as managed.
  enum Program {
    /// The asking app, or a place that it keeps.
    case guarded
    /// The program that the event names.
    case peer
    /// Another program that the event does not name.
    case unnamed
  }

  struct Side {
    var party: Party
    var program = Program.guarded
  }

  private enum Mismatch {
    /// `by`: the protection that does not call the other program managed.
    case unmanaged(by: ProtectionIndex?)
    case wrongAccount
  }
}

/// The step that refused, and the protection whose setting it was.
struct Denial {
  let reason: Reason
  let protection: ProtectionIndex?
  /// The data's owner, if that is the reason.
  let owner: AccountID?

  init(_ reason: Reason, _ protection: ProtectionIndex?, owner: Party = .unmanaged) {
    self.reason = reason
    self.protection = protection
    self.owner = owner.account
  }
}

/// The owners of one transfer's data. If two sources name different owners, both must allow: the app's word about its
/// data never lowers the known protection.
struct Owners {
  let first: EventAccount
  let second: Party?
  let third: Party?
  /// Those that a file's label, the table or its origin names besides.
  let beside: [Party]

  /// The account that the app names as owner; else `place`, the account of the data's place.
  ///
  /// - Parameter source: the place that a rule says it comes from.
  init(_ named: EventAccounts, place: EventAccount, source: EventAccount? = nil) {
    let stated = named.owner
    beside = named.beside
    let asked = stated.isSaid ? stated : place
    // Data from an account's place still belongs to that account when no viewer shows it.
    let first = asked.party == .unmanaged && !asked.isUnknown ? source.flatMap(\.ifManaged) ?? asked : asked
    self.first = first
    second = stated.isSaid && stated.party.contradicts(place.party) ? place.party : nil
    third = source.flatMap { $0.party != .unmanaged && $0.party != first.party ? $0.party : nil }
  }

  /// The protections that bind any of them.
  var protections: ProtectionSet {
    let others = (second?.protections ?? ProtectionSet()).union(third?.protections ?? ProtectionSet())
    return beside.reduce(first.party.protections.union(others)) { $0.union($1.protections) }
  }

  /// The first that refuses for one of them.
  func refusal(_ ask: (Party) -> Denial?) -> Denial? {
    if let denial = ask(first.party) ?? second.flatMap(ask) ?? third.flatMap(ask) { return denial }
    guard !beside.isEmpty else { return nil }
    return beside.lazy.compactMap(ask).first
  }
}

extension Question {
  /// The viewer's own identity as the place that data is in.
  var ownPlace: EventAccount {
    EventAccount(isSaid: true, party: party, state: accountState, freeReason: unrestrictedReason)
  }

  func answer(_ refusal: Denial) -> Decision {
    var decision = answer(.block, refusal.reason)
    if let protection = refusal.protection { (decision.protection, decision.decider) = (protection, protection) }
    decision.dataOwner = refusal.owner
    return decision
  }
}
