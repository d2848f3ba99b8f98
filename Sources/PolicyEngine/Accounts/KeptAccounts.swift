package import GuardModel

/// The life of accounts, as another daemon has to know it. Unlike clips it survives a boot.
package struct KeptAccounts: Sendable, Hashable {
  /// Nil for an account that was forgotten.
  package var members: [KeptMemberPlace: KeptMember?] = [:]
  /// The latest word of each source.
  package var words: [KeptWordPlace: KeptWord] = [:]
  /// By `LaunchCondition.key`; nil for a condition that holds, or left the policy.
  package var conditions: [String: KeptCondition?] = [:]
  /// All wipes under way; nil when they did not change.
  package var wipes: KeptWipes?
  /// The looks at accounts whose app was not told yet, in their order; nil when they did not change.
  package var remediations: [KeptRemediation]?

  package init() {}

  package var isEmpty: Bool {
    members.isEmpty && words.isEmpty && conditions.isEmpty && wipes == nil && remediations == nil
  }

  /// No entry is later than now. An administrator may have said that the machine's clock is right against all records: a
  /// word of a source from then on counts as one from long ago, since nobody knows when it was said.
  package mutating func forgetFuture(at time: UInt64) {
    for (place, member) in members {
      guard var member else { continue }
      (member.registeredAt, member.checkedInAt) = (min(member.registeredAt, time), min(member.checkedInAt, time))
      (member.triedAt, member.enrolledAt) = (min(member.triedAt, time), member.enrolledAt.map { min($0, time) })
      members[place] = .some(member)
    }
    for place in words.keys where words[place].map({ $0.time > time }) ?? false { words[place]?.time = 1 }
    remediations = remediations?.map { look in
      var look = look
      look.askedAt = min(look.askedAt, time)
      return look
    }
  }

  mutating func merge(_ newer: KeptAccounts) {
    members.merge(newer.members) { $1 }
    words.merge(newer.words) { $1 }
    conditions.merge(newer.conditions) { $1 }
    wipes = newer.wipes ?? wipes
    remediations = newer.remediations ?? remediations
  }
}

/// An account of one app of one person.
package struct KeptMemberPlace: Sendable, Hashable {
  package var person: UInt32
  package var app: String
  /// In lower case.
  package var account: String

  package init(person: UInt32, app: String, account: String) {
    self.person = person
    self.app = app
    self.account = account
  }
}

/// Times are milliseconds since 1970.
package struct KeptMember: Sendable, Hashable {
  package enum Status: UInt8, Sendable, Hashable, CaseIterable {
    case registered
    case enrolled
    case ended
  }

  package var status: Status
  /// The app itself said so.
  package var isByApp: Bool
  package var registeredAt: UInt64
  package var enrolledAt: UInt64?
  package var checkedInAt: UInt64
  package var triedAt: UInt64

  package init(
    _ status: Status, isByApp: Bool, registeredAt: UInt64, enrolledAt: UInt64?, checkedInAt: UInt64, triedAt: UInt64
  ) {
    self.status = status
    self.isByApp = isByApp
    self.registeredAt = registeredAt
    self.enrolledAt = enrolledAt
    self.checkedInAt = checkedInAt
    self.triedAt = triedAt
  }
}

package struct KeptWordPlace: Sendable, Hashable {
  package var person: UInt32
  package var source: AccountSource

  package init(person: UInt32, source: AccountSource) {
    self.person = person
    self.source = source
  }
}

package struct KeptWord: Sendable, Hashable {
  package var accounts: [SignedInAccount]
  package var time: UInt64

  package init(accounts: [SignedInAccount], time: UInt64) {
    self.accounts = accounts
    self.time = time
  }
}

/// Since when a condition fails, or is unknown, or until when its last word holds, in milliseconds since 1970: a grace
/// does not begin anew, and a word that holds goes on to hold.
package struct KeptCondition: Sendable, Hashable {
  package var failingSince: UInt64?
  package var unknownSince: UInt64?
  package var wordUntil: UInt64?

  package init(failingSince: UInt64? = nil, unknownSince: UInt64? = nil, wordUntil: UInt64? = nil) {
    self.failingSince = failingSince
    self.unknownSince = unknownSince
    self.wordUntil = wordUntil
  }
}

extension GuardState {
  /// The kept state is lost: a condition that fails gets no second grace.
  package mutating func loseConditions() { book.isGraceless = true }

