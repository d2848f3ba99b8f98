internal import GuardModel

/// Attempts to enrol, in plain words: may the account be enrolled now?
extension AccountModel {
  /// While none is enrolled, those that are registered are tried (ledger EN-05).
  func isTried(_ holder: Holder) -> Bool {
    members[holder]?.values.contains { $0.status == .enrolled } != true
  }

  /// Groups are known while a program runs.
  private func knowsProtections(_ account: String, _ holder: Holder) -> Bool {
    isBoundByName(account) || isRunning(holder) || policy.groups.isEmpty || policy.apps[holder.app] == nil
  }

  private func result(_ account: String, _ holder: Holder) -> EnrollmentResult {
    guard let app = policy.apps[holder.app] else { return .notTargeted }
    if !allows(account, holder) { return .blocked }
    if !isBoundByName(account), !(isRunning(holder) && isInGroup(holder.person)) { return .notTargeted }
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
      member.triedAt = time
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
}
