internal import GuardModel
internal import URLRules

/// Ledger E.3: data passes when its owner's settings let it leave and the receiver's let it enter.
///
///     allowed(source, destination) = leaves(source, to: destination) and enters(destination, from: source)
///
/// An unmanaged side always says yes. An account that the policy does not know ended the procedure before.
struct Transfer {
  let question: Question

  /// Why the owner's settings stop the data; nil when they do not.
  func refusal(of source: Party, to destination: Side, _ event: borrowing Event) -> Refusal? {
    switch source {
    case .unmanaged: return nil
    case .managed(_, let protection):
      switch question.snapshot.protections[Int(protection)].send {
      case .any: return nil
      case .none: return Refusal(.outgoingDisallowed, protection)
      case .managed, .managedOsSharing, .managedFiltered:
        let unmanaged: Reason = destination.program == .unnamed ? .shareBlocked : .outgoingRestricted
        return mismatch(source, destination, event).map {
          $0 == .unmanaged ? Refusal(unmanaged, protection) : Refusal(.wrongAccount, protection, owner: source)
        }
      }
    }
  }

  /// Why the receiver's settings stop the data; nil when they do not.
  func refusal(of destination: Party, from source: Side, _ event: borrowing Event) -> Refusal? {
    switch destination {
    case .unmanaged: return nil
    case .managed(_, let protection):
      switch question.snapshot.protections[Int(protection)].receive {
      case .any, .anyTagOrg: return nil
      case .none: return Refusal(.incomingDisallowed, protection)
      case .managed:
        return mismatch(destination, source, event).map {
          $0 == .unmanaged
            ? Refusal(.incomingRestricted, protection) : Refusal(.wrongAccount, protection, owner: source.party)
        }
      }
    }
  }

  /// A counterpart is policy-managed when its program is, for the same account (ledger DT-20).
  private func mismatch(_ own: Party, _ other: Side, _ event: borrowing Event) -> Mismatch? {
    switch other.party {
    case .unmanaged: .unmanaged
    case .managed:
      if !isManaged(other.program, own, event) { .unmanaged } else { own == other.party ? nil : .wrongAccount }
    }
  }

  private func isManaged(_ program: Program, _ own: Party, _ event: borrowing Event) -> Bool {
    guard program == .peer, let peer = event.peer, let protection = own.protection else { return program == .guarded }
    return question.snapshot.isManaged(program: event.bytes(peer), for: protection)
  }

  /// The data passes, with the duties of who stores it: its owner stays, what was nobody's becomes the receiver's
  /// where that tags, and either is encrypted where the protection says so (ledger SL-15, SX-02, DT-09).
  func allow(_ reason: Reason, from owner: Party, to receiver: Party) -> Decision {
    var decision = question.answer(.allow, reason)
    let protections = question.snapshot.protections
    decision.setOwner = owner.account
    var keeper = owner.protection
    if owner == .unmanaged, let protection = receiver.protection,
      protections[Int(protection)].receive == .anyTagOrg
    {
      decision.tagAs = receiver.account
      keeper = protection
    }
    decision.mustEncrypt = keeper.map { protections[Int($0)].encrypt } ?? false
    return decision
  }

  /// Where a party's data is: what its program is decides with it whether it counts as managed.
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
    case unmanaged
    case wrongAccount
  }
}

/// Which step refused, and whose settings.
struct Refusal {
  let reason: Reason
  let protection: Int32?
  /// Whose the data is, where that is why.
  let owner: AccountID?

  init(_ reason: Reason, _ protection: Int32?, owner: Party = .unmanaged) {
    self.reason = reason
    self.protection = protection
    self.owner = owner.account
  }
}

/// Whose the data of one transfer is. Where two sources say so and differ, both must allow: what an app says of its
/// data never lowers what is known of it.
struct Owners {
  let first: NamedAccount
  let second: Party?

  /// The account that the app names as owner; else `place`, that of where the data is.
  init(_ stated: NamedAccount, place: NamedAccount) {
    first = stated.isSaid ? stated : place
    second = stated.isSaid && stated.party.contradicts(place.party) ? place.party : nil
  }

  /// The first that refuses for one of them.
  func refusal(_ ask: (Party) -> Refusal?) -> Refusal? { ask(first.party) ?? second.flatMap(ask) }
}

extension Question {
  /// The viewer's own identity as the place that data is in.
  var ownPlace: NamedAccount {
    NamedAccount(isSaid: true, party: party, state: accountState, freeReason: unrestrictedReason)
  }

  func answer(_ refusal: Refusal) -> Decision {
    var decision = answer(.block, refusal.reason)
    if let protection = refusal.protection { decision.protection = protection }
    decision.dataOwner = refusal.owner
    return decision
  }
}
