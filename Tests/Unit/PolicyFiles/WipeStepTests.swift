import GuardModel
import PolicyEngine
import PolicyFiles
internal import PolicyTools
import Testing

/// Steps of policy tests about wipes, from the cause to the end, run by the guard that the daemon runs.
@Suite struct WipeStepTests {
  private static let policy = """
    apps:
      portal:
        peers: [{ group: staff }]
        identityMode: multi
        accounts: { source: [broker, app] }
        dataDirectories: ["~/.local/share/portal/{account}"]
      mail:
        peers: [{ group: staff }]
        identityMode: multi
        accounts: { source: [broker, app] }
        dataDirectories: ["~/.cache/mail/{objectId}"]
    accounts: [{ upn: work@contoso.com }]
    protections:
      standard:
        accounts: ["*@contoso.com"]
        conditionalLaunch: [{ check: Rooted, operator: equals, value: false, action: wipe }]

    """

  private func run(_ wipe: String, _ tests: String) throws -> [PolicyTestResult] {
    let result = load(["policy.d/a.yaml": Self.policy + "wipe: { \(wipe) }\ntests:\n" + tests])
    let policy = try #require(result.policy, "\(result.diagnostics)")
    let runner = PolicyTestRunner(policy)
    return policy.tests.map(runner.run)
  }

  /// WP-01, WP-02, WP-07: lock, delay, request, answers, end; and that each step can fail.
  @Test func aWipeIsToldFromItsCauseToItsEnd() throws {
    let results = try run(
      "mode: on, causes: [admin], approvals: 2, answerTime: 10m",
      """
        - name: by two administrators
          app: portal
          steps:
            - { wipe: work@contoso.com, expect: unknownAccount }
            - { register: work@contoso.com, state: enrolled }
            - { register: work@contoso.com, app: mail, state: enrolled }
            - { call: SetIdentity, level: process, account: work@contoso.com }
            - { event: print, expect: allow }
            - { wipe: WORK@contoso.com, by: 500, phase: pending, request: w-1-1 }
            - { event: print, expect: block, reason: accountBlocked }
            - { list: work@contoso.com, state: wipePending }
            - { wipe: work@contoso.com, by: 500, expect: underWay }
            - { approve: work@contoso.com, by: 500, expect: sameApprover }
            - { tick: 80h }
            - { wipeOf: work@contoso.com, phase: pending, cause: admin }
            - { answer: done, expect: UnknownRequest }
            - { filesRemoved: { removed: 1, kept: 0 }, expect: UnknownRequest }
            - { approve: work@contoso.com, by: 501, phase: pending }
            - { tick: 1m }
            - { wipeOf: work@contoso.com, phase: asking, step: asked, request: w-1-1 }
            - { list: work@contoso.com, state: wiped }
            - { event: print, expect: block, reason: accountWiped }
            - { restore: work@contoso.com, expect: tooLate }
            - { answer: refused }
            - { answer: done, expect: RequestIsOver }
            - { wipeOf: work@contoso.com, step: refused }
            - { filesRemoved: { removed: 12, kept: 0 } }
            - { wipeOf: work@contoso.com, step: cleaned }
            - { wipeOf: work@contoso.com, app: mail, step: asked }
            - { tick: 9m }
            - { wipeOf: work@contoso.com, app: mail, step: asked }
            - { tick: 2m }
            - { wipeOf: work@contoso.com, phase: none }
            - { event: print, expect: block, reason: accountWiped }
            - { restore: work@contoso.com, expect: noWipe }
            - { register: work@contoso.com, state: enrolled, result: newPolicies }
            - { event: print, expect: allow }
      """)
    #expect(results.flatMap(\.steps).compactMap(\.failure) == [])
    #expect(results.map(\.steps.count) == [34])
  }

