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

      package init() {}
    }

    /// Each with its names in lower case, the one that people see first, and its state.
    package var entries: [(names: [String], state: AccountState)] = []
    package var apps: [String: App] = [:]
    /// Names and patterns that the one protection binds.
    package var bound: [String] = []
    package var groups: [UInt32] = []
    package var digest = ""

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
  /// The running programs.
  package var running: [Holder] = []
  var members: [Holder: [String: Member]] = [:]
  var words: [UInt32: [AccountSource: Word]] = [:]
  package var acts: [Act] = []

  static let hour: UInt64 = 3_600_000
  static let (retry, checkIn, forget, holds) = (24 * hour, 8 * hour, 90 * 24 * hour, 7 * 24 * hour)

  package init(_ policy: Policy, groups: [UInt32: [UInt32]], at time: UInt64) {
    (self.policy, self.groups, self.time) = (policy, groups, time)
  }

  // MARK: Facts

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

  private func isFree(_ holder: Holder) -> Bool { policy.apps[holder.app]?.sources.isEmpty ?? true }

  /// Whether sources say that it is signed in; nil when those that did have been silent for too long.
  private func isSignedIn(_ account: String, _ holder: Holder) -> Bool? {
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
  package func standing(_ account: String, _ holder: Holder) -> AccountState {
    let stated = state(of: account)
    let counts =
      !isFree(holder) || policy.apps[holder.app]?.allowed != nil
      || members[holder]?.values.contains { $0.status == .ended } == true
    guard stated == .active, counts else { return stated }
    guard allows(account, holder) else { return .notAllowed }
    guard isManaged(account, holder) else { return .active }
    let member = members[holder]?[account]
    if member?.status == .ended { return .policyRequired }
    if member?.isUnchecked == true { return .notChecked }
    return isFree(holder) || member?.status == .enrolled ? .active : .policyRequired
  }

  package func lifeState(_ account: String, _ holder: Holder) -> AccountLifeState {
    switch standing(account, holder) {
    case .blocked: return .blocked
    case .nonCompliant: return .nonCompliant
    case .wiped: return .wiped
    case .notAllowed: return .notAllowed
    case .notChecked: return .notChecked
    case .locked: return .locked
    case .active: return isManaged(account, holder) ? .enrolled : .unmanaged
    case .policyRequired:
      let status = members[holder]?[account]?.status
      return status == .ended ? .suspended : status == .registered ? .registered : .policyRequired
    }
  }

  /// The accounts of a holder, as `List` shows them, by name.
  package func list(_ holder: Holder) -> [ListedAccount] {
    (members[holder] ?? [:]).sorted { $0.key < $1.key }.map { account, member in
      var listed = ListedAccount(
        person: holder.person, app: holder.app, account: account, state: lifeState(account, holder),
        isManaged: isManaged(account, holder))
      listed.protection = listed.isManaged ? "contoso-standard" : nil
      listed.sources = AccountSource.allCases.filter { source in
        source == .app
          ? member.isByApp
          : words[holder.person]?[source]?.names.contains { $0.contains { self.account($0) == account } } ?? false
      }
      (listed.result, listed.registeredAt, listed.enrolledAt) = (member.result, member.registeredAt, member.enrolledAt)
      listed.triedAt = member.triedAt
      if member.status == .enrolled { listed.checkedInAt = member.checkedInAt }
      if member.status != .ended { listed.forgottenAt = max(member.checkedInAt, member.registeredAt) + Self.forget }
      if member.status == .registered, isTried(holder) { listed.retryAt = member.triedAt + Self.retry }
      return listed
    }
  }

  // MARK: Attempts

  /// While none is enrolled, those that are registered are tried (ledger EN-05).
  private func isTried(_ holder: Holder) -> Bool {
    members[holder]?.values.contains { $0.status == .enrolled } != true
  }

  /// Groups are known while a program runs.
  private func knowsProtections(_ account: String, _ holder: Holder) -> Bool {
    isBoundByName(account) || running.contains(holder) || policy.groups.isEmpty || policy.apps[holder.app] == nil
  }

  private func result(_ account: String, _ holder: Holder) -> EnrollmentResult {
    guard let app = policy.apps[holder.app] else { return .notTargeted }
    if !allows(account, holder) { return .blocked }
    if !isBoundByName(account), !(running.contains(holder) && isInGroup(holder.person)) { return .notTargeted }
    if [.blocked, .wiped].contains(state(of: account)) { return .blocked }
    guard let isSignedIn = isSignedIn(account, holder) else { return .notChecked }
    if !isSignedIn { return .notSignedIn }
    let others = (members[holder] ?? [:]).filter { $0.key != account && $0.value.status == .enrolled }
    return app.takesSeveral || others.isEmpty ? .unchanged : .singleAccount
  }

  @discardableResult
  mutating func attempt(_ account: String, _ holder: Holder) -> EnrollmentResult {
    guard var member = members[holder]?[account], member.status != .ended else { return .notEnrolled }
    defer { members[holder]?[account] = member }
    let before = member
    guard knowsProtections(account, holder) else {
      if member.status == .registered { member.triedAt = time }
      return member.result
    }
    let result = result(account, holder)
    (member.result, member.isUnchecked) = (result, result == .notChecked)
    if result != .notChecked { member.status = result == .unchanged ? .enrolled : .registered }
    switch (before.status, member.status) {
    case (.registered, .enrolled):
      (member.enrolledAt, member.checkedInAt, member.triedAt) = (time, time, time)
      member.policy = policy.digest
      tell("enrolled", account, holder, .newPolicies)
      return .newPolicies
    case (.enrolled, .registered):
      (member.enrolledAt, member.triedAt) = (nil, time)
      tell("unenrolled", account, holder, result)
    case (.registered, _):
      member.triedAt = time
      if before.result != result { tell("notEnrolled", account, holder, result) }
    default:
      guard before.isUnchecked != member.isUnchecked else { break }
      if !member.isUnchecked { (member.checkedInAt, member.policy) = (time, policy.digest) }
      tell(member.isUnchecked ? "notEnrolled" : "checkedIn", account, holder, result)
    }
    return result
  }

  func sorted(_ holder: Holder) -> [String] {
    (members[holder] ?? [:]).sorted { ($0.value.registeredAt, $0.key) < ($1.value.registeredAt, $1.key) }.map(\.key)
  }

  /// The enrolled ones first.
  mutating func attemptAll(_ holder: Holder) {
    let all = sorted(holder)
    let enrolled = all.filter { members[holder]?[$0]?.status == .enrolled }
    for account in enrolled + all.filter({ !enrolled.contains($0) }) { attempt(account, holder) }
  }

  mutating func tell(
    _ act: String, _ account: String, _ holder: Holder, _ result: EnrollmentResult? = nil,
    _ source: AccountSource? = nil
  ) {
    acts.append(Act(act, holder.person, holder.app, account, result, source))
  }
}
