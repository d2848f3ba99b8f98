import GuardModel
import PolicyEngine
import PolicyFiles
internal import PolicyTools
import Testing

/// Steps of policy tests about the life of accounts, run by the guard that the daemon runs.
@Suite struct AccountStepTests {
  private static let policy = """
    apps:
      portal:
        peers: [{ group: staff }]
        identityMode: multi
        accounts: { source: [broker, app] }
        managedAccounts: several
      mail:
        peers: [{ group: staff }]
        identityMode: multi
        accounts: { source: [broker] }
        allowedAccounts: [work@contoso.com]
      notes: { peers: [{ group: staff }], identityMode: multi }
    accounts:
      - { upn: work@contoso.com, objectId: 3ec2c00f-b125-4519-acf0-302ac3761822 }
      - { upn: gone@contoso.com, state: blocked }
      - { upn: me@example.org }
    protections:
      standard: { accounts: ["*@contoso.com"], printing: block }
    tests:

    """

  private func run(_ tests: String) throws -> [PolicyTestResult] {
    let result = load(["policy.d/a.yaml": Self.policy + tests])
    let policy = try #require(result.policy, "\(result.diagnostics)")
    let runner = PolicyTestRunner(policy)
    return policy.tests.map(runner.run)
  }

  /// EN-02, EN-04, EN-06, EN-07, DR-01, DR-05, AA-02.
  @Test func accountsLiveAsTheDaemonLetsThem() throws {
    let results = try run(
      """
        - name: registered by the app
          app: portal
          steps:
            - { list: work@contoso.com, state: unknown }
            - { register: null, result: noAccount, state: unknown }
            - { register: WORK@contoso.com, state: enrolled, result: newPolicies, allowed: true }
            - { register: work@contoso.com, state: enrolled, result: alreadyEnrolled }
            - { register: me@example.org, state: unmanaged, result: notTargeted }
            - { register: my@home.example, state: unmanaged, result: noPolicy }
            - { register: gone@contoso.com, result: blocked, reason: accountBlocked, allowed: false }
            - { call: SetIdentity, level: process, account: work@contoso.com }
            - { event: print, viewer: v, expect: block, reason: printBlocked }
            - { deregister: 3EC2C00F-B125-4519-ACF0-302AC3761822, state: suspended, result: unenrolled }
            - { event: print, viewer: v, expect: block, reason: policyRequired }
            - { deregister: work@contoso.com, state: suspended, result: notEnrolled }
            - { register: work@contoso.com, result: newPolicies }
            - { event: print, viewer: v, expect: block, reason: printBlocked }
        - name: said by a source
          app: mail
          steps:
            - { list: work@contoso.com, state: unknown }
            - { register: work@contoso.com, state: registered, result: notSignedIn, reason: policyRequired }
            - { tick: 23h }
            - { list: work@contoso.com, state: registered, result: notSignedIn }
            - { signedIn: { source: broker, accounts: [work@contoso.com, my@home.example] } }
            - { list: work@contoso.com, state: enrolled, allowed: true }
            - { tick: 167h }
            - { list: work@contoso.com, state: enrolled }
            - { tick: 2h }
            - { list: work@contoso.com, state: notChecked, reason: notChecked, allowed: false }
            - { signedIn: { source: broker, accounts: [3ec2c00f-b125-4519-acf0-302ac3761822] } }
            - { list: work@contoso.com, state: enrolled }
            - { signedIn: { source: broker, accounts: [] } }
            - { list: work@contoso.com, state: registered, result: notSignedIn }
            - { tick: 91d }
            - { list: work@contoso.com, state: unknown }
            - { maySignIn: work@contoso.com, allowed: true }
            - { maySignIn: second@contoso.com, allowed: false, state: notAllowed, reason: accountNotAllowed }
            - { maySignIn: who@contoso.com, app: notes, allowed: true }
      """)
    #expect(results.flatMap(\.steps).compactMap(\.failure) == [])
    #expect(results.map(\.steps.count) == [14, 19])
  }

  /// CA-02, CA-08, CA-09: the steps of a look, by the facts of the last `posture`.
  @Test func accountsAreLookedAt() throws {
    let condition = "conditionalLaunch: [{ check: Sound, operator: equals, value: true }]"
    let conditioned = Self.policy.replacing("printing: block }", with: "printing: block, \(condition) }")
    let result = load([
      "policy.d/a.yaml": conditioned + """
          - name: looks
            app: portal
            steps:
              - { remediate: work@contoso.com, status: serviceFailure, state: enrolled, allowed: true }
              - { posture: { Sound: false } }
              - { remediate: work@contoso.com, silent: true, status: notCompliant, state: nonCompliant, reason: accountNotCompliant }
              - { posture: { Sound: true } }
              - { remediate: WORK@contoso.com, status: compliant, state: enrolled }
              - { list: work@contoso.com, status: compliant }
              - { deregister: work@contoso.com, state: suspended }
              - { remediate: work@contoso.com, status: notCompliant, state: suspended }
              - { remediate: work@contoso.com, silent: true, status: interactionRequired }
              - { remediate: gone@contoso.com, status: notCompliant, reason: accountBlocked, allowed: false }
              - { remediate: me@example.org, state: unmanaged, allowed: true }
              - { remediate: my@home.example, state: unmanaged }
              - { remediate: ghost, expect: UnknownAccount }
              - { remediate: work@contoso.com, app: mail, status: notCompliant, state: registered }
        """
    ])
    let policy = try #require(result.policy, "\(result.diagnostics)")
    let results = policy.tests.map(PolicyTestRunner(policy).run)
    #expect(results.flatMap(\.steps).compactMap(\.failure) == [])
    #expect(results.map(\.steps.count) == [14])
  }

  /// A step that goes otherwise says what was expected and what came.
  @Test(arguments: [
    (
      "register: work@contoso.com, state: registered",
      "expected the state `registered`, got the state `enrolled`, the result `newPolicies`, no reason"
    ),
    (
      "list: work@contoso.com, state: enrolled, allowed: true",
      "expected the state `enrolled`, `allowed` `true`, got the state `unknown`, no reason"
    ),
    (
      "register: work@contoso.com, expect: UnknownAccount",
      "expected the error `UnknownAccount`, got the state `enrolled`, the result `newPolicies`, no reason"
    ),
    ("tick: 1h", nil),
  ])
  func aFailureNamesBothSides(_ step: String, _ failure: String?) throws {
    let results = try run("  - { app: portal, steps: [{ \(step) }] }\n")
    #expect(results[0].steps[0].failure == failure)
  }
}
