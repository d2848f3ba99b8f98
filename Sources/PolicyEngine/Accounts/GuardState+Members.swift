internal import GuardModel

/// The accounts of an app: they come, change and go, and every step is told.
extension GuardState {
  mutating func forget(_ account: AccountID, of holder: AccountHolder) {
    remove(account, from: holder)
    tell(.forgotten, account, of: holder, result: .notEnrolled)
  }

  /// Whether an app has room for one more account; makes it where that changes nothing: a registration that no source
  /// confirms can be made again, and an access that has ended is none while the app has sources.
  ///
  /// The attack: a program, or the word of a source, invents names until there is no room for the person's own.
  mutating func makeRoom(in holder: AccountHolder, for account: AccountID, _ snapshot: Snapshot) -> Bool {
    let members = life.members[holder] ?? [:]
    guard members[account] == nil, members.count >= AccountLife.mostMembers else { return true }
    let isFree = isFreeOfSources(holder, snapshot)
    let idle = sortedMembers(of: holder).filter { account in
      let status = members[account]?.status
      guard status == .registered || (status == .ended && !isFree) else { return false }
      return sources(of: account, holder, snapshot).allSatisfy { $0 == .app }
    }
    guard let least = idle.first(where: { members[$0]?.status == .registered }) ?? idle.first else { return false }
    forget(least, of: holder)
    return true
  }

  mutating func add(_ account: AccountID, to holder: AccountHolder, byApp: Bool) {
    let known = life[holder, account]
    let place = AccountPlace(holder: holder, account: account)
    // One that went a moment ago still has its name.
    if known == nil, life.removed.remove(place) == nil { accounts.use(account) }
    var member = Membership(registeredAt: time, checkedInAt: time, triedAt: time)
    // What an access that ended left in the app is there still.
    member.enrolledAt = known?.enrolledAt
    if let known, known.status != .ended { member = known }
    member.isByApp = byApp || member.isByApp
    life.set(member, of: account, holder)
    wipeBook.isStale = true
    note(account, of: holder)
  }

  mutating func remove(_ account: AccountID, from holder: AccountHolder) {
    guard life.remove(account, of: holder) else { return }
    wipeBook.isStale = true
    // Where changes are kept, its name stays until then.
    guard keepsPages else { return accounts.release(account) }
    life.removed.insert(AccountPlace(holder: holder, account: account))
    note(account, of: holder)
  }

  mutating func change(_ account: AccountID, of holder: AccountHolder, _ body: (inout Membership) -> Void) {
    guard var member = life[holder, account] else { return }
    let before = member
    body(&member)
    guard member != before else { return }
    life.set(member, of: account, holder)
    wipeBook.isStale = true
    note(account, of: holder)
  }

  mutating func note(_ account: AccountID, of holder: AccountHolder) {
    guard keepsPages else { return }
    life.changed.insert(AccountPlace(holder: holder, account: account))
    hasChanges = true
  }

  mutating func tell(
    _ act: AccountEvent.Act, _ account: AccountID, of holder: AccountHolder, result: EnrollmentResult? = nil,
    by source: AccountSource? = nil
  ) {
    let status = life[holder, account].map { member -> AccountLifeState in
      switch member.status {
      case .ended: .suspended
      case .registered: .registered
      case .enrolled: member.isUnchecked ? .notChecked : .enrolled
      }
    }
    life.events.append(
      AccountEvent(
        act: act, person: holder.person, app: name(of: holder.app), account: accounts.displayName(account),
        state: status ?? .unknown, result: result, source: source))
  }
}