  /// An administrator's restore, a check-in, and a condition that holds again.
  @Test func aWipeIsTakenBack() throws {
    let results = try run(
      "mode: on, causes: [admin, offlineGrace, conditionalLaunch], offlineAfter: 30d",
      """
        - app: portal
          steps:
            - { register: work@contoso.com, state: enrolled }
            - { wipe: work@contoso.com, phase: pending }
            - { tick: 71h }
            - { restore: work@contoso.com }
            - { tick: 2d }
            - { wipeOf: work@contoso.com, phase: none }
            - { list: work@contoso.com, state: enrolled }
        - app: portal
          steps:
            - { register: work@contoso.com, state: enrolled }
            - { tick: 20d }
            - { checkIn: true }
            - { tick: 29d }
            - { wipeOf: work@contoso.com, phase: none }
            - { tick: 2d }
            - { wipeOf: work@contoso.com, phase: pending, cause: offlineGrace }
            - { checkIn: true }
            - { wipeOf: work@contoso.com, phase: none }
        - app: portal
          steps:
            - { register: work@contoso.com, state: enrolled }
            - { posture: { Rooted: true } }
            - { wipeOf: work@contoso.com, phase: pending, cause: conditionalLaunch }
            - { posture: { Rooted: false } }
            - { wipeOf: work@contoso.com, phase: none }
            - { posture: { Rooted: true } }
            - { tick: 72h }
            - { wipeOf: work@contoso.com, phase: asking, cause: conditionalLaunch, step: asked }
            - { answer: done }
            - { wipeOf: work@contoso.com, phase: none }
      """)
    #expect(results.flatMap(\.steps).compactMap(\.failure) == [])
    #expect(results.map(\.steps.count) == [7, 9, 10])
  }

  /// Where the policy lets nothing be destroyed, an administrator only locks; `now` skips the delay, and `only` spares the
  /// person's other apps.
  @Test func modesAndAppsAreKept() throws {
    let locks = try run(
      "mode: dryRun",
      """
        - app: portal
          steps:
            - { register: work@contoso.com }
            - { wipe: work@contoso.com, phase: locked }
            - { tick: 366d }
            - { wipeOf: work@contoso.com, phase: locked }
      """)
    let one = try run(
      "mode: on, causes: [admin]",
      """
        - app: portal
          steps:
            - { register: work@contoso.com }
            - { register: work@contoso.com, app: mail }
            - { wipe: work@contoso.com, only: mail, now: true, phase: pending }
            - { tick: 1s }
            - { wipeOf: work@contoso.com, app: mail, phase: asking, step: asked }
            - { list: work@contoso.com, state: enrolled }
            - { answer: done, app: portal, expect: UnknownRequest }
            - { answer: done, app: mail, request: w-1-1 }
            - { wipeOf: work@contoso.com, phase: none }
      """)
    #expect((locks + one).flatMap(\.steps).compactMap(\.failure) == [])
    #expect((locks + one).map(\.steps.count) == [4, 9])
  }

  /// A step that goes otherwise says what was expected and what came.
  @Test(arguments: [
    (
      "wipe: work@contoso.com, phase: locked",
      "expected the phase `locked`, got the phase `pending`, the cause `admin`, the request `w-1-1`"
    ),
    (
      "wipe: work@contoso.com, expect: noWipe",
      "expected the refusal `noWipe`, got the phase `pending`, the cause `admin`, the request `w-1-1`"
    ),
    ("wipeOf: work@contoso.com, phase: asking", "expected the phase `asking`, got no wipe"),
    ("approve: work@contoso.com", "expected a wipe, got the refusal `noWipe`"),
    ("restore: work@contoso.com", "expected it to be done, got the refusal `noWipe`"),
    ("answer: done", "expected it to be done, got the error `UnknownRequest`"),
    (
      "filesRemoved: { removed: 0, kept: 0 }, expect: RequestIsOver",
      "expected the error `RequestIsOver`, got the error `UnknownRequest`"
    ),
    ("checkIn: true", nil),
  ])
  func aFailureNamesBothSides(_ step: String, _ failure: String?) throws {
    let results = try run(
      "mode: on, causes: [admin]", "  - { app: portal, steps: [{ register: work@contoso.com }, { \(step) }] }\n")
    #expect(results[0].steps[1].failure == failure)
  }
}
