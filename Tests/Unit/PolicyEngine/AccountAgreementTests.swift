import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// The guard and a model in plain words agree on the life of accounts, over random histories: calls, words of sources,
/// wipes and their answers, conditions, unlocking, administrators, clocks that jump apart, reloads, programs that come and
/// go, and daemons that are killed before they kept what they did.
struct AccountAgreementTests {
  @Test
  func guardAndModelAgree() throws {
    var random = SeededGenerator()
    let histories = Effort.scaled(10_000)
    var steps = 0
    var seen: [String: Int] = [:]
    for _ in 0..<histories {
      var history = AccountHistory(&random)
      for _ in 0..<100 {
        let step = try history.happen(&random)
        steps += 1
        guard let difference = try history.difference() else { continue }
        Issue.record("\(difference) after \(step), by \(history.steps.suffix(12)) \(random.note)")
        return
      }
      if let difference = try history.finish() {
        Issue.record("\(difference) at the end, by \(history.steps.suffix(12)) \(random.note)")
        return
      }
      seen.merge(history.seen, uniquingKeysWith: +)
    }
    #expect(steps == histories * 100)
    print(seen.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n"))
    let missing = Self.expected.subtracting(seen.keys)
    if !Effort.isPartial { #expect(missing.isEmpty, "\(missing.sorted())") }
  }

  /// Everything that has to happen somewhere: else the agreement says nothing of it.
  private static let expected: Set<String> = [
    "registered", "registeredAgain", "enrolled", "notEnrolled", "checkedIn", "unenrolled", "deregistered", "forgotten",
    "signInRefused", "signedIn", "signedOut", "enrolled newPolicies", "enrolled unchanged", "enrolled alreadyEnrolled",
    "registered notSignedIn", "registered singleAccount", "notChecked notChecked", "suspended unenrolled",
    "suspended notEnrolled", "notAllowed blocked", "unmanaged noPolicy", "unmanaged notTargeted", "unknownAccount",
    "noApp", "blocked blocked", "wiped blocked", "nonCompliant newPolicies", "policyRequired notEnrolled",
    "notAllowed accountNotAllowed", "block policyRequired", "block accountNotAllowed", "block notChecked",
    "allow unmanaged", "allow printAllowed",
    // Conditions and unlocking.
    "block accountNotCompliant", "block locked", "locked newPolicies", "nonCompliant notSignedIn",
    // Wipes: what brings them about, how they go on, and how they end.
    "wipeBegun admin", "wipeBegun conditionalLaunch", "wipeBegun deregister", "wipeBegun marker",
    "wipeBegun nonCompliant", "wipeBegun offlineGrace", "wouldWipe admin", "wouldWipe conditionalLaunch",
    "wouldWipe deregister",
    "wouldWipe marker", "wouldWipe nonCompliant", "wipeLimit conditionalLaunch", "wipeLimit marker",
    "wipeLimit offlineGrace", "wipeCancelled conditionalLaunch", "wipeCancelled marker", "wipeCancelled offlineGrace",
    "wipeStarted admin", "wipeStarted conditionalLaunch", "wipeStarted deregister", "wipeStarted marker",
    "wipeStarted nonCompliant", "wipeCompleted", "wipeIncomplete", "wipeRestored", "wipeApproved", "filesRemoved",
    "answered done", "answered failed", "answered silent", "givenUp", "block accountWiped", "block accountBlocked",
    "wipePending wipeReceived", "wiped wipeReceived", "effect ask", "effect files", "effect keys", "state wipePending",
    "state locked",
    // Answers that are late, double or of strangers, and administrators who are refused.
    "unknownRequest", "requestIsOver", "reported", "noWipe", "tooLate", "underWay", "wipePending", "sameApprover",
    "restored", "unknownApp",
    // Clocks and kills.
    "2038", "begun anew", "killed before it kept", "killed with an old state", "set back",
  ]
}
