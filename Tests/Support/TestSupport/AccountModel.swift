package import GuardModel

/// The life of accounts in plain words: it looks at everything at every step, and keeps nothing but facts.
///
/// A holder is an app of a person. It has accounts that were registered, are enrolled, or whose access has ended; sources
/// say who is signed in. Each rule of `docs/accounts.md` is one function here.
package struct AccountModel {
  /// The part of the policy that accounts hang on.
  package struct Policy: Sendable {
    package struct App: Sendable {
      package var sources: [AccountSource] = []
      /// Names in lower case and patterns; nil takes all.
      package var allowed: [String]?
      package var takesSeveral = true
      /// The policy names directories that a wipe may remove.
      package var hasDirectories = false

      package init() {}
    }

    package struct Entry: Sendable {
      /// In lower case, the one that people see first; the second one is the object id.
      package var names: [String]
      package var state: AccountState
      /// Of a mark: what was enrolled later is spared.
      package var since: UInt64?

      package init(_ names: [String], _ state: AccountState, since: UInt64? = nil) {
        (self.names, self.state, self.since) = (names, state, since)
      }
    }

    package var entries: [Entry] = []
    package var apps: [String: App] = [:]
    /// Names and patterns that the one protection binds.
    package var bound: [String] = []
    package var groups: [UInt32] = []
    package var digest = ""
    package var conditions: [Condition] = []
    /// Persons have to unlock their accounts first.
    package var asksPerson = false
    package var wiping = Wiping()

    package init() {}
  }

  package struct Holder: Hashable, Comparable {
    package var person: UInt32
    package var app: String

    package init(person: UInt32, app: String) { (self.person, self.app) = (person, app) }

    package static func < (left: Holder, right: Holder) -> Bool { (left.person, left.app) < (right.person, right.app) }
  }

  enum Status {
    case registered
    case enrolled
    case ended
  }

  struct Member {
    var status = Status.registered
    var isByApp = false
    var isUnchecked = false
    var result = EnrollmentResult.notEnrolled
    var registeredAt: UInt64
    /// Its latest enrolment, also after it ended: data from then on may lie in the app.
    var enrolledAt: UInt64?
    var checkedInAt: UInt64
    var triedAt: UInt64
    var policy: String?
  }

  /// The word of a source: accounts, each by one or more names.
  struct Word {
    var names: [[String]]
    var time: UInt64
    /// Those that the policy covered when it was said.
    var covered: [[String]]
  }

  package struct Act: Hashable {
    package var act: String
    package var person: UInt32
    package var app: String?
    package var account: String
    package var result: EnrollmentResult?
    package var source: AccountSource?
    /// Of wipes: the cause, the request, the reason or the counts, and the apps that hear of it.
    package var cause: WipeCause?
    package var request: String?
    package var note: String?
    package var apps: [String] = []

    package init(
      _ act: String, _ person: UInt32, _ app: String?, _ account: String, _ result: EnrollmentResult? = nil,
      _ source: AccountSource? = nil
    ) {
      (self.act, self.person, self.app) = (act, person, app)
      (self.account, self.result, self.source) = (account, result, source)
    }
  }

  package var policy: Policy
  package var time: UInt64
  /// The groups of each person.
  package var groups: [UInt32: [UInt32]]
  /// The running programs, each under a number.
  package var programs: [Int: Program] = [:]
  var members: [Holder: [String: Member]] = [:]
  var words: [UInt32: [AccountSource: Word]] = [:]
  package var acts: [Act] = []
  package var conditions = Conditions()
  var unlocks: [UInt32: Unlocked] = [:]
  package var wipes = Wipes()
  /// What the next daemon will find.
  var kept = Kept()
  /// A copy of it that somebody made.
  var archived = Kept()
  /// Accounts that have a name here until the daemon ends: those of restored wipes.
  var pinned: Set<String> = []
  /// Accounts whose name stays until the state is kept.
  var leaving: Set<String> = []

  package struct Program: Sendable {
    package var holder: Holder
    /// The accounts that it named, and that the policy does not name.
    var named: Set<String> = []
    /// The accounts that were wiped while it ran.
    var wiped: Set<String> = []
    /// As it told at its start.
    var version: Int?
  }

  static let hour: UInt64 = 3_600_000
  static let (retry, checkIn, forget, holds) = (24 * hour, 8 * hour, 90 * 24 * hour, 7 * 24 * hour)

  package init(_ policy: Policy, groups: [UInt32: [UInt32]], at time: UInt64) {
    (self.policy, self.groups, self.time) = (policy, groups, time)
  }

  // MARK: Facts

  func isRunning(_ holder: Holder) -> Bool { programs.values.contains { $0.holder == holder } }

  /// The numbers of running programs, in the order of their start.
  var running: [Int] { programs.keys.sorted() }

  /// The account that a name means: its first name in the policy, or itself.
  package func account(_ name: String) -> String {
    policy.entries.first { $0.names.contains(name.lowercased()) }?.names[0] ?? name.lowercased()
  }

  func names(of account: String) -> [String] {
    policy.entries.first { $0.names[0] == account }?.names ?? [account]
  }

  func state(of account: String) -> AccountState { policy.entries.first { $0.names[0] == account }?.state ?? .active }

  private func takes(_ patterns: [String], _ account: String) -> Bool {
    names(of: account).contains { name in
      patterns.contains {
        $0 == name || ($0.hasPrefix("*@") && name.hasSuffix($0.dropFirst()) && name.count >= $0.count)
      }
    }
  }

  func isBoundByName(_ account: String) -> Bool { takes(policy.bound, account) }

  package func isInGroup(_ person: UInt32) -> Bool { !Set(groups[person] ?? []).isDisjoint(with: policy.groups) }

  package func isManaged(_ account: String, _ holder: Holder) -> Bool {
    isBoundByName(account) || isInGroup(holder.person)
  }

  /// The policy, or what the app registered before, makes the name known.
  package func knows(_ account: String, _ holder: Holder) -> Bool {
    policy.entries.contains { $0.names[0] == account } || isManaged(account, holder) || members[holder]?[account] != nil
  }

  /// A UPN in a domain that no account and no pattern has.
  func isPrivate(_ name: String) -> Bool {
    guard let domain = name.split(separator: "@").last, name.contains("@") else { return false }
    let covering = policy.entries.flatMap(\.names) + policy.bound
    return !covering.contains { $0.contains("@") && $0.split(separator: "@").last == domain }
  }

  func allows(_ account: String, _ holder: Holder) -> Bool {
    policy.apps[holder.app]?.allowed.map { takes($0, account) } ?? true
  }

  func isFree(_ holder: Holder) -> Bool { policy.apps[holder.app]?.sources.isEmpty ?? true }

  /// Whether sources say that it is signed in; nil when those that did have been silent for too long.
  func isSignedIn(_ account: String, _ holder: Holder) -> Bool? {
    let sources = policy.apps[holder.app]?.sources ?? []
    if sources.isEmpty || (sources.contains(.app) && members[holder]?[account]?.isByApp == true) { return true }
    let naming = sources.filter { $0 != .app }.compactMap { words[holder.person]?[$0] }.filter { word in
      word.names.contains { $0.contains { self.account($0) == account } }
    }
    if naming.contains(where: { $0.time + Self.holds > time }) { return true }
    return naming.isEmpty ? false : nil
  }

  // MARK: What an account may do

  /// The account's standing for a running program.
  package func standing(_ account: String, _ number: Int) -> AccountState {
    guard let program = programs[number] else { return .blocked }
    let (holder, stated) = (program.holder, state(of: account))
    guard stated == .active, counts(program) else { return stated }
    if let wipe = lock(account, holder) { return wipe.phase == .asking ? .wiped : .blocked }
    let member = members[holder]?[account]
    if program.wiped.contains(account), member?.status != .enrolled { return .wiped }
    let standing = memberStanding(account, holder, isBound: isManaged(account, holder))
    guard standing == .active, isManaged(account, holder) else { return standing }
    if isOffline { return .blocked }
    let verdict = max(conditions.verdict, verdict(ofVersion: program.version))
    if verdict.state != .active { return verdict.state }
    return policy.asksPerson && isLocked(holder.person) ? .locked : .active
  }

  /// Something besides the account's own state counts for the program.
  private func counts(_ program: Program) -> Bool {
    let holder = program.holder
    return !isFree(holder) || policy.apps[holder.app]?.allowed != nil
      || members[holder]?.values.contains { $0.status == .ended } == true || !policy.conditions.isEmpty
      || isOffline || !program.wiped.isEmpty || wipes.open.contains { $0.person == holder.person } || policy.asksPerson
  }

  func memberStanding(_ account: String, _ holder: Holder, isBound: Bool) -> AccountState {
    guard allows(account, holder) else { return .notAllowed }
    guard isBound else { return .active }
    let member = members[holder]?[account]
    if member?.status == .ended { return .policyRequired }
    if member?.isUnchecked == true { return .notChecked }
    return isFree(holder) || member?.status == .enrolled ? .active : .policyRequired
  }

  package func lifeState(_ account: String, _ number: Int) -> AccountLifeState {
    guard let holder = programs[number]?.holder else { return .unknown }
    return lock(account, holder)?.lifeState
      ?? lifeState(standing(account, number), account, holder, isBound: isManaged(account, holder))
  }

  func lifeState(
    _ standing: AccountState, _ account: String, _ holder: Holder, isBound: Bool
  ) -> AccountLifeState {
    switch standing {
    case .blocked: return .blocked
    case .nonCompliant: return .nonCompliant
    case .wiped: return .wiped
    case .notAllowed: return .notAllowed
    case .notChecked: return .notChecked
    case .locked: return .locked
    case .active: return isBound ? .enrolled : .unmanaged
    case .policyRequired:
      let status = members[holder]?[account]?.status
      return status == .ended ? .suspended : status == .registered ? .registered : .policyRequired
    }
  }

  /// The accounts of a program's app, as `List` shows them, by name.
  package func list(_ number: Int) -> [ListedAccount] {
    guard let holder = programs[number]?.holder else { return [] }
    return (members[holder] ?? [:]).sorted { $0.key < $1.key }.map { account, member in
      var listed = ListedAccount(
        person: holder.person, app: holder.app, account: account, state: lifeState(account, number),
        isManaged: isManaged(account, holder))
      listed.protection = listed.isManaged ? "contoso-standard" : nil
      // No policy of the histories says otherwise.
      listed.encryption = listed.isManaged ? .envelope : FileEncryption.none
      listed.sources = sources(of: account, holder)
      (listed.result, listed.registeredAt, listed.triedAt) = (member.result, member.registeredAt, member.triedAt)
      if member.status == .enrolled {
        (listed.enrolledAt, listed.checkedInAt) = (member.enrolledAt, member.checkedInAt)
      }
      if member.status != .ended { listed.forgottenAt = max(member.checkedInAt, member.registeredAt) + Self.forget }
      if member.status == .registered, isTried(holder) { listed.retryAt = member.triedAt + Self.retry }
      return listed
    }
  }

  /// The sources that say the account is signed in.
  func sources(of account: String, _ holder: Holder) -> [AccountSource] {
    AccountSource.allCases.filter { source in
      if source == .app { return members[holder]?[account]?.isByApp ?? false }
      return words[holder.person]?[source]?.names.contains { $0.contains { self.account($0) == account } } ?? false
    }
  }

  mutating func tell(
    _ act: String, _ account: String, _ holder: Holder, _ result: EnrollmentResult? = nil,
    _ source: AccountSource? = nil
  ) {
    acts.append(Act(act, holder.person, holder.app, account, result, source))
  }
}
