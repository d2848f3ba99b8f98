package import GuardModel

/// One app of one person: accounts are registered and enrolled for it.
package struct AccountHolder: Sendable, Hashable {
  let person: UInt32
  let app: AppNumber
}

/// An account that an app has, or had.
struct Membership: Sendable, Hashable {
  enum Status: UInt8, Sendable, Hashable, CaseIterable {
    /// It waits for its enrolment.
    case registered
    case enrolled
    /// The app ended its access. Its data stays the organisation's.
    case ended
  }

  var status = Status.registered
  /// The app itself said so; else only a source did.
  var isByApp = false
  /// Milliseconds since 1970, as all times here.
  var registeredAt: UInt64
  /// Its latest enrolment, also after it ended: data from then on may lie in the app.
  var enrolledAt: UInt64?
  var checkedInAt: UInt64
  var triedAt: UInt64
  var result = EnrollmentResult.notEnrolled
  /// The digest of the policy that its latest check-in saw; nil when no check-in of this daemon saw one.
  var policy: String?
  /// No source has said for a long time whether it is signed in.
  var isUnchecked = false
}

/// The latest word of a source about a person: these accounts are signed in, and no others.
struct SignInWord: Sendable, Hashable {
  var accounts: [SignedInAccount]
  var time: UInt64
  /// Those that the policy covers. Other accounts are private, and are not kept.
  var covered: [SignedInAccount]
}

/// Something that happened to an account, for the log and for subscribers.
package struct AccountEvent: Sendable, Hashable {
  /// The step, in the words of the log.
  package enum Act: String, Sendable, Hashable, CaseIterable {
    case registered
    /// It was registered already; nothing changed.
    case registeredAgain
    case enrolled
    /// An attempt failed; `result` says why.
    case notEnrolled
    case checkedIn
    /// It was enrolled and is no longer; `result` says why.
    case unenrolled
    /// The app ended its access.
    case deregistered
    /// It was not checked in for too long.
    case forgotten
    /// The app wants it to be looked at.
    case remediating
    /// It was looked at; `compliance` says what came of it.
    case remediated
    /// It was not looked at, since its app did not come back.
    case remediationForgotten
    /// The account may not sign in to the app.
    case signInRefused
    /// A source says that it is signed in.
    case signedIn
    /// The source no longer says so.
    case signedOut
    /// The account is locked, and its data will be removed.
    case wipeBegun
    /// The account is locked, and the policy lets nothing be removed.
    case wouldWipe
    /// Too many accounts would be wiped at once: none is.
    case wipeLimit
    case wipeApproved
    /// An administrator took it back.
    case wipeRestored
    /// Its cause is gone.
    case wipeCancelled
    /// The delay is over: the apps are asked.
    case wipeStarted
    /// An app answered, or was silent; `note` says which.
    case wipeAnswered
    /// The helper removed files.
    case filesRemoved
    case wipeCompleted
    /// The apps were asked, and data may remain.
    case wipeIncomplete
    /// A program is to start anew; `note` says why.
    case restartAsked
    /// It answered, or was silent; `note` says which.
    case restartAnswered
  }

  package var act: Act
  package var person: UInt32
  /// Nil for the word of a source, which is about all apps, and for a wipe of all apps.
  package var app: String?
  /// The apps that hear of it, where `app` is nil.
  package var apps: [String] = []
  package var account: String
  package var state: AccountLifeState?
  package var result: EnrollmentResult?
  package var source: AccountSource?
  package var cause: WipeCause?
  /// The wipe, or the look at the account.
  package var request: String?
  /// What came of the look, and how the question to the person ended.
  package var compliance: ComplianceStatus?
  package var unlock: UnlockResult?
  /// An administrator's reason, or counts.
  package var note: String?

  /// It is a step of a wipe, or of one that the machine wants. An app has a bounded number of these.
  ///
  /// The attack: where the policy removes nothing, an app asks for a removal again and again, and each time a record says
  /// what would be wiped. No wipe begins by that: the record is one of the app's own.
  package var isOfWipe: Bool { cause != nil && (request != nil || cause != .deregister) }

  /// Subscribers of the topic `enrollment` hear of it.
  package var isNews: Bool {
    switch act {
    case .enrolled, .notEnrolled, .checkedIn, .unenrolled, .deregistered, .forgotten: true
    case .wipeBegun, .wipeRestored, .wipeCancelled, .wipeCompleted, .wipeIncomplete: true
    case .registered, .registeredAgain, .signInRefused, .signedIn, .signedOut, .wouldWipe, .wipeLimit, .wipeApproved,
      .wipeStarted, .wipeAnswered, .filesRemoved, .remediating, .remediated, .remediationForgotten, .restartAsked,
      .restartAnswered:
      false
    }
  }
}

