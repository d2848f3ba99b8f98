package import GuardModel

/// One side of a transfer: the owner that data has, or gets.
enum Party: Sendable, Hashable {
  /// No account, or an account that no protection binds.
  case unmanaged
  case managed(AccountID, ProtectionSet)

  /// The protections that speak for this side.
  var protections: ProtectionSet {
    if case .managed(_, let protections) = self { protections } else { ProtectionSet() }
  }

  var account: AccountID? { if case .managed(let account, _) = self { account } else { nil } }

  /// Two different managed accounts.
  func contradicts(_ other: Party) -> Bool { self != .unmanaged && other != .unmanaged && self != other }
}

/// An account that an event names beside the viewer's own.
struct EventAccount: Sendable {
  /// The app made a statement, if only that there is no account.
  var isSaid = false
  var party = Party.unmanaged
  /// The policy does not know it: nothing passes, whatever the other side is.
  var isUnknown = false
  var state = AccountState.active
  /// The reason why nothing restricts it, if so.
  var freeReason = Reason.noManagedIdentity
}

extension EventAccount {
  /// Nil if no protection binds it.
  var ifManaged: EventAccount? { party == .unmanaged ? nil : self }
}

/// The accounts that an event names: the owner's, and that of the other side, a place or a program.
struct EventAccounts: Sendable {
  let owner: EventAccount
  let other: EventAccount
  /// More managed owners that the data has, by label, table or origin. Each of them is asked.
  var beside: [Party] = []

  /// Notes an owner that the policy does not know.
  var ownerNote: DecisionNotes { owner.isUnknown ? .unknownOwner : [] }

  enum OtherSide {
    case place
    case program
  }
}

extension GuardState {
  /// Reads the accounts that an event names. A name that the policy knows gets its number on first use.
  mutating func namedAccounts(
    _ event: borrowing Event, _ side: EventAccounts.OtherSide, _ question: Question, of id: InstanceID
  ) -> EventAccounts {
    let snapshot = question.snapshot
    let said = named(event.owner, event, of: id, snapshot)
    let other = named(side == .place ? event.locationAccount : event.peerAccount, event, of: id, snapshot)
    guard event.hasFileOwner else { return EventAccounts(owner: said, other: other) }
    let (owner, beside) = ownerOfFile(said: said, event, question, of: id)
    return EventAccounts(owner: owner, other: other, beside: beside)
  }

  mutating func named(
    _ slot: TextSlot?, _ event: borrowing Event, of id: InstanceID, _ snapshot: Snapshot
  ) -> EventAccount {
    guard let slot else { return EventAccount() }
    guard slot.lower < slot.upper else { return EventAccount(isSaid: true) }
    // Get the number first and look at it afterwards: the earlier state does not have it.
    let account = account(slot, event, of: id, snapshot)
    return named(account, in: id)
  }

  /// An account that a rule names.
  mutating func namedAccount(_ name: String, of id: InstanceID, _ snapshot: Snapshot) -> EventAccount {
    guard case .account(let account)? = try? identity(name, in: id, snapshot) else { return named(nil, in: id) }
    return named(account, in: id)
  }

  private func named(_ account: AccountID?, in id: InstanceID) -> EventAccount {
    // A name that only another user's groups made known is not known here.
    guard let account, let instance = instances[id.place],
      accounts[account].isKnown || !instance.groupProtections.isEmpty
    else { return EventAccount(isSaid: true, isUnknown: true, freeReason: .unmanaged) }
    let protections = instance.protections(of: account, accounts)
    return EventAccount(
      isSaid: true, party: protections.isEmpty ? .unmanaged : .managed(account, protections),
      state: instance.state(of: account, accounts), freeReason: .unmanaged)
  }

  /// The number of the account that a text names; nil when the policy does not know it for this app, or when the user
  /// named too many.
  private mutating func account(
    _ slot: TextSlot, _ event: borrowing Event, of id: InstanceID, _ snapshot: Snapshot
  ) -> AccountID? {
    guard Int(slot.upper - slot.lower) <= limits.nameBytes else { return nil }
    if fold(event.bytes(slot)) {
      if let known = accounts.number(ofFolded: foldedName.span) {
        guard let account = noted(known, in: id) else { return nil }
        noteStanding(of: account, in: id, snapshot)
        return account
      }
      guard mayName(foldedName.span, of: id, snapshot) else { return nil }
    }
    guard let name = event.string(slot), case .account(let account)? = try? identity(name, in: id, snapshot) else {
      return nil
    }
    return account
  }

  /// The account in a text of an event as the policy spells it; as the app does, when the policy does not know it.
  package mutating func accountName(_ slot: TextSlot?, in event: borrowing Event) -> String? {
    guard let slot, slot.lower < slot.upper else { return slot == nil ? nil : "" }
    if fold(event.bytes(slot)), let known = accounts.number(ofFolded: foldedName.span) {
      return accounts.displayName(known)
    }
    return event.string(slot).map { name in accounts.number(ofKnown: name).map { accounts.displayName($0) } ?? name }
  }

  /// Puts the name into `foldedName`; false when it is not ASCII, and only a `String` can fold it.
  private mutating func fold(_ name: Span<UInt8>) -> Bool {
    foldedName.removeAll(keepingCapacity: true)
    for index in name.indices {
      let byte = name[index]
      guard byte < 0x80 else { return false }
      let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
      foldedName.append(isUpper ? byte | 0x20 : byte)
    }
    return true
  }

  private func mayName(_ folded: Span<UInt8>, of id: InstanceID, _ snapshot: Snapshot) -> Bool {
    if snapshot.hasAccount(folded: folded) { return true }
    guard let instance = instance(id), users[instance.user].namedAccounts < limits.accountsPerUser else { return false }
    return !instance.groupProtections.isEmpty || snapshot.hasPattern(taking: folded)
  }
}