  /// Moves the changes since the last call into `kept`. The name of a forgotten account is free afterwards.
  mutating func takeLifeChanges(into kept: inout KeptAccounts) {
    for changed in life.changed {
      let place = KeptMemberPlace(
        person: changed.holder.person, app: name(of: changed.holder.app), account: accounts[changed.account].folded)
      kept.members[place] = .some(life[changed.holder, changed.account].map(KeptMember.init))
    }
    for place in life.stale { kept.members[place] = .some(nil) }
    for gone in life.removed { accounts.release(gone.account) }
    for place in life.changedWords {
      guard let word = life.words[place.person]?[place.source] else { continue }
      kept.words[KeptWordPlace(person: place.person, source: place.source)] = KeptWord(
        accounts: word.covered, time: word.time)
    }
    for key in book.changed {
      kept.conditions[key] = .some(
        book.times[key].map {
          KeptCondition(failingSince: $0.failingSince, unknownSince: $0.unknownSince, wordUntil: $0.wordUntil)
        })
    }
    (life.changed, life.changedWords, life.removed, life.stale, book.changed) = ([], [], [], [], [])
    if wipeBook.isChanged {
      kept.wipes = keptWipes
      wipeBook.isChanged = false
    }
    if remediations.isChanged {
      kept.remediations = keptRemediations
      remediations.isChanged = false
    }
  }

  /// Takes up what an earlier daemon kept, and looks at each account anew under the policy in force.
  mutating func restoreLife(_ kept: KeptAccounts, _ snapshot: Snapshot) {
    for (place, word) in kept.words {
      life.words[place.person, default: [:]][place.source] = SignInWord(
        accounts: word.accounts, time: word.time, covered: word.accounts)
    }
    for case (let place, let member?) in kept.members { restore(member, place, snapshot) }
    for case (let key, let condition?) in kept.conditions {
      book.times[key] = ConditionTimes(
        failingSince: condition.failingSince, unknownSince: condition.unknownSince, wordUntil: condition.wordUntil)
    }
    if let wipes = kept.wipes {
      restore(wipes, snapshot)
      // A delay that began anew does so on the disk, too: otherwise a clock that changes again makes the old file young.
      wipeBook.isChanged = true
      if keepsPages { hasChanges = true }
    }
    if let looks = kept.remediations { restore(looks, snapshot) }
    // The first tick judges wipes, not the start.
    wipeBook.isUnjudged = true
    // A kept bad word holds before anything is read.
    judgeConditions(snapshot)
    for holder in sortedHolders() { settle(holder, snapshot) }
  }

  /// Two names on record may be one account by now: the stricter entry counts.
  private mutating func restore(_ member: KeptMember, _ place: KeptMemberPlace, _ snapshot: Snapshot) {
    let holder = AccountHolder(person: place.person, app: number(ofApp: place.app))
    let account = accounts.number(of: place.account, snapshot)
    let other = life[holder, account]
    if other == nil { accounts.use(account) }
    let restored = Membership(member)
    life.set(other.map { $0.stricter(than: restored) ? $0 : restored } ?? restored, of: account, holder)
    guard accounts[account].folded != place.account || other != nil else { return }
    note(account, of: holder)
    if keepsPages, accounts[account].folded != place.account { life.stale.insert(place) }
  }
}

extension KeptMember {
  fileprivate init(_ member: Membership) {
    let status: Status =
      switch member.status {
      case .registered: .registered
      case .enrolled: .enrolled
      case .ended: .ended
      }
    self.init(
      status, isByApp: member.isByApp, registeredAt: member.registeredAt, enrolledAt: member.enrolledAt,
      checkedInAt: member.checkedInAt, triedAt: member.triedAt)
  }
}

extension Membership {
  /// An end counts more than a registration, and that more than an enrolment; then the entry that lasts less long.
  fileprivate func stricter(than other: Membership) -> Bool {
    if rank != other.rank { return rank > other.rank }
    return (checkedInAt, triedAt, registeredAt, isByApp ? 1 : 0)
      < (other.checkedInAt, other.triedAt, other.registeredAt, other.isByApp ? 1 : 0)
  }

  private var rank: Int {
    switch status {
    case .enrolled: 0
    case .registered: 1
    case .ended: 2
    }
  }

  /// Enrolled, it is looked at again at its app's next start, when the groups of its person are known.
  fileprivate init(_ kept: KeptMember) {
    self.init(registeredAt: kept.registeredAt, checkedInAt: kept.checkedInAt, triedAt: kept.triedAt)
    (isByApp, enrolledAt) = (kept.isByApp, kept.enrolledAt)
    switch kept.status {
    case .registered: status = .registered
    case .enrolled: (status, result) = (.enrolled, .unchanged)
    case .ended: (status, result) = (.ended, .unenrolled)
    }
  }
}