/// The accounts that apps registered, who is signed in, and when something is due.
///
/// Pure: `GuardState` changes it by calls and `tick`, and the shell takes the events.
package struct AccountLife: Sendable {
  private(set) var members: [AccountHolder: [AccountID: Membership]] = [:]
  /// The apps of each person that have accounts.
  private var apps: [UInt32: [AppNumber]] = [:]
  var words: [UInt32: [AccountSource: SignInWord]] = [:]
  /// When something of a holder is due next.
  var due = DueTimes()
  var events: [AccountEvent] = []
  /// Entries that changed since the state was kept last.
  var changed: Set<AccountPlace> = []
  /// Entries that are gone, and whose names stay until the state is kept.
  var removed: Set<AccountPlace> = []
  /// Places of the kept state that name an account by an earlier name of it.
  var stale: Set<KeptMemberPlace> = []
  var changedWords: Set<SignInPlace> = []

  package init() {}

  /// The events since the last call.
  package mutating func takeEvents() -> [AccountEvent] {
    guard !events.isEmpty else { return [] }
    defer { events = [] }
    return events
  }

  /// Number of times that it waits for: bounded by the apps that have accounts.
  package var timeCount: Int { due.count }

  package var hasEvents: Bool { !events.isEmpty }

  subscript(holder: AccountHolder, account: AccountID) -> Membership? { members[holder]?[account] }

  mutating func set(_ member: Membership, of account: AccountID, _ holder: AccountHolder) {
    if members[holder] == nil { apps[holder.person, default: []].append(holder.app) }
    members[holder, default: [:]][account] = member
  }

  /// - Returns: whether it was there.
  mutating func remove(_ account: AccountID, of holder: AccountHolder) -> Bool {
    guard members[holder]?.removeValue(forKey: account) != nil else { return false }
    guard members[holder]?.isEmpty ?? false else { return true }
    members[holder] = nil
    apps[holder.person]?.removeAll { $0 == holder.app }
    if apps[holder.person]?.isEmpty ?? false { apps[holder.person] = nil }
    return true
  }

  /// The apps of a person that have accounts, in the order in which they came to have some.
  func holders(of person: UInt32) -> [AccountHolder] {
    (apps[person] ?? []).map { AccountHolder(person: person, app: $0) }
  }

  /// The persons of whose accounts something is due: none, and no walk, when nothing is.
  func personsDue(at time: UInt64) -> Set<UInt32> { due.next > time ? [] : Set(due.holders(until: time).map(\.person)) }

  /// The most accounts that one app of one person may have: a program can invent names.
  package static let mostMembers = 64
  /// The most accounts in the word of a source.
  package static let mostSignedIn = 64
}

/// An account of a holder.
struct AccountPlace: Sendable, Hashable {
  let holder: AccountHolder
  let account: AccountID
}

struct SignInPlace: Sendable, Hashable {
  let person: UInt32
  let source: AccountSource
}

/// Times at which work is due, the earliest first: the cost of a tick grows with the work that is due, not with the number
/// of accounts.
///
/// A holder has one time that counts; earlier entries of it are passed over when they come up.
struct DueTimes: Sendable {
  private var heap: [(time: UInt64, holder: AccountHolder)] = []
  private var current: [AccountHolder: UInt64] = [:]

  /// Milliseconds since 1970; `.max` when nothing is due.
  var next: UInt64 { heap.first?.time ?? .max }

  mutating func set(_ time: UInt64?, of holder: AccountHolder) {
    guard current[holder] != time else { return }
    current[holder] = time
    if let time { push((time, holder)) }
    // The attack: a program whose calls change its time at every turn.
    if heap.count > 2 * current.count + 64 { forgetPassed() }
  }

  /// The holders whose time has come, in no order: a walk through those entries and the ones below them.
  func holders(until time: UInt64) -> [AccountHolder] {
    var found: [AccountHolder] = []
    var places = [0]
    while let place = places.popLast() {
      guard place < heap.count, heap[place].time <= time else { continue }
      if current[heap[place].holder] == heap[place].time { found.append(heap[place].holder) }
      places += [2 * place + 1, 2 * place + 2]
    }
    return found
  }

  /// Number of entries, those included that no longer count.
  var count: Int { heap.count }

  private mutating func forgetPassed() {
    heap = current.map { ($0.value, $0.key) }.sorted { $0.time < $1.time }
  }

  /// The holders whose time has come; they have no time until `set` gives them one. That may have come too: then it counts
  /// the next time, and no holder holds up a tick.
  mutating func take(until time: UInt64) -> [AccountHolder] {
    var taken: [AccountHolder] = []
    while let first = heap.first, first.time <= time {
      removeFirst()
      guard current[first.holder] == first.time else { continue }
      current[first.holder] = nil
      taken.append(first.holder)
    }
    return taken
  }

  private mutating func push(_ entry: (time: UInt64, holder: AccountHolder)) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0, heap[child].time < heap[(child - 1) / 2].time {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].time < heap[least].time {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
