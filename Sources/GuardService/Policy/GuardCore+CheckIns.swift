internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import PolicyEngine

/// Check-ins: noted by the loop, kept in the state file.
extension GuardCore {
  /// The time of the last check-in, in milliseconds since 1970; nil when none is on record.
  var checkedInAt: UInt64? { policy.checkIns.last?.time }

  /// The age of the policy as a fact for conditions, in whole hours; none when no check-in is on record.
  var policyAgeFact: [String: Fact] {
    guard let age = policy.checkIns.age(at: journal.now()) else { return [:] }
    return [OwnFact.policyAge.rawValue: Fact(.number(Double(age / 3600)))]
  }

  /// Takes the check-ins up that the state file has.
  func take(checkInsOf opened: OpenedState) { policy.checkIns = CheckIns(marks: opened.records.marks) }

  /// The configuration that is in force now came from its distributor.
  func noteCheckIn(of digest: String) {
    policy.checkIns.succeed(with: digest, at: journal.now())
    logger.notice("checked in", metadata: policy.askedBy(["digest": "\(digest)"]))
    keepCheckIns()
    checkAccountsIn()
  }

  func noteFailedCheckIn(_ cause: String, by connection: Connection) {
    policy.checkIns.fail(because: cause, at: journal.now())
    logger.warning(
      "the check-in failed", metadata: connection.metadata(["cause": "\(policy.checkIns.failure?.cause ?? "")"]))
    keepCheckIns()
  }

  func forgetCheckIns(by connection: Connection) {
    policy.checkIns = CheckIns()
    logger.notice("check-ins are forgotten", metadata: connection.metadata([:]))
    keepCheckIns()
  }

  private func keepCheckIns() {
    for (name, text) in policy.checkIns.marks { journal.state.note(mark: text, name) }
  }
}
